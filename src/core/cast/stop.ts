import { hitIn } from "./limits/limits.ts";
import { resumeFork } from "./items/apply-items.ts";
import type { EventOf } from "./state/event.ts";
import type { Ask, CastState, Judged, Phase, TurnUse, Visit } from "./state/state.ts";
import { addUsage, larger } from "./state/usage.ts";

export function resume(state: CastState, { usage }: EventOf<"cast_resumed">): CastState {
  const stood = resumed(state.phase);
  const phase: Phase = stood.kind === "forked" ? { ...stood, fork: resumeFork(stood.fork, state.seq + 1) } : stood;
  if (usage === undefined || phase.kind !== "visiting") return { ...state, phase };
  return inTurn({ ...state, phase }, phase, { usage, ms: 0 });
}

function resumed(phase: Phase): Phase {
  return phase.kind === "ended" || phase.kind === "failing" ? resumed(phase.before) : phase;
}

export function endCast(state: CastState, { outcome, reason }: EventOf<"cast_ended">): CastState {
  const { phase } = state;
  if (phase.kind === "ended") throw new Error("a cast ends once");
  const before = phase.kind === "failing" ? phase.before : phase;
  const reached = phase.kind === "failing" && phase.failure.kind === "limit" ? phase.failure.reached : null;
  return { ...state, phase: { kind: "ended", outcome, reason, limit: hitIn(phase), reached, before } };
}

/** Paid for and not finished: it counts, and the turn is still to be had. */
export function inTurn(
  state: CastState,
  { visit, ask }: { visit: Visit; ask: Ask | Judged },
  { usage, ms }: TurnUse,
): CastState {
  const turn = { usage: addUsage(visit.turn.usage, usage), ms: visit.turn.ms + ms };
  return {
    ...state,
    usage: addUsage(state.usage, usage),
    largest: larger(state.largest, turn.usage),
    phase: { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage), turn }, ask },
  };
}
