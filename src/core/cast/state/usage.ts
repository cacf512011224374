import * as v from "valibot";
import { wholeNumber } from "../../model/schemas.ts";
import type { CastState } from "./state.ts";
import { parentCastId, type CastId } from "../../model/ids.ts";
import type { CastEvent } from "./event.ts";

/** What turns cost; tokens as the provider counts them, cost in dollars. */
export const Usage = v.pipe(v.object({ input: v.number(), output: v.number(), cost: v.number() }), v.readonly());
export type Usage = v.InferOutput<typeof Usage>;

const count = wholeNumber(0);

/** What a listing needs of a cast, carried along so that it need not read the whole journal. */
export const Totals = v.object({
  visits: count,
  itemsDone: count,
  items: count,
  /** Absent where none was. */
  itemsGivenUp: v.exactOptional(count),
  tokens: v.number(),
  cost: v.number(),
});
export type Totals = v.InferOutput<typeof Totals>;

export const NO_USAGE: Usage = { input: 0, output: 0, cost: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cost: a.cost + b.cost };
}

/** The most of each. */
export function maxUsage(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cost: Math.max(a.cost, b.cost),
  };
}

export function totalTokens(usage: Usage): number {
  return usage.input + usage.output;
}

export function totalsOf(state: Pick<CastState, "done" | "usage">): Totals {
  return { ...state.done, tokens: totalTokens(state.usage), cost: state.usage.cost };
}

/** Whether some event says what the cast had come to by then. */
export function hasTotals(events: readonly CastEvent[]): boolean {
  return events.some((event) => "totals" in event);
}

/**
 * [C36] What a cast has come to, from its last events alone: what the last of them that says so says, and what those
 * behind it added. It must be what `apply` makes of all events, or a listing tells other figures than the cast itself.
 */
export function totalsFromLastEvents(castId: CastId, events: readonly CastEvent[]): Totals {
  const from = events.findLastIndex((event) => "totals" in event);
  const said = events[from];
  const known = said && "totals" in said ? said.totals : undefined;
  let totals: Totals = known ?? { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };
  let gaveUp = false;
  for (const event of events.slice(from + 1)) {
    totals = withUsage(totals, uncountedUsage(event));
    // The cast of one item walks one item, however long the list is.
    if (event.type === "loop_entered")
      totals = { ...totals, items: totals.items + (parentCastId(castId) === undefined ? event.size : 1) };
    if (event.type === "item_given_up") totals = { ...totals, itemsGivenUp: (totals.itemsGivenUp ?? 0) + 1 };
    if (event.type === "cursor_advanced") totals = { ...totals, itemsDone: totals.itemsDone + (gaveUp ? 0 : 1) };
    gaveUp = event.type === "item_given_up";
  }
  return totals;
}

/** What a turn used that no total has counted yet; what a person approved was counted as the turn that said it. */
function uncountedUsage(event: CastEvent): Usage | undefined {
  switch (event.type) {
    case "handoff_accepted":
    case "output_accepted":
      return event.approved ? undefined : event.usage;
    case "turn_failed":
      return event.reason === "utility" || event.reason === "rehearsal" ? undefined : event.usage;
    case "handoff_rejected":
    case "turn_answered":
    case "turn_stopped":
    case "cast_resumed":
      return event.usage;
    default:
      return undefined;
  }
}

function withUsage(totals: Totals, usage: Usage | undefined): Totals {
  return usage ? { ...totals, tokens: totals.tokens + totalTokens(usage), cost: totals.cost + usage.cost } : totals;
}
