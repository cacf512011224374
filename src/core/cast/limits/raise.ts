import type { EventOf } from "../state/event.ts";
import type { CastState, Phase } from "../state/state.ts";
import { addTo } from "../state/traversals.ts";
import { hitIn } from "./limits.ts";
import { forgiven } from "./returns.ts";
import { withHint } from "./rework-limit.ts";

export function raiseLimits(state: CastState, event: EventOf<"limits_raised">): CastState {
  const { maxTokens, maxCostUsd, allow, hint } = event;
  const budget = {
    ...state.budget,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
  return allowMore({ ...state, budget, warned: false, handed: withHint(state, hint) }, allow ?? 0);
}

/** [G8, G10] What stopped the cast may happen so many times more. */
function allowMore(state: CastState, times: number): CastState {
  const hit = hitIn(state.phase);
  if (!hit || times === 0) return state;
  if (hit.limit !== "maxConflicts" && isForked(state.phase))
    return { ...state, phase: allowedBelow(state.phase, times) };
  if ("at" in hit) return hit.at === undefined ? state : { ...state, counts: forgiven(state, hit.at, times) };
  return hit.scope ? addTo(state, "allowed", hit.scope, times) : state;
}

/** [V12] The limit was one of an item: its own cast learns how often more, when it goes on. */
function allowedBelow(phase: Phase, times: number): Phase {
  if (phase.kind === "forked") return { ...phase, fork: { ...phase.fork, allow: phase.fork.allow + times } };
  return phase.kind === "ended" || phase.kind === "failing"
    ? { ...phase, before: allowedBelow(phase.before, times) }
    : phase;
}

function isForked(phase: Phase): boolean {
  return phase.kind === "ended" || phase.kind === "failing" ? isForked(phase.before) : phase.kind === "forked";
}
