import type { CastSummary } from "../../core/view/casts.ts";

export interface PruneChoice {
  readonly keep?: number;
  readonly olderThanDays?: number;
}

/** The casts that are old by age, or beyond a number; never one that runs. With both given a cast must be old by both. */
export function prunable(
  casts: readonly CastSummary[],
  { keep, olderThanDays }: PruneChoice,
  now: number,
): readonly CastSummary[] {
  const oldest = olderThanDays === undefined ? Infinity : now - olderThanDays * 86_400_000;
  return casts.filter((cast, index) => {
    if (cast.status === "running") return false;
    return (keep === undefined || index >= keep) && Date.parse(cast.endedAt ?? cast.startedAt) <= oldest;
  });
}
