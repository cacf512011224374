import type { Totals } from "../cast/state/usage.ts";
import { amountText, costText, countedText, itemCounts, itemsDoneText, type ItemCounts } from "./numbers.ts";
import { line, toned, type Line } from "./text/line.ts";

/** [C36] What a cast has come to: the same figures in a listing, in its status and in its story. */
export interface CastFigures {
  readonly visits: number;
  /** Over all lists of the cast. */
  readonly items: ItemCounts;
  readonly tokens: number;
  readonly cost: number;
}

export function castFigures(totals: Totals): CastFigures {
  const { visits, tokens, cost } = totals;
  return { visits, items: itemCounts(totals), tokens, cost };
}

/** `4 visits · 1 of 3 items done · 821 tokens · $0.00`; items where there are any. */
export function figuresText({ visits, items, tokens, cost }: CastFigures): string {
  return [
    countedText(visits, "visit"),
    ...(items.total === 0 ? [] : [itemsDoneText(items)]),
    `${amountText(tokens)} tokens`,
    costText(cost),
  ].join(" · ");
}

/** [C36] What was rehearsed says so where its figures stand, which would be others with a model. */
export function figuresLine(text: string, rehearsed: boolean | undefined): Line {
  return line(toned("dim", `${text}${rehearsed ? " · " : ""}`), rehearsed ? toned("wait", "rehearsed") : "");
}
