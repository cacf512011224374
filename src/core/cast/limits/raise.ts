import type { EventOf } from "../state/event.ts";
import type { CastState, Phase } from "../state/state.ts";
import { addTo } from "../state/traversals.ts";
import { hitIn } from "./limits.ts";
import type { ReworkDecision } from "../../command/command.ts";
import type { Fork } from "../state/fork.ts";
import { forgiven } from "./returns.ts";
import { withHint } from "./rework-limit.ts";

export function raiseLimits(state: CastState, event: EventOf<"limits_raised">): CastState {
  const { maxTokens, maxCostUsd, allow, hint } = event;
  const budget = {
    ...state.budget,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
  };
  const raised = { ...state, budget, warned: false };
  const decision = decisionIn(event);
  if (!isForked(state.phase)) return allowMore({ ...raised, handed: withHint(state, hint) }, allow ?? 0);
  // [R6] What was sent back is in the cast of an item, which learns of it when it goes on.
  const phase = decision ? inFork(state.phase, (fork) => ({ ...fork, decision })) : state.phase;
  return allowMore({ ...raised, phase }, allow ?? 0);
}

function decisionIn({ hint, items }: EventOf<"limits_raised">): ReworkDecision | undefined {
  if (hint !== undefined) return { kind: "hint", text: hint };
  return items && { kind: items };
}

/** [G8, G10] What stopped the cast may happen so many times more. */
function allowMore(state: CastState, times: number): CastState {
  const hit = hitIn(state.phase);
  if (!hit || times === 0) return state;
  if (isForked(state.phase)) {
    const below = { ...state, phase: allowedBelow(state.phase, times) };
    const isConflict = hit.limit === "maxConflicts" && hit.scope !== undefined;
    return isConflict ? { ...below, ...addTo(below, "allowed", hit.scope, times) } : below;
  }
  if ("at" in hit) return hit.at === undefined ? state : { ...state, counts: forgiven(state, hit.at, times) };
  return hit.scope ? { ...state, ...addTo(state, "allowed", hit.scope, times) } : state;
}

/** [V12] Of every item that a limit stopped: its own cast learns how often more, when it goes on. */
function allowedBelow(phase: Phase, times: number): Phase {
  return inFork(phase, (fork) => ({ ...fork, allow: fork.allow + times }));
}

function inFork(phase: Phase, change: (fork: Fork) => Fork): Phase {
  if (phase.kind === "forked") return { ...phase, fork: change(phase.fork) };
  return phase.kind === "ended" || phase.kind === "failing"
    ? { ...phase, before: inFork(phase.before, change) }
    : phase;
}

function isForked(phase: Phase): boolean {
  return phase.kind === "ended" || phase.kind === "failing" ? isForked(phase.before) : phase.kind === "forked";
}
