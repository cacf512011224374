import { limitHitIn } from "./limits.ts";
import { resumeParallelRun } from "./apply-items.ts";
import type { EventOf, CastEvent } from "./state/event.ts";
import {
  phaseBeforeEnd,
  type TurnReason,
  type CastState,
  type PersonDecision,
  type CastPhase,
  type TurnUsage,
  type Visit,
  type ProviderState,
  type SleepingPhase,
} from "./state/state.ts";
import { addUsage, maxUsage, NO_USAGE, totalTokens } from "./state/usage.ts";
import { addTraversals, withExtraReturns } from "./state/traversal-counts.ts";
import type { ReworkDecision } from "../command/command.ts";
import type { ParallelRun } from "./state/parallel-run.ts";
import { withPersonHint } from "./rework-limit.ts";
import { withoutUndefined } from "../model/json.ts";
import { parseMillis } from "../model/text.ts";
import { addFinishedTurn, type VisitPhase } from "./apply-accepted.ts";
import { expectPhase } from "./state/expect-phase.ts";

export function resumeState(state: CastState, { usage }: EventOf<"cast_resumed">): CastState {
  const stood = withoutModel(phaseBeforeEnd(state.phase));
  const providers = { ...state.providers, refused: {} };
  const phase: CastPhase =
    stood.kind === "forked" ? { ...stood, fork: resumeParallelRun(stood.fork, state.seq + 1) } : stood;
  if (usage === undefined || phase.kind !== "visiting") return { ...state, providers, phase };
  return addPartialTurn({ ...state, providers, phase }, phase, { usage, ms: 0 });
}

/** [Z4] A person may have changed what was refused: every model may answer again. */
function withoutModel(phase: CastPhase): CastPhase {
  if (phase.kind !== "visiting") return phase;
  const { repeated: _repeated, ...turn } = phase.visit.turn;
  return { ...phase, visit: { ...phase.visit, switchedTo: null, refusals: 0, turn } };
}

export function endState(state: CastState, { outcome, reason }: EventOf<"cast_ended">): CastState {
  const { phase } = state;
  if (phase.kind === "ended") throw new Error("a cast ends once");
  const before = phase.kind === "failing" ? phase.before : phase;
  const reached = phase.kind === "failing" && phase.failure.kind === "limit" ? phase.failure.reached : null;
  return { ...state, phase: { kind: "ended", outcome, reason, limit: limitHitIn(phase), reached, before } };
}

/** An interrupted turn: its usage counts, and the turn is repeated. */
export function addPartialTurn(
  state: CastState,
  { visit, ask }: { visit: Visit; ask: TurnReason | PersonDecision },
  { usage, ms, ...repeats }: TurnUsage,
): CastState {
  const turn = { usage: addUsage(visit.turn.usage, usage), ms: visit.turn.ms + ms, ...repeats };
  return {
    ...state,
    usage: addUsage(state.usage, usage),
    largest: maxUsage(state.largest, turn.usage),
    phase: { kind: "visiting", visit: { ...visit, usage: addUsage(visit.usage, usage), turn }, ask },
  };
}

export function raiseLimits(state: CastState, event: EventOf<"limits_raised">): CastState {
  const { maxTokens, maxCostUsd, allow, hint, waitForProvider } = event;
  const budget = { ...state.budget, ...withoutUndefined({ maxTokens, maxCostUsd }) };
  const wait = waitForProvider === undefined ? {} : grantedWait(state, waitForProvider);
  const raised = { ...state, budget, warned: false, ...wait };
  const decision = reworkDecisionIn(event);
  if (!isInParallelRun(state.phase)) return allowMore({ ...raised, handed: withPersonHint(state, hint) }, allow ?? 0);
  // [R8] The cast of the item holds the result that was sent back, and learns the decision when it resumes.
  const phase = decision ? updateParallelRun(state.phase, (fork) => ({ ...fork, decision })) : state.phase;
  return allowMore({ ...raised, phase }, allow ?? 0);
}

/** [Z6] A new permission to sleep counts from now on. */
function grantedWait({ limits, providers }: CastState, waitForProvider: number) {
  return { limits: { ...limits, waitForProvider }, providers: { ...providers, sleptMs: 0, sleeps: 0 } };
}

function reworkDecisionIn({ hint, items }: EventOf<"limits_raised">): ReworkDecision | undefined {
  if (hint !== undefined) return { kind: "hint", text: hint };
  return items && { kind: items };
}

