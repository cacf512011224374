import { MAX_ITEM_CELLS, type ItemCounts } from "../../cast/summary.ts";
import type { GivenUpItems } from "../../cast/timeline.ts";
import { toned, type Line, type Span } from "../line.ts";
import { doneCountText } from "../numbers.ts";

export type ItemCell = "done" | "reworked" | "given_up" | "current" | "current_reworked" | "failed" | "to_come";

export interface ItemProgress {
  readonly done: number;
  readonly size: number;
  readonly reworked: readonly number[];
  readonly givenUp: GivenUpItems;
  /** The current item; absent after the last one. */
  readonly current?: "current" | "failed";
}

/** One cell per item; none if there are too many to count at a glance. */
export function itemCells({ done, size, reworked, givenUp, current }: ItemProgress): readonly ItemCell[] {
  if (size > MAX_ITEM_CELLS) return [];
  const passed = done + givenUp.count;
  return Array.from({ length: size }, (_, index): ItemCell => {
    if (givenUp.at.includes(index)) return "given_up";
    if (index < passed) return reworked.includes(index) ? "reworked" : "done";
    if (index > passed || current === undefined) return "to_come";
    return current === "current" && reworked.includes(index) ? "current_reworked" : current;
  });
}

const CELL_SYMBOLS: Readonly<Record<ItemCell, Span>> = {
  done: { text: "■", tone: "ok" },
  reworked: { text: "▣", tone: "rework" },
  given_up: { text: "⊠", tone: "bad" },
  current: { text: "◧", tone: "accent" },
  current_reworked: { text: "◧", tone: "rework" },
  failed: { text: "▨", tone: "bad" },
  to_come: { text: "□", tone: "dim" },
};

/** The figures of a list. */
export function progressCounts({ done, size, givenUp }: ItemProgress): ItemCounts {
  return { done, total: size, givenUp: givenUp.count };
}

/** The cells, or a bar of the same width, and the number of items done. */
export function itemProgressLine(items: ItemProgress): Line {
  const drawn = items.size > MAX_ITEM_CELLS ? progressBar(items) : itemCells(items).map((cell) => CELL_SYMBOLS[cell]);
  return [...drawn, toned("plain", `${items.size === 0 ? "" : " "}${doneCountText(progressCounts(items))}`)];
}

function progressBar({ done, size, givenUp, current }: ItemProgress): Line {
  const filled = Math.floor(((done + givenUp.count) / size) * MAX_ITEM_CELLS);
  const lost = givenUp.count === 0 ? 0 : Math.min(filled, Math.ceil((givenUp.count / size) * MAX_ITEM_CELLS));
  const now = current !== undefined && filled < MAX_ITEM_CELLS ? [CELL_SYMBOLS[current]] : [];
  return [
    toned("ok", "█".repeat(filled - lost)),
    toned("bad", "▒".repeat(lost)),
    ...now,
    toned("dim", "░".repeat(MAX_ITEM_CELLS - filled - now.length)),
  ].filter(({ text }) => text !== "");
}
