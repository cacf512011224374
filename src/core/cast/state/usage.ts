import * as v from "valibot";
import { wholeNumber } from "../../model/values/number.ts";
import type { CastState } from "./state.ts";

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
