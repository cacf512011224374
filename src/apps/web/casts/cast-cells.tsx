import type { ReactElement, ReactNode } from "react";
import { MAX_ITEM_CELLS, type CastSummary } from "../../../core/cast/summary.ts";
import { parseMillis } from "../../../core/model/text.ts";
import { ACTION_LABELS, actionsFor, rowActionOf } from "../../../core/view/cast-actions.ts";
import { castWorkTime } from "../../../core/view/cast-list.ts";
import { ageText, amountText, costText, doneCountText, momentText, workTimeText } from "../../../core/view/numbers.ts";
import { needsPerson, waitReasonText, type WaitReason } from "../../../core/view/progress/fleet-status.ts";
import { Button, Menu } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { fleetCastText, ItemCells } from "../ui/status.tsx";
import type { CastListProps } from "./cast-table.tsx";
import castsSheet from "./casts.module.css";

const css = bindSheets(castsSheet);

/** Columns that a person may hide; the others name and act. `isRoomy` ones need a wide page. */
export const CAST_COLUMNS = [
  { key: "cast", title: "Cast", className: css("cast-column"), isRoomy: true },
  { key: "loadout", title: "Loadout", className: css("loadout-column"), isRoomy: true },
  { key: "model", title: "Model", className: css("loadout-column"), isRoomy: true },
  { key: "items", title: "Items done", className: css("items-column"), isRoomy: false },
  { key: "visits", title: "Visits", className: css("number-column number"), isRoomy: true },
  { key: "tokens", title: "Tokens", className: css("number-column number"), isRoomy: true },
  { key: "cost", title: "Cost", className: css("number-column number"), isRoomy: false },
  { key: "duration", title: "Duration", className: css("number-column number"), isRoomy: true },
  { key: "age", title: "Age", className: css("number-column number"), isRoomy: false },
] as const;

export type CastColumn = (typeof CAST_COLUMNS)[number];

export const CELL_TITLES: Readonly<Partial<Record<CastColumn["key"], (cast: CastSummary) => string>>> = {
  cast: ({ castId }) => castId,
  model: ({ model = "" }) => model,
  tokens: ({ tokens }) => `${tokens} tokens`,
  age: ({ startedAt }) => momentText(startedAt),
};

export const CAST_CELLS: Readonly<Record<CastColumn["key"], (cast: CastSummary, now: number) => ReactNode>> = {
  // The last part of an id tells casts apart; commands take it too.
  cast: ({ castId }) => <code className={css("faint")}>{castId.replace(/^\d{8}-\d{6}-/, "")}</code>,
  loadout: ({ loadout }) => <span className={css("secondary cut cell-text")}>{renderSymbols(loadout)}</span>,
  model: ({ model = "" }) => <span className={css("secondary cut cell-text")}>{model.replace(/^.*\//, "")}</span>,
  items: (cast) => <ItemsDone cast={cast} />,
  visits: ({ visits }) => <span className={css("secondary")}>{visits}</span>,
  tokens: ({ tokens }) => <span className={css("secondary")}>{amountText(tokens)}</span>,
  cost: ({ cost }) => <span className={css("secondary")}>{costText(cost)}</span>,
  duration: (cast, now) => (
    // A wait stands below the time of work.
    <span className={css("secondary lines")}>{workTimeText(castWorkTime(cast, now)).replace(" · ", "\n")}</span>
  ),
  age: ({ startedAt }, now) => <span className={css("secondary")}>{ageText(now - parseMillis(startedAt, now))}</span>,
};

/** [B26, B29] Submitter and worker of a fleet's cast, or why it waits. */
export function FleetDetails(
  props: Pick<CastListProps, "waits"> & { readonly cast: CastSummary },
): ReactElement | null {
  const { castId, fleet, blocked, status } = props.cast;
  if (!fleet) return null;
  const words = fleetCastText(fleet);
  const { queue = "", why = null } = props.waits.find((cast) => cast.castId === castId) ?? {};
  // A cast that no worker can take says so, at any position in the queue.
  const reason: WaitReason | null = blocked === undefined ? why : { kind: "blocked", why: blocked };
  const reasonText = status === "queued" && reason && reason.kind !== "soon" ? waitReasonText(reason, queue) : null;
  return (
    <span className={css("whose faint cut")} title={reasonText ?? words}>
      {words}
      {reason && reasonText !== null && (
        <span className={css(needsPerson(reason) ? "tone-rework" : "secondary")}>{` · ${reasonText}`}</span>
      )}
    </span>
  );
}

export function ItemsDone({ cast }: { readonly cast: CastSummary }): ReactElement {
  const { done, total, givenUp = 0 } = cast.items;
  if (total === 0)
    return (
      <span className={css("faint")} title="No items" aria-label="no items" role="img">
        –
      </span>
    );
  const current = cast.status === "failed" ? "failed" : "current";
  const ended = cast.status === "completed" || cast.status === "not_satisfied";
  // The list has only the number of given-up items: draw them after the done ones.
  const at = Array.from({ length: Math.min(givenUp, MAX_ITEM_CELLS) }, (_, index) => done + index);
  const skipped = { count: givenUp, at };
  return (
    <span className={css("one-line")}>
      <ItemCells
        most={10}
        items={{ done, size: total, reworked: [], givenUp: skipped, ...(ended ? {} : { current }) }}
      />
      <span className={css("secondary")}>{doneCountText(cast.items)}</span>
    </span>
  );
}

/** [W43] The first action as a button, the others in a menu. */
export function RowActions(props: CastListProps & { readonly cast: CastSummary }): ReactElement {
  const { cast, archived, onAct, busy } = props;
  const { action, label } = rowActionOf(cast.status);
  const { main, more } = actionsFor({
    status: cast.status,
    isOnFleet: cast.fleet !== undefined,
    isApart: (cast.fleet ?? cast.branch) !== undefined,
  });
  const others = [...main, ...more].filter(
    (each) => each !== action && (cast.status !== "failed" || each !== "resume"),
  );
  const isOver = cast.status !== "running" && cast.status !== "queued";
  return (
    <span className={css("row row-actions")}>
      <Button
        onClick={() => onAct(cast, action)}
        busy={busy?.kind === "recast" && busy.castId === cast.castId}
        aria-label={`${label} ${cast.request}`}
      >
        {label}
      </Button>
      <Menu
        label={`More actions of ${cast.request}`}
        icon="more"
        items={() => [
          ...others.map((each) => ({ label: ACTION_LABELS[each], act: () => onAct(cast, each) })),
          {
            label: archived.has(cast.castId) ? "Bring back from the archive" : "Archive",
            act: () => onAct(cast, "archive"),
          },
          ...(isOver && !cast.fleet ? [{ label: "Delete", act: () => onAct(cast, "delete") }] : []),
        ]}
      />
    </span>
  );
}
