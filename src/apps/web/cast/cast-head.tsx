import { useState, type ReactElement } from "react";
import { amountText, durationText, costText, itemsDoneText, workTimeText } from "../../../core/view/numbers.ts";
import { countOfLimitText } from "../../../core/cast/failure-text.ts";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import { currentRework } from "../../../core/view/progress/cast-path.ts";
import { oneLine } from "../../../core/model/text.ts";
import { Icon } from "../ui/icons.tsx";
import { capitalize, CastStatusLabel, fleetCastText } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import type { CastPanelProps } from "../cast-replay/use-cast-view.ts";
import { bindSheets } from "../ui/classes.ts";
import nodeSheet from "../graph/nodes.module.css";
import castSheet from "./cast.module.css";
import { Button } from "../ui/buttons.tsx";
import { ActionButtons, ActionMenu, useCastActions } from "./cast-actions.tsx";
import { useCommand } from "../data/use-command.ts";
import { ModelField } from "../dialogs/cast-fields.tsx";

const css = bindSheets(castSheet, nodeSheet);

export function CastHead(props: CastPanelProps & { readonly dialogToOpen: string | null }): ReactElement {
  const { cast, view } = props;
  const { reason, question, status, position } = view.board;
  const actions = useCastActions(props);
  const isGate = askedPersonMateria(view.trail.state) !== undefined;
  // The choices of a failed cast stand beside the reason.
  const isStopped = view.latest.status === "failed" && view.at === null;
  return (
    <div className={css("cast-head")}>
      <Crumbs cast={cast} view={view} />
      <CastTitle cast={cast} view={view} />
      <div className={css("actions")} role="group" aria-label="Cast">
        {!isStopped && (
          // The banner of a sleeping cast has the button that wakes it.
          <ActionButtons {...actions} main={actions.main.filter((each) => each !== "resume" || !view.latest.asleep)} />
        )}
        <ActionMenu castId={cast.castFile.castId} actions={actions} />
      </div>
      <CastFigures cast={cast} view={view} />
      {reason !== null && status !== "completed" && (
        <div
          className={css(
            `cast-reason note ${status === "failed" ? "bad" : status === "not_satisfied" ? "rework" : ""}`,
          )}
        >
          {/* A long one scrolls: the keyboard must reach it. */}
          <p dir="auto" tabIndex={0}>
            {renderSymbols(capitalize(reason))}
          </p>
          {isStopped && (
            <div className={css("row wrap choices")} role="group" aria-label="Choices">
              <ActionButtons {...actions} />
            </div>
          )}
        </div>
      )}
      {question !== null && view.at === null && (
        <p className={css("cast-reason note waiting-tone")}>
          <b>{`${position?.materia ?? ""} waits for you: `}</b>
          <span dir="auto">{oneLine(questionLine(question, isGate), 200)}</span>
        </p>
      )}
      <SleepBanner cast={cast} view={view} />
      {actions.dialog}
    </div>
  );
}

function Crumbs({ cast, view }: CastPanelProps): ReactElement {
  const { castId, request, window: item, targets, rehearsal } = cast.castFile;
  const { casts } = useCasts();
  const fleet = casts.find((each) => each.castId === castId)?.fleet;
  const [started] = cast.replay.events();
  const origin = started?.type === "cast_started" ? started.forkedFrom : undefined;
  const [only, ...others] = targets;
  const loadout = renderSymbols(view.board.loadout);
  return (
    <nav className={css("crumbs")} aria-label="Breadcrumb">
      <a href={hrefOf("casts")}>Casts</a>
      {item && <a href={hrefOf("casts", item.parent)}>{oneLine(request, 60)}</a>}
      {item && <span>{`Item ${item.index + 1}${item.attempt > 1 ? `, attempt ${item.attempt}` : ""}`}</span>}
      <code>{castId}</code>
      {only?.kind === "loadout" && others.length === 0 ? (
        <a className={css("cut")} href={hrefOf("loadouts", only.name)}>
          {loadout}
        </a>
      ) : (
        <span className={css("cut")}>{loadout}</span>
      )}
      {cast.isForeign && !item && (
        <span className={css("badge")} title="This cast was started by somebody else or on another machine">
          Started elsewhere
        </span>
      )}
      {origin && <a href={hrefOf("casts", origin.castId, { visit: origin.visit })}>{`Forked from ${origin.visit}`}</a>}
      {fleet && <span className={css("cut")}>{fleetCastText(fleet)}</span>}
      {rehearsal !== null && <span className={css("badge")}>Rehearsal</span>}
    </nav>
  );
}

/** The request, or the item of an item's cast. A long one opens with a click. */
function CastTitle({ cast, view }: CastPanelProps): ReactElement {
  const { request, window: item } = cast.castFile;
  const [isOpen, setOpen] = useState(false);
  const text = (item && view.allVisits[0]?.item?.title) ?? request;
  return (
    <div className={css("title-row")}>
      <h1 className={css(isOpen ? "whole-title" : "cut")} dir="auto" tabIndex={isOpen ? 0 : undefined}>
        {text}
      </h1>
      {(text.length > 75 || text.includes("\n")) && (
        <Button look="bare" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </Button>
      )}
    </div>
  );
}

function CastFigures({ cast, view }: CastPanelProps): ReactElement {
  const { board, trail } = view;
  // The journal counts a visit at its end, and those of an item when it is merged.
  const inItems = [...view.itemVisits.values()].reduce((sum, all) => sum + all.length, 0);
  const visits = Math.max(board.visits, view.visits.length + inItems);
  const { budget } = trail.state;
  const rework = board.status === "completed" ? null : currentRework(trail.state);
  const items = board.item
    ? `Item ${board.item.number} of ${board.item.of}`
    : board.items.total > 0 && !cast.castFile.window
      ? itemsDoneText(board.items)
      : null;
  return (
    <div className={css("facts")}>
      {view.at === null ? (
        <CastStatusLabel status={board.status} />
      ) : (
        <b className={css("tone-accent")}>{`At ${durationText(board.elapsedMs)}`}</b>
      )}
      {items !== null && <b>{items}</b>}
      <span className={css("figures-only")}>
        <b>{visits}</b> {visits === 1 ? "visit" : "visits"}
      </span>
      <b title="Time worked">{workTimeText(board)}</b>
      <BudgetMeter have={board.tokens} of={budget.maxTokens} text={amountText} unit=" tokens" />
      <BudgetMeter have={board.cost} of={budget.maxCostUsd} text={costText} unit="" />
      {rework && (
        <span className={css("status rework light")}>
          <Icon name="rework" />
          {`Rework ${rework.of === null ? rework.taken : countOfLimitText(rework.taken, rework.of)}${board.item ? " on this item" : ""}`}
        </span>
      )}
    </div>
  );
}

/** The line that asks, without code and Markdown: the last one of an agent, the first one of a gate, which quotes other texts. */
function questionLine(question: string, isGate: boolean): string {
  const lines = question
    .replace(/^```[^]*?(^```|$(?![^]))/gm, "")
    .trim()
    .split("\n");
  const asking = lines.filter((line) => /[?？؟]\W*$/u.test(line));
  return ((isGate ? asking[0] : asking.at(-1)) ?? lines[0] ?? "").replace(/^[\s#>*-]+|[*`]+/g, "");
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
        <b>{`${capitalize(asleep.text)}. `}</b>
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
