import * as v from "valibot";
import { readonlyObject, wholeNumber } from "../../model/schemas.ts";
import type { CastState } from "./state.ts";
import { parentCastId, type CastId } from "../../model/ids.ts";
import type { CastEvent } from "./event.ts";

/** The cost of turns: tokens as the provider counts them, cost in dollars. */
export const Usage = readonlyObject({
  input: v.number(),
  output: v.number(),
  cost: v.number(),
  /** [A30] Set if a part of it is estimated, because the provider did not report it. */
  estimated: v.exactOptional(v.literal(true)),
});
export type Usage = v.InferOutput<typeof Usage>;

const count = wholeNumber(0);

/** Totals for a listing, stored in events so that it need not read the whole journal. */
export const Totals = v.object({
  visits: count,
  itemsDone: count,
  items: count,
  itemsGivenUp: v.exactOptional(count),
  tokens: v.number(),
  cost: v.number(),
});
export type Totals = v.InferOutput<typeof Totals>;

export const NO_USAGE: Usage = { input: 0, output: 0, cost: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cost: a.cost + b.cost, ...estimatedIn(a, b) };
}

export function subtractUsage(a: Usage, b: Usage): Usage {
  return { input: a.input - b.input, output: a.output - b.output, cost: a.cost - b.cost, ...estimatedIn(a) };
}

function estimatedIn(...usages: readonly Usage[]): Pick<Usage, "estimated"> {
  return usages.some(({ estimated }) => estimated) ? { estimated: true } : {};
}

/** Tokens or dollars that no turn uses. */
const IMPOSSIBLE_AMOUNT = 1e11;

/** [A30] An amount as a provider reports it: negative counts as 0; undefined if it is no possible number. */
export function reportedAmount(value: unknown): number | undefined {
  const isPossible = typeof value === "number" && Number.isFinite(value) && value < IMPOSSIBLE_AMOUNT;
  return isPossible ? Math.max(0, value) : undefined;
}

/** [A30] Usage of a host that may be wrong: a journal with such a figure could not be read again. */
export function soundUsage({ input, output, cost, estimated }: Usage): Usage {
  const [tokensIn, tokensOut, dollars] = [reportedAmount(input), reportedAmount(output), reportedAmount(cost)];
  const isKnown = tokensIn !== undefined && tokensOut !== undefined && dollars !== undefined;
  return {
    input: tokensIn ?? 0,
    output: tokensOut ?? 0,
    cost: dollars ?? 0,
    ...(isKnown && estimated !== true ? {} : { estimated: true }),
  };
}

const BYTES_PER_TOKEN = 4;

/** [A30] About four bytes are a token, in most languages and for code. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / BYTES_PER_TOKEN);
}

export function maxUsage(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cost: Math.max(a.cost, b.cost),
    ...estimatedIn(a, b),
  };
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.output;
}

export function totalsOf(state: Pick<CastState, "done" | "usage">): Totals {
  return { ...state.done, tokens: totalTokens(state.usage), cost: state.usage.cost };
}

export function hasTotals(events: readonly CastEvent[]): boolean {
  return events.some((event) => "totals" in event);
}

/** [C36] The last stored totals plus later usage. They must equal the totals of `apply`, or a listing differs from the cast. */
export function totalsFromLastEvents(castId: CastId, events: readonly CastEvent[]): Totals {
  const from = events.findLastIndex((event) => "totals" in event);
  const lastWithTotals = events[from];
  const stored = lastWithTotals && "totals" in lastWithTotals ? lastWithTotals.totals : undefined;
  let totals: Totals = stored ?? { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };
  let gaveUp = false;
  for (const event of events.slice(from + 1)) {
    const usage = uncountedUsage(event);
    if (usage) totals = { ...totals, tokens: totals.tokens + totalTokens(usage), cost: totals.cost + usage.cost };
    // The cast of one item walks one item of the list.
    if (event.type === "loop_entered")
      totals = { ...totals, items: totals.items + (parentCastId(castId) === undefined ? event.size : 1) };
    if (event.type === "item_given_up") totals = { ...totals, itemsGivenUp: (totals.itemsGivenUp ?? 0) + 1 };
    if (event.type === "cursor_advanced") totals = { ...totals, itemsDone: totals.itemsDone + (gaveUp ? 0 : 1) };
    gaveUp = event.type === "item_given_up";
  }
  return totals;
}

/** Usage of a turn that no total has counted. An approved reply was counted as its turn. */
function uncountedUsage(event: CastEvent): Usage | undefined {
  if (!("usage" in event) || event.type === "spent_elsewhere" || ("approved" in event && event.approved))
    return undefined;
  const isNoTurn = event.type === "turn_failed" && (event.reason === "utility" || event.reason === "rehearsal");
  return isNoTurn ? undefined : event.usage;
}
