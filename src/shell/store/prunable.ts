import type { CastSummary } from "../../core/view/casts.ts";

export interface PruneOptions {
  readonly keep?: number;
  readonly olderThanDays?: number;
}

/** The casts that are old by age, or beyond a number; never one that runs. With both given a cast must be old by both. */
export function selectPrunable(
  casts: readonly CastSummary[],
  { keep, olderThanDays }: PruneOptions,
  now: number,
): readonly CastSummary[] {
  const oldest = olderThanDays === undefined ? Infinity : now - olderThanDays * 86_400_000;
  const [doubtful, believed] = [false, true].map((is) => casts.filter((cast) => hasPlausibleTimes(cast, now) === is));
  // Those that nobody can date count as the newest.
  const beyond = new Set([...(doubtful ?? []), ...(believed ?? [])].slice(keep ?? 0));
  return casts.filter((cast) => {
    if (cast.status === "running" || !beyond.has(cast)) return false;
    return olderThanDays === undefined || (hasPlausibleTimes(cast, now) && endTimeOf(cast) <= oldest);
  });
}

/** Before this there was nothing that could have made a cast. */
const EARLIEST_START = Date.parse("2025-01-01");
const HOUR_MS = 3_600_000;

/** [D27] A clock that was set back or ahead leaves times that cannot be. */
function hasPlausibleTimes(cast: CastSummary, now: number): boolean {
  const [start, end] = [Date.parse(cast.startedAt), endTimeOf(cast)];
  return start >= EARLIEST_START && end >= start && end <= now + HOUR_MS;
}

function endTimeOf({ endedAt, startedAt }: CastSummary): number {
  return Date.parse(endedAt ?? startedAt);
}
