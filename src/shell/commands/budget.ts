import type { CommandOf } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { line } from "../../core/view/line.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { totalTokens } from "../../core/cast/state/usage.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../store/cast-store.ts";
import { recordEvents } from "../casting/record-events.ts";
import { castEnded } from "../casting/resume-refusal.ts";

export async function runBudget(workspace: Workspace, { castId, tokens }: CommandOf<"budget">): CommandResult {
  const id = await findCast(workspace.store, castId);
  if (!id.ok) return id;
  const { fleet } = workspace;
  const raised = fleet && tokens !== undefined ? await fleet.raiseBudget(id.value, tokens) : ok(undefined);
  if (!raised.ok) return raised;
  const cast = await changeBudget(workspace.store, id.value, fleet ? undefined : tokens);
  if (!cast.ok) return cast;
  const { budget, usage } = cast.value;
  const { maxTokens = null, maxCostUsd = null } = budget;
  const figures = { maxTokens, maxCostUsd, tokens: totalTokens(usage), cost: usage.cost };
  const dollars = `$${usage.cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${figures.tokens} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return answer(figures, () => [line(text)]);
}

/** The state of a cast; with a number, its budget is set first, for this cast only. */
async function changeBudget(store: CastStore, castId: CastId, tokens: number | undefined): Promise<Result<CastState>> {
  const cast = await store.current(castId);
  if (!cast.ok) return cast;
  const { state } = cast.value;
  if (tokens === undefined) return ok(state);
  // [J17] A cast that cannot be resumed gets no further events.
  if (state.phase.kind === "ended" && (state.phase.outcome === "completed" || state.phase.outcome === "not_satisfied"))
    return castEnded(castId, state.phase.outcome);
  return recordEvents(store, castId, [{ type: "limits_raised", maxTokens: tokens }]);
}
