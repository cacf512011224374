import { useState, type ReactElement, type ReactNode } from "react";
import { amountText, durationText, costText, itemsDoneText } from "../../../core/view/numbers.ts";
import { countOfLimitText } from "../../../core/cast/failure-text.ts";
import { currentRework } from "../../../core/view/progress/cast-path.ts";
import { oneLine } from "../../../core/model/text.ts";
import { Icon } from "../ui/icons.tsx";
import { CastStatusLabel } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import type { CastPanelProps, CastView } from "../cast-replay/use-cast-view.ts";
import { bindSheets } from "../ui/classes.ts";
import nodeSheet from "../graph/nodes.module.css";
import castSheet from "./cast.module.css";
import { Button } from "../ui/buttons.tsx";
import { ActionButtons, ActionMenu, useCastActions } from "./cast-actions.tsx";
import { useCommand } from "../data/use-command.ts";
import { ModelField } from "../dialogs/cast-fields.tsx";

const css = bindSheets(castSheet, nodeSheet);

export function CastHead(props: CastPanelProps & { readonly dialogToOpen: string | null }): ReactElement {
  const { cast, view, dialogToOpen } = props;
  const { board } = view;
  const { castFile } = cast;
  const actions = useCastActions({ cast, view, dialogToOpen });
  // The choices of a failed cast stand beside the reason.
  const isStopped = view.latest.status === "failed" && view.at === null;
  return (
    <div className={css("cast-head")}>
      <nav className={css("crumbs")} aria-label="Breadcrumb">
        <a href={hrefOf("casts")}>Casts</a>
        <span aria-hidden="true">/</span>
        {castFile.window && (
          <>
            <a href={hrefOf("casts", castFile.window.parent)}>{oneLine(castFile.request, 60)}</a>
            <span aria-hidden="true">/</span>
            <span>{`Item ${castFile.window.index + 1}${castFile.window.attempt > 1 ? `, attempt ${castFile.window.attempt}` : ""}`}</span>
            <span aria-hidden="true">·</span>
          </>
        )}
        <code>{castFile.castId}</code>
        <span aria-hidden="true">·</span>
        <LoadoutLink cast={cast} name={board.loadout} />
        {cast.isForeign && !castFile.window && (
          <span className={css("badge")} title="This cast was started by somebody else or on another machine">
            Started elsewhere
          </span>
        )}
        <FleetFacts castId={castFile.castId} />
        {castFile.rehearsal !== null && <span className={css("badge")}>Rehearsal</span>}
      </nav>
      <CastTitle cast={cast} view={view} />
      <div className={css("actions")} role="group" aria-label="Cast">
        {!isStopped && (
          // The banner of a sleeping cast has the button that wakes it.
          <ActionButtons {...actions} main={actions.main.filter((each) => each !== "resume" || !view.latest.asleep)} />
        )}
        <ActionMenu castId={castFile.castId} actions={actions} />
      </div>
      <CastFigures cast={cast} view={view} />
      <StatusNote view={view}>
        {isStopped && (
          <div className={css("row wrap choices")} role="group" aria-label="Choices">
            <ActionButtons {...actions} />
          </div>
        )}
      </StatusNote>
      <SleepBanner cast={cast} view={view} />
      {actions.dialog}
    </div>
  );
}

/** The request, or the item of an item's cast. A long one opens with a click. */
function CastTitle({ cast, view: { allVisits: visits } }: CastPanelProps): ReactElement {
  const { request, window: item } = cast.castFile;
  const [isOpen, setOpen] = useState(false);
  const title = item && visits[0]?.item?.title;
  const text = title ?? request;
  const isLong = text.length > 90 || text.includes("\n");
  return (
    <div className={css("title-row")}>
      <h1 className={css(isOpen ? "whole-title" : "cut")} dir="auto">
        {text}
      </h1>
      {isLong && (
        <Button look="bare" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </Button>
      )}
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
function CastFigures({ cast, view }: CastPanelProps): ReactElement {
  const { board, trail } = view;
  // The journal counts a visit at its end, and those of an item when it is merged.
  const inItems = [...view.itemVisits.values()].reduce((sum, all) => sum + all.length, 0);
  const visits = Math.max(board.visits, view.visits.length + inItems);
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
      {!board.item && board.items.total > 0 && !cast.castFile.window && (
        <span>
          <b>{itemsDoneText(board.items)}</b>
        </span>
      )}
      <span className={css("figures-only")}>
        <b>{visits}</b> {visits === 1 ? "visit" : "visits"}
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
function StatusNote({ view, children }: { readonly view: CastView; readonly children: ReactNode }): ReactElement {
  const { board } = view;
  return (
    <>
      {board.reason !== null && board.status !== "completed" && (
        <div
          className={css(
            `cast-reason note ${board.status === "failed" ? "bad" : board.status === "not_satisfied" ? "rework" : ""}`,
          )}
        >
          <p dir="auto">{renderSymbols(board.reason)}</p>
          {children}
        </div>
      )}
      {board.question !== null && view.at === null && (
        <p className={css("cast-reason note waiting-tone")}>
          <b>{`${board.position?.materia ?? ""} waits for you: `}</b>
          <span dir="auto">{oneLine(questionLine(board.question), 200)}</span>
        </p>
      )}
    </>
  );
}

/** The last line that asks; a question may end with the text that it is about. */
function questionLine(question: string): string {
  const lines = question.trim().split("\n");
  return lines.findLast((line) => line.includes("?")) ?? lines[0] ?? "";
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

/** [Z11] Who refuses and how long, and how to continue before that. */
function SleepBanner({ cast, view }: CastPanelProps): ReactElement | null {
  const [model, setModel] = useState("");
  const command = useCommand();
  const { asleep, status } = view.latest;
  if (!asleep || view.at !== null) return null;
  const { castId } = cast.castFile;
  const named = model.trim();
  const wake = (): void => {
    const options = named === "" ? {} : { options: { model: named } };
    void command.run({ kind: "recast", castId }, "The cast continues", options);
  };
  return (
    <div className={css("cast-reason note waiting-tone")} role="status">
      <p>
        <b>{`${asleep.text}. `}</b>
        <span>
          {status === "sleeping"
            ? "The cast continues by itself; nothing is lost."
            : "The cast is paused; nothing is lost. Wake it when the provider answers again."}
        </span>
      </p>
      <div className={css("actions")}>
        <ModelField named="Another model" value={model} onType={setModel} />
        <Button busy={command.busy !== null} onClick={wake}>
          {named === "" ? "Wake now" : "Use this model"}
        </Button>
      </div>
    </div>
  );
}
