import type { CastEvent } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";
import type { CastStatus } from "./casts.ts";
import { parseMillis } from "./numbers.ts";

/** When a cast began, when something last happened, and how long nothing worked in between. */
export interface WorkClock {
  readonly startedAt: string | null;
  readonly lastAt: string | null;
  readonly idleMs: number;
  /** [T20] Set where what came before this moment was done in another cast. */
  readonly forkedAt?: string;
}

export const UNSTARTED_CLOCK: WorkClock = { startedAt: null, lastAt: null, idleMs: 0 };

export function advanceClock(clock: WorkClock, before: CastState, event: CastEvent): WorkClock {
  const startedAt = clock.startedAt ?? event.at;
  const idleMs = clock.idleMs + idleMsBefore(clock, before, event);
  const forkedAt = (event.type === "cast_started" ? event.forkedFrom?.at : undefined) ?? clock.forkedAt;
  const ticked: WorkClock = { startedAt, lastAt: event.at, idleMs };
  return forkedAt === undefined ? ticked : { ...ticked, forkedAt };
}

/** Time in which nothing worked: while a person was awaited, and until a cast was taken up again, be it as a fork. */
function idleMsBefore({ lastAt, forkedAt = "" }: WorkClock, { phase }: CastState, event: CastEvent): number {
  if (forkedAt > (lastAt ?? forkedAt) && forkedAt <= event.at) return parseMillis(forkedAt, 0) - parseMillis(lastAt, 0);
  // A cast whose process was killed left no end behind; that it stood still shows only when it is resumed.
  if (phase.kind !== "waiting" && phase.kind !== "ended" && event.type !== "cast_resumed") return 0;
  const at = parseMillis(event.at, 0);
  return Math.max(0, at - parseMillis(lastAt, at));
}

/** How long was worked since a reading of this clock, until the last event or a later moment. */
export function workedMsSince(clock: WorkClock, since: WorkClock, until = parseMillis(clock.lastAt, 0)): number {
  const from = parseMillis(since.lastAt, until);
  return Math.max(0, until - from - (clock.idleMs - since.idleMs));
}

/** How long a cast has been worked on. Only one that runs grows older; any other stands as its last event left it. */
export function elapsedMs(
  { startedAt, lastAt, idleMs }: WorkClock,
  { status, now }: { readonly status: CastStatus; readonly now: number },
): number {
  const until = status === "running" ? now : parseMillis(lastAt, now);
  return Math.max(0, until - parseMillis(startedAt, until) - idleMs);
}
