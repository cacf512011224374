import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { line } from "../../core/view/line.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import type { CommandResult } from "./command-output.ts";
import { totalTokens } from "../../core/cast/state/usage.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../store/cast-store.ts";
import { readCastState, recordEvents } from "../casting/record-events.ts";

export async function runBudget(workspace: Workspace, { castId, tokens }: CommandOf<"budget">): CommandResult {
  const id = await findCast(workspace.store, castId);
  if (!id.ok) return id;
  const { fleet } = workspace;
  const raised = fleet && tokens !== undefined ? await fleet.raiseBudget(id.value, tokens) : ok(undefined);
  if (!raised.ok) return raised;
  const figures = await changeBudget(workspace.store, id.value, fleet ? undefined : tokens);
  if (!figures.ok) return figures;
  const { maxTokens, maxCostUsd, tokens: used, cost } = figures.value;
  const dollars = `$${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${used} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return ok({ code: 0, data: figures.value, lines: () => [line(text)] });
}

export interface BudgetFigures {
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
  readonly tokens: number;
  readonly cost: number;
}

/** Shows the budget of a cast; with a number, sets it for this cast only. */
async function changeBudget(
  store: CastStore,
  castId: CastId,
  tokens: number | undefined,
): Promise<Result<BudgetFigures>> {
  const cast = await readCastState(store, castId);
  if (!cast.ok) return cast;
  const state = cast.value;
  if (tokens === undefined) return ok(budgetFigures(state));
  // [J17] A cast that cannot be resumed gets no further events.
  if (state.phase.kind === "ended" && (state.phase.outcome === "completed" || state.phase.outcome === "not_satisfied"))
    return failWith("cast_finished", castId, `this cast has ended: ${state.phase.outcome.replace("_", " ")}`);
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
