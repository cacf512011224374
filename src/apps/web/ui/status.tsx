import type { ReactElement } from "react";
import { statusText } from "../../../core/view/cast-list.ts";
import { Icon, type IconName } from "./icons.tsx";
import { css } from "./classes.ts";
import { itemCells, type ItemCell, type ItemProgress } from "../../../core/view/progress/item-progress.ts";
import { MAX_ITEM_CELLS, type CastStatus, type CastSummary } from "../../../core/cast/summary.ts";

const STATUS_LOOKS = {
  running: { icon: "running", tone: "running" },
  waiting: { icon: "waiting", tone: "waiting-tone" },
  sleeping: { icon: "waiting", tone: "waiting-tone" },
  paused: { icon: "waiting", tone: "rework" },
  completed: { icon: "tick", tone: "good" },
  not_satisfied: { icon: "not_satisfied", tone: "rework" },
  failed: { icon: "cross", tone: "bad" },
  aborted: { icon: "aborted", tone: "off" },
  interrupted: { icon: "interrupted", tone: "off" },
  queued: { icon: "queued", tone: "off" },
} as const satisfies Record<CastStatus, { readonly icon: IconName; readonly tone: string }>;

export function CastStatusLabel({ status }: { readonly status: CastStatus }): ReactElement {
  const { icon, tone } = STATUS_LOOKS[status];
  return (
    <span className={css(`status ${tone}`)}>
      <Icon name={icon} />
      {capitalize(statusText(status))}
    </span>
  );
}

/** [B26] Submitter and worker of a fleet's cast. */
export function fleetCastText({ project, person, worker }: NonNullable<CastSummary["fleet"]>): string {
  return [project, person, ...(worker === null ? [] : [`on ${worker}`])].join(" · ");
}

export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Messages begin small and end without a stop, as a terminal shows them. */
export function asSentence(text: string): string {
  return `${capitalize(text)}${/[.?!…]$/.test(text) ? "" : "."}`;
}

const CELL_CLASSES = {
  done: "done",
  reworked: "reworked",
  given_up: "given-up",
  current: "current",
  current_reworked: "current-reworked",
  failed: "failed-cell",
  to_come: "",
} as const satisfies Record<ItemCell, string>;

/** One cell per item, or a bar for many items; the text beside it has the same facts. */
export function ItemCells(props: { readonly items: ItemProgress; readonly most?: number }): ReactElement {
  const { items, most = MAX_ITEM_CELLS } = props;
  if (items.size > most) {
    return (
      <span className={css("meter wide-meter")} aria-hidden="true">
        <i style={{ width: `${(100 * items.done) / items.size}%` }} />
        {items.givenUp.count > 0 && (
          <i className={css("given-up")} style={{ width: `${(100 * items.givenUp.count) / items.size}%` }} />
        )}
      </span>
    );
  }
  return (
    <span className={css("cells")} aria-hidden="true">
      {itemCells(items).map((cell, index) => (
        // The index is the key: cells never move.
        <i key={index} className={css(CELL_CLASSES[cell])} />
      ))}
    </span>
  );
}
