import { limitHitIn } from "./limits/limits.ts";
import { resumeParallelRun } from "./items/apply-items.ts";
import type { EventOf } from "./state/event.ts";
import type { TurnReason, CastState, PersonDecision, CastPhase, TurnUsage, Visit } from "./state/state.ts";
import { addUsage, maxUsage } from "./state/usage.ts";

export function resumeState(state: CastState, { usage }: EventOf<"cast_resumed">): CastState {
  const stood = phaseBeforeStop(state.phase);
  const phase: CastPhase = stood.kind === "forked" ? { ...stood, fork: resumeParallelRun(stood.fork, state.seq + 1) } : stood;
  if (usage === undefined || phase.kind !== "visiting") return { ...state, phase };
  return addPartialTurn({ ...state, phase }, phase, { usage, ms: 0 });
}

function phaseBeforeStop(phase: CastPhase): CastPhase {
  return phase.kind === "ended" || phase.kind === "failing" ? phaseBeforeStop(phase.before) : phase;
}

export function endState(state: CastState, { outcome, reason }: EventOf<"cast_ended">): CastState {
  const { phase } = state;
  if (phase.kind === "ended") throw new Error("a cast ends once");
  const before = phase.kind === "failing" ? phase.before : phase;
  const reached = phase.kind === "failing" && phase.failure.kind === "limit" ? phase.failure.reached : null;
  return { ...state, phase: { kind: "ended", outcome, reason, limit: limitHitIn(phase), reached, before } };
}

/** Paid for and not finished: it counts, and the turn is still to be had. */
export function addPartialTurn(
  state: CastState,
  { visit, ask }: { visit: Visit; ask: TurnReason | PersonDecision },
  { usage, ms }: TurnUsage,
): CastState {
  const turn = { usage: addUsage(visit.turn.usage, usage), ms: visit.turn.ms + ms };
  return {
    ...state,
    usage: addUsage(state.usage, usage),
    largest: maxUsage(state.largest, turn.usage),
    phase: { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage), turn }, ask },
  };
}
