import type { EventBody } from "../../core/cast/state/event.ts";
import type { CastState, SleepingPhase } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { parseMillis } from "../../core/model/text.ts";
import { pauseUntil, type RunOptions } from "../context/run-context.ts";
import type { Ports } from "../ports.ts";

const MAX_SPREAD_MS = 30_000;

/** [Z3, Z12] Waits for the reset, and a moment longer: casts that slept together do not wake together. */
export async function sleepUntilReset(
  { until, paused }: SleepingPhase,
  castId: CastId,
  ports: Ports,
  { leavesSleep, released, signal }: RunOptions,
): Promise<"awake" | "aborted" | "left"> {
  if (paused || leavesSleep) return "left";
  const wake = parseMillis(until, 0) + spreadMs(castId);
  await pauseUntil(wake, ports, released ? AbortSignal.any([signal, released]) : signal);
  if (signal.aborted) return "aborted";
  return released?.aborted ? "left" : "awake";
}

function spreadMs(castId: string): number {
  let sum = 7;
  for (const letter of castId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % MAX_SPREAD_MS;
  return sum;
}

/** [Z12] All items that are left sleep: their parent sleeps once for all. */
export function itemsAsleepEvent(
  { until, provider, model, reason, paused }: SleepingPhase,
  { phase }: CastState,
): EventBody {
  if (phase.kind !== "forked") throw new Error("only items of a parallel loop sleep together");
  const place = { socket: phase.fork.door, visit: 0 };
  return { type: "cast_sleeping", ...place, until, provider, model, reason, ...(paused ? { paused } : {}) };
}
