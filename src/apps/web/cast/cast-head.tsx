import { type ReactElement, useState } from "react";
import { amountText, durationText, costText, itemsDoneText } from "../../../core/view/numbers.ts";
import { countOfLimitText } from "../../../core/cast/failure-text.ts";
import { currentRework } from "../../../core/view/progress/traversals.ts";
import { oneLine, countedText } from "../../../core/model/text.ts";
import { Icon } from "../ui/icons.tsx";
import { CastStatusLabel } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import type { CastPanelProps, CastView } from "../cast-replay/use-cast-view.ts";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import marksSheet from "../ui/marks.module.css";
import cellsSheet from "../ui/item-cells.module.css";
import nodeSheet from "../graph/nodes.module.css";
import castSheet from "./cast.module.css";
import { nextSteps } from "../../../core/view/report/next-steps.ts";
import { Button } from "../ui/buttons.tsx";
import { AbortDialog, TrustCastDialog } from "../dialogs/confirm-cast-dialogs.tsx";
import { CastMenu } from "./cast-menu.tsx";
import { AnswerDialog, asksYesOrNo } from "../cast-visit/answer-form.tsx";
import { RaiseLimitDialog } from "./raise-limit-dialog.tsx";
import { useCommand } from "../data/use-command.ts";
import type { CastStatus } from "../../../core/cast/summary.ts";

const css = bindClassNames(castSheet, nodeSheet, cellsSheet, marksSheet, baseSheet);

export function CastHead({
  cast,
  view,
  dialogToOpen,
}: CastPanelProps & { readonly dialogToOpen: string | null }): ReactElement {
  const { board } = view;
  const { castFile } = cast;
  return (
    <div className={css("cast-head")}>
      <nav className={css("crumbs")} aria-label="Where this is">
        <a href={hrefOf("casts")}>Casts</a>
        <span aria-hidden="true">/</span>
        <code>{castFile.castId}</code>
        <span aria-hidden="true">·</span>
        <LoadoutLink cast={cast} name={board.loadout} />
        {cast.isForeign && (
          <span className={css("badge")} title="This cast was started by somebody else or on another machine">
            Started elsewhere
          </span>
        )}
        <FleetFacts castId={castFile.castId} />
        {castFile.rehearsal !== null && <span className={css("badge")}>Rehearsal</span>}
      </nav>
      <h1 className={css("cut")} title={castFile.request}>
        {castFile.request}
      </h1>
      <CastActions cast={cast} view={view} dialogToOpen={dialogToOpen} />
      <CastFigures view={view} />
      <StatusNote view={view} />
    </div>
  );
}

/** [B26] Submitter and worker of a fleet's cast. */
function FleetFacts({ castId }: { readonly castId: string }): ReactElement | null {
  const { casts } = useCasts();
  const fleet = casts.find((cast) => cast.castId === castId)?.fleet;
  if (!fleet) return null;
  const { project, person, worker } = fleet;
  return (
    <>
      <span aria-hidden="true">·</span>
      <span className={css("cut")}>{`${project} · ${person}${worker === null ? "" : ` · on ${worker}`}`}</span>
    </>
  );
}

/** Links to the loadout; a chain has no page. */
function LoadoutLink({ cast, name }: { readonly cast: CastPanelProps["cast"]; readonly name: string }): ReactElement {
  const [only, ...others] = cast.castFile.targets;
  if (only?.kind !== "loadout" || others.length > 0) return <span className={css("cut")}>{renderSymbols(name)}</span>;
  return (
    <a className={css("cut")} href={hrefOf("loadouts", only.name)}>
      {renderSymbols(name)}
    </a>
  );
}

/** Status and usage of the cast. */
function CastFigures({ view }: { readonly view: CastView }): ReactElement {
  const { board, trail } = view;
  return (
    <div className={css("facts")}>
      {view.at === null ? (
        <CastStatusLabel status={board.status} />
      ) : (
        <b className={css("tone-accent")}>{`At ${durationText(board.elapsedMs)}`}</b>
      )}
      {board.item && (
        <span>
          <b>{`Item ${board.item.number} of ${board.item.of}`}</b>
        </span>
      )}
      {!board.item && board.items.total > 0 && (
        <span>
          <b>{itemsDoneText(board.items)}</b>
        </span>
      )}
      <span className={css("figures-only")}>
        <b>{board.visits}</b> {countedText(board.visits, "visit").replace(/^\d+ /, "")}
      </span>
      <span title="Time worked">
        <b>{durationText(board.elapsedMs)}</b>
      </span>
      <BudgetMeter have={board.tokens} of={trail.state.budget.maxTokens} text={amountText} unit=" tokens" />
      <BudgetMeter have={board.cost} of={trail.state.budget.maxCostUsd} text={costText} unit="" />
      <ReworkCount view={view} />
    </div>
  );
}

