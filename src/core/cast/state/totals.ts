import type { Totals } from "./event.ts";
import type { CastState } from "./state.ts";
import { tokensOf } from "./usage.ts";

export function totalsOf(state: Pick<CastState, "done" | "usage">): Totals {
  return { ...state.done, tokens: tokensOf(state.usage), cost: state.usage.cost };
}
