import { toned } from "../text/line.ts";
import type { Line, Span } from "../text/line.ts";

/** More items than this are drawn as a bar. */
export const CELLS_SHOWN = 24;

export type Cell = "done" | "reworked" | "current" | "current_reworked" | "failed" | "to_come";

export interface Items {
  readonly done: number;
  readonly size: number;
  readonly reworked: readonly number[];
  /** What the item in hand is; absent when the walk is over. */
  readonly current?: "current" | "failed";
}

/** One cell per item; none where there are too many to count at a glance. */
export function cellsOf({ done, size, reworked, current }: Items): readonly Cell[] {
  if (size > CELLS_SHOWN) return [];
  return Array.from({ length: size }, (_, index): Cell => {
    if (index < done) return reworked.includes(index) ? "reworked" : "done";
    if (index > done || current === undefined) return "to_come";
    return current === "current" && reworked.includes(index) ? "current_reworked" : current;
  });
}

const CELL: Readonly<Record<Cell, Span>> = {
  done: { text: "■", tone: "ok" },
  reworked: { text: "▣", tone: "rework" },
  current: { text: "◧", tone: "accent" },
  current_reworked: { text: "◧", tone: "rework" },
  failed: { text: "▨", tone: "bad" },
  to_come: { text: "□", tone: "dim" },
};

/** The cells, or a bar of as many columns; always followed by how many are done. */
export function itemsLine(items: Items): Line {
  const drawn = items.size > CELLS_SHOWN ? barOf(items) : cellsOf(items).map((cell) => CELL[cell]);
  return [...drawn, toned("plain", `${items.size === 0 ? "" : " "}${items.done} of ${items.size}`)];
}

function barOf({ done, size, current }: Items): Line {
  const filled = Math.floor((done / size) * CELLS_SHOWN);
  const now = current !== undefined && filled < CELLS_SHOWN ? [CELL[current]] : [];
  return [toned("ok", "█".repeat(filled)), ...now, toned("dim", "░".repeat(CELLS_SHOWN - filled - now.length))].filter(
    ({ text }) => text !== "",
  );
}