/** The reason of the stop, or the question. */
function StatusNote({ view }: { readonly view: CastView }): ReactElement {
  const { board } = view;
  return (
    <>
      {board.reason !== null && board.status !== "completed" && (
        <p
          className={css(
            `cast-reason note ${board.status === "failed" ? "bad" : board.status === "not_satisfied" ? "rework" : ""}`,
          )}
        >
          {renderSymbols(board.reason)}
        </p>
      )}
      {board.question !== null && view.at === null && (
        <p className={css("cast-reason note waiting-tone")}>
          <b>{`${board.position?.materia ?? ""} waits for you: `}</b>
          <span>{oneLine(board.question.trim().split("\n").at(-1) ?? "", 200)}</span>
        </p>
      )}
    </>
  );
}

function BudgetMeter(props: {
  readonly have: number;
  readonly of: number | undefined;
  readonly text: (amount: number) => string;
  readonly unit: string;
}): ReactElement {
  const { have, of, text, unit } = props;
  return (
    <span title={of === undefined ? `${have}${unit}` : `${have} of ${of}${unit}`}>
      <b>{text(have)}</b>
      {of === undefined ? unit : ` of ${text(of)}${unit} `}
      {of !== undefined && of > 0 && (
        <span className={css("meter figures-only")} aria-hidden="true">
          <i style={{ width: `${Math.min(100, (100 * have) / of)}%` }} />
        </span>
      )}
    </span>
  );
}

/** How often the current item was sent back. */
function ReworkCount({ view }: { readonly view: CastView }): ReactElement | null {
  const rework = currentRework(view.trail.state);
  if (!rework || view.board.status === "completed") return null;
  const times = rework.of === null ? `${rework.taken}` : countOfLimitText(rework.taken, rework.of);
  return (
    <span className={css("status rework light")}>
      <Icon name="rework" />
      {`Rework ${times}${view.board.item ? " on this item" : ""}`}
    </span>
  );
}

type ActionDialog = "abort" | "continue" | "raise" | "trust";

/** The commands of a cast as buttons in fixed places; a disabled one says why. */
function CastActions({
  cast,
  view,
  dialogToOpen,
}: CastPanelProps & { readonly dialogToOpen: string | null }): ReactElement {
  const [dialog, setDialog] = useState<ActionDialog | null>(
    dialogToOpen === "continue" || dialogToOpen === "raise" || dialogToOpen === "abort" ? dialogToOpen : null,
  );
  const { status } = view.latest;
  const { castId } = cast.castFile;
  const command = useCommand();
  const why = disabledReasonsFor(status);
  const close = (): void => setDialog(null);
  const resume = async (): Promise<void> => {
    if ((await command.run({ kind: "recast", castId }, "Resumed")) === null) setDialog("trust");
  };
  const { state } = cast.replay.timelineAt(cast.replay.lastSeq());
  const [step] = nextSteps(state, status, "");
  return (
    <div className={css("actions")} role="group" aria-label="Cast">
      <Button
        className={css(why.continue === null ? "" : "off")}
        off={why.continue}
        onClick={() => setDialog("continue")}
      >
        {asksYesOrNo({ cast }) ? "Yes or no…" : "Continue…"}
      </Button>
      <Button
        className={css(why.resume === null ? "" : "off")}
        off={why.resume}
        busy={command.busy !== null}
        onClick={() => void resume()}
        {...(step && status === "failed" ? { title: step.does } : {})}
      >
        Resume
      </Button>
      <Button className={css(why.raise === null ? "" : "off")} off={why.raise} onClick={() => setDialog("raise")}>
        Raise a limit…
      </Button>
      <Button
        look="danger"
        className={css(why.abort === null ? "" : "off")}
        off={why.abort}
        onClick={() => setDialog("abort")}
      >
        Abort…
      </Button>
      <CastMenu cast={cast} view={view} />
      {dialog === "abort" && why.abort === null && (
        <AbortDialog castId={castId} request={cast.castFile.request} onClose={close} />
      )}
      {dialog === "trust" && command.isForeign && (
        <TrustCastDialog castId={castId} issues={command.issues} onClose={close} />
      )}
      {dialog === "continue" && why.continue === null && <AnswerDialog cast={cast} view={view} onClose={close} />}
      {dialog === "raise" && why.raise === null && <RaiseLimitDialog cast={cast} view={view} onClose={close} />}
    </div>
  );
}

type DisabledReasons = Readonly<Record<"continue" | "resume" | "raise" | "abort", string | null>>;

function disabledReasonsFor(status: CastStatus): DisabledReasons {
  const over = status === "completed" || status === "not_satisfied";
  const stopped = status === "failed" || status === "aborted" || status === "interrupted";
  return {
    continue: status === "waiting" ? null : "This cast does not wait for you",
    resume: stopped
      ? null
      : over
        ? "The cast has ended"
        : status === "queued"
          ? "The cast waits for a worker"
          : "The cast is running",
    raise: over ? "The cast has ended" : null,
    abort: status === "running" || status === "waiting" || status === "queued" ? null : "The cast is not running",
  };
}