/** [G8, G32] Allows the reached limit so many more times. */
function allowMore(state: CastState, times: number): CastState {
  const hit = limitHitIn(state.phase);
  if (!hit || times === 0) return state;
  if (isInParallelRun(state.phase)) {
    // [V12] The cast of each item that a limit stopped learns the allowance when it resumes.
    const phase = updateParallelRun(state.phase, (fork) => ({ ...fork, allow: fork.allow + times }));
    const below = { ...state, phase };
    const isConflict = hit.limit === "maxConflicts" && hit.scope !== undefined;
    return isConflict ? { ...below, ...addTraversals(below, "allowed", hit.scope, times) } : below;
  }
  if ("at" in hit) return hit.at === undefined ? state : { ...state, counts: withExtraReturns(state, hit.at, times) };
  return hit.scope ? { ...state, ...addTraversals(state, "allowed", hit.scope, times) } : state;
}

function updateParallelRun(phase: CastPhase, change: (fork: ParallelRun) => ParallelRun): CastPhase {
  if (phase.kind === "forked") return { ...phase, fork: change(phase.fork) };
  return "before" in phase ? { ...phase, before: updateParallelRun(phase.before, change) } : phase;
}

function isInParallelRun(phase: CastPhase): boolean {
  return phaseBeforeEnd(phase).kind === "forked";
}

type RefusalEvent = Extract<CastEvent, { type: "turn_retried" | "model_switched" | "cast_sleeping" | "cast_woken" }>;

export function applyRefusal(state: CastState, event: RefusalEvent): CastState {
  switch (event.type) {
    case "turn_retried": {
      const phase = expectPhase(state, event, "visiting");
      if (event.usage === undefined) return addFinishedTurn(state, phase.visit, NO_USAGE, phase.ask);
      return addRefusedTurn(state, phase, event, { refusals: hasReplied(event) ? 1 : phase.visit.refusals + 1 });
    }
    case "model_switched": {
      const change = { switchedTo: event.to, refusals: 0 };
      const refused = addRefusedTurn(state, expectPhase(state, event, "visiting"), event, change);
      const until = typeof event.until === "string" ? parseMillis(event.until, 0) : event.until;
      return { ...refused, providers: withRefused(refused.providers, event.from, until) };
    }
    case "cast_sleeping":
      return fallAsleep(state, event);
    case "cast_woken": {
      const { before, since } = expectPhase(state, event, "sleeping");
      const slept = Math.max(0, parseMillis(event.at, 0) - parseMillis(since, 0));
      const { providers } = state;
      // Choose the model anew: the first of the list may answer again.
      const phase = before.kind === "visiting" ? { ...before, visit: { ...before.visit, switchedTo: null } } : before;
      return { ...state, phase, providers: { ...providers, sleptMs: providers.sleptMs + slept } };
    }
  }
}

function fallAsleep(state: CastState, event: EventOf<"cast_sleeping"> & { readonly at: string }): CastState {
  const { until, provider, model, reason, paused = false, at: since } = event;
  const asleep = { kind: "sleeping", until, provider, model, reason, paused, since } as const;
  if (state.phase.kind === "forked") return { ...state, phase: { ...asleep, before: state.phase } };
  const refused = addRefusedTurn(state, expectPhase(state, event, "visiting"), event, { refusals: 0 });
  const phase: SleepingPhase = { ...asleep, before: refused.phase };
  const { sleeps } = state.providers;
  const providers = withRefused(refused.providers, model, parseMillis(until, 0));
  return { ...refused, phase, providers: { ...providers, sleeps: hasReplied(event) ? 1 : sleeps + 1 } };
}

function withRefused(providers: ProviderState, model: string, until: number | null | undefined): ProviderState {
  return until === undefined ? providers : { ...providers, refused: { ...providers.refused, [model]: until } };
}

type RefusedTurnUsage = Partial<Pick<EventOf<"turn_stopped">, "usage" | "ms">>;

function hasReplied({ usage = NO_USAGE }: RefusedTurnUsage): boolean {
  return totalTokens(usage) > 0;
}

/** The usage counts, and the turn continues from its transcript. A rehearsal has used one reply. */
function addRefusedTurn(
  state: CastState,
  { visit, ask }: VisitPhase,
  { usage = NO_USAGE, ms = 0 }: RefusedTurnUsage,
  change: Partial<Visit>,
): CastState {
  const counted = addFinishedTurn(state, visit, usage, ask);
  const turn = { usage: addUsage(visit.turn.usage, usage), ms: visit.turn.ms + ms };
  return { ...counted, phase: { ...counted.phase, visit: { ...counted.phase.visit, turn, ...change } } };
}
