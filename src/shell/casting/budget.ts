import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { totalTokens } from "../../core/cast/state/usage.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../store/cast-store.ts";
import { readCastState } from "./cast-state.ts";
import { recordEvents } from "./record.ts";

export interface BudgetFigures {
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
  readonly tokens: number;
  readonly cost: number;
}

/** What a cast has used and may use; with a number, for this cast only, raised or lowered to it. */
export async function changeBudget(
  store: CastStore,
  castId: CastId,
  tokens: number | undefined,
): Promise<Result<BudgetFigures>> {
  const cast = await readCastState(store, castId);
  if (!cast.ok) return cast;
  const state = cast.value;
  if (tokens === undefined) return ok(budgetFigures(state));
  // [J17] Nothing follows the end of a cast that nobody can resume.
  if (state.phase.kind === "ended" && (state.phase.outcome === "completed" || state.phase.outcome === "not_satisfied"))
    return fail(error("cast_is_over", castId, `this cast has ended: ${state.phase.outcome.replace("_", " ")}`));
  const raised = await recordEvents(store, castId, [{ type: "limits_raised", maxTokens: tokens }]);
  return raised.ok ? ok(budgetFigures(raised.value)) : raised;
}

function budgetFigures({ budget, usage }: CastState): BudgetFigures {
  return {
    maxTokens: budget.maxTokens ?? null,
    maxCostUsd: budget.maxCostUsd ?? null,
    tokens: totalTokens(usage),
    cost: usage.cost,
  };
}
