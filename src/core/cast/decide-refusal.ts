import { limitOf } from "../model/config.ts";
import { truncate } from "../model/text.ts";
import { providerOf, type Refusal } from "./provider-refusal.ts";
import type { EventBody } from "./state/event.ts";
import type { CastState, Visit } from "./state/state.ts";
import { totalTokens, type Usage } from "./state/usage.ts";

export interface RefusedTurn {
  readonly kind: "refused";
  readonly refusal: Refusal;
  readonly message: string;
  /** The reason of the failure if nothing else helps. */
  readonly failure: "provider" | "timeout" | "overflow";
  readonly model: string;
  /** [Z8] All models that may answer this visit, in order. */
  readonly models: readonly string[];
  readonly usage: Usage;
  readonly ms: number;
  readonly now: number;
  /** Whether the model was asked, so that there is a transcript. */
  readonly wasAsked: boolean;
  /** [Z17] Ends of limits of these models that other casts have met. */
  readonly elsewhere?: Readonly<Record<string, number>>;
}

const DEFAULT_RETRIES = 3;
/** The first wait for a provider that names no time; it doubles with each sleep in a row. */
const BACKOFF_MS = 60_000;
const MAX_BACKOFF_STEPS = 5;
const MAX_REASON = 300;

/** [Z2, Z3, Z8] In this order: a retry, the next model, a sleep until the earliest reset, a failure. */
export function decideRefusal(state: CastState, visit: Visit, turn: RefusedTurn): EventBody {
  const { refusal, message, model, usage, ms, now } = turn;
  const { limits, providers } = state;
  const at = { socket: visit.socket, visit: visit.number, usage, ms };
  const reason = truncate(message, MAX_REASON);
  const attempt = (totalTokens(usage) > 0 ? 0 : visit.refusals) + 1;
  const delayMs = refusal.kind === "until" ? refusal.at - now : undefined;
  const isShort = delayMs !== undefined && delayMs <= limitOf(limits, "maxRetryAfter");
  if (isShort && attempt <= (limits.maxRetries ?? DEFAULT_RETRIES))
    return { type: "turn_retried", socket: at.socket, visit: at.visit, attempt, error: reason, delayMs, usage, ms };
  const end = refusalEnd(turn);
  const refused = { ...providers.refused, ...turn.elsewhere, ...(end === undefined ? {} : { [model]: end }) };
  const next = turn.models.find((each) => each !== model && isFree(refused, each, now));
  const refusedUntil = end === undefined ? {} : { until: end === null ? null : timeText(end) };
  if (next !== undefined) return { type: "model_switched", ...at, from: model, to: next, reason, ...refusedUntil };
  const left = (limits.waitForProvider ?? 0) - providers.sleptMs;
  const until = sleepEnd(state, turn, refused, left > 0);
  if (until === undefined) return failedTurn(turn, at);
  const first = turn.models.find((each) => refused[each] === until) ?? model;
  const sleeping = { type: "cast_sleeping", ...at, provider: providerOf(first), model: first, reason } as const;
  const floor = now + (providers.sleeps === 0 || totalTokens(usage) > 0 ? 0 : backoffMs(providers.sleeps));
  const wake = Math.max(until, floor);
  return { ...sleeping, until: timeText(wake), ...(wake - now > left ? { paused: true as const } : {}) };
}

/** When the model may answer again; null for never, undefined if only this turn matters. */
function refusalEnd({ refusal, failure, models, now }: RefusedTurn): number | null | undefined {
  if (failure === "overflow") return undefined;
  if (refusal.kind === "until") return refusal.at;
  if (refusal.kind === "permanent") return null;
  return models.length > 1 ? now + BACKOFF_MS : undefined;
}

/** [Z8] Whether no known refusal of this model lasts. */
export function isFree(refused: Readonly<Record<string, number | null>>, model: string, now: number): boolean {
  const end = Object.hasOwn(refused, model) ? refused[model] : 0;
  return end !== null && (end ?? 0) <= now;
}

function backoffMs(sleeps: number): number {
  return BACKOFF_MS * 2 ** Math.min(sleeps, MAX_BACKOFF_STEPS);
}

/** The earliest reset. A provider that names none is asked again after a while, if the cast may sleep. */
function sleepEnd(
  { providers }: CastState,
  { refusal, failure, models, model, now }: RefusedTurn,
  refused: Readonly<Record<string, number | null>>,
  maySleep: boolean,
): number | undefined {
  if (failure === "overflow") return undefined;
  const resets = models.flatMap((each) => {
    const end = Object.hasOwn(refused, each) ? refused[each] : undefined;
    return typeof end === "number" && end > now && (each !== model || refusal.kind === "until") ? [end] : [];
  });
  const retried = refusal.kind === "transient" && maySleep ? [now + backoffMs(providers.sleeps)] : [];
  const ends = [...resets, ...retried];
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function failedTurn(
  { refusal, failure, message }: RefusedTurn,
  at: { socket: Visit["socket"]; visit: number; usage: Usage },
): EventBody {
  const fix = refusal.kind === "permanent" ? `\n→ ${refusal.fix}; then "recast" continues` : "";
  const { socket, visit, usage } = at;
  return { type: "turn_failed", socket, visit, reason: failure, message: truncate(message, 1_800) + fix, usage };
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
