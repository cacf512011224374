import * as v from "valibot";
import type { Totals } from "./event.ts";
import type { CastState } from "./state.ts";

/** What turns cost; tokens as the provider counts them, cost in dollars. */
export const Usage = v.pipe(v.object({ input: v.number(), output: v.number(), cost: v.number() }), v.readonly());
export type Usage = v.InferOutput<typeof Usage>;

export const NO_USAGE: Usage = { input: 0, output: 0, cost: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cost: a.cost + b.cost };
}

/** The most of each. */
export function larger(a: Usage, b: Usage): Usage {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cost: Math.max(a.cost, b.cost),
  };
}

export function tokensOf(usage: Usage): number {
  return usage.input + usage.output;
}

export function totalsOf(state: Pick<CastState, "done" | "usage">): Totals {
  return { ...state.done, tokens: tokensOf(state.usage), cost: state.usage.cost };
}
