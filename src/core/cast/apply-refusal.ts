import { parseMillis } from "../model/text.ts";
import { addFinishedTurn } from "./apply-accepted.ts";
import type { CastEvent, EventOf } from "./state/event.ts";
import { expectPhase } from "./state/expect-phase.ts";
import type { CastPhase, CastState, ProviderState, SleepingPhase } from "./state/state.ts";
import { addUsage, NO_USAGE, totalTokens } from "./state/usage.ts";

type RefusalEvent = Extract<CastEvent, { type: "turn_retried" | "model_switched" | "cast_sleeping" | "cast_woken" }>;
type VisitPhase = Extract<CastPhase, { kind: "visiting" }>;

/** The provider refused a request: the turn is repeated later, by another model, or after a sleep. */
export function applyRefusal(state: CastState, event: RefusalEvent): CastState {
  switch (event.type) {
    case "turn_retried": {
      const phase = expectPhase(state, event, "visiting");
      if (event.usage === undefined) return addFinishedTurn(state, phase.visit, NO_USAGE, phase.ask);
      return addRefusedTurn(state, phase, event);
    }
    case "model_switched": {
      const refused = addRefusedTurn(state, expectPhase(state, event, "visiting"), event);
      const { visit, ask } = expectPhase(refused, event, "visiting");
      const phase: VisitPhase = { kind: "visiting", visit: { ...visit, switchedTo: event.to, refusals: 0 }, ask };
      const until = typeof event.until === "string" ? parseMillis(event.until, 0) : event.until;
      return { ...refused, phase, providers: withRefused(refused.providers, event.from, until) };
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
  const refused = addRefusedTurn(state, expectPhase(state, event, "visiting"), event);
  const { visit, ask } = expectPhase(refused, event, "visiting");
  const before: VisitPhase = { kind: "visiting", visit: { ...visit, refusals: 0 }, ask };
  const phase: SleepingPhase = { ...asleep, before };
  const { sleeps } = state.providers;
  const providers = withRefused(refused.providers, model, parseMillis(until, 0));
  return { ...refused, phase, providers: { ...providers, sleeps: hasReplied(event) ? 1 : sleeps + 1 } };
}

function withRefused(providers: ProviderState, model: string, until: number | null | undefined): ProviderState {
  return until === undefined ? providers : { ...providers, refused: { ...providers.refused, [model]: until } };
}

interface RefusedTurnUsage {
  readonly usage?: EventOf<"turn_stopped">["usage"];
  readonly ms?: number;
}

function hasReplied({ usage = NO_USAGE }: RefusedTurnUsage): boolean {
  return totalTokens(usage) > 0;
}

/** The usage counts, and the turn continues from its transcript. A rehearsal has used one reply. */
function addRefusedTurn(state: CastState, { visit, ask }: VisitPhase, event: RefusedTurnUsage): CastState {
  const { usage = NO_USAGE, ms = 0 } = event;
  const { turn, refusals } = visit;
  const counted = addFinishedTurn(state, visit, usage, ask);
  const { phase } = counted;
  if (phase.kind !== "visiting") return counted;
  return {
    ...counted,
    phase: {
      ...phase,
      visit: {
        ...phase.visit,
        turn: { usage: addUsage(turn.usage, usage), ms: turn.ms + ms },
        refusals: hasReplied(event) ? 1 : refusals + 1,
      },
    },
  };
}
