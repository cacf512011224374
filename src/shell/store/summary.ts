import type { CastEvent } from "../../core/cast/state/event.ts";
import { hasTotals, totalsFromLastEvents } from "../../core/cast/state/usage.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastFile } from "./cast-file.ts";
import type { JournalEnds } from "./cast-store.ts";
import { type CastSummary, castFigures } from "../../core/cast/summary.ts";

/** Whether the last events of a cast tell how it stands and what it has used. */
export function sufficesForSummary(events: readonly CastEvent[]): boolean {
  return lastStatusEvent(events) !== undefined && hasTotals(events);
}

/** What a listing shows of a cast that has begun. `isOwned` is asked only where the events do not tell. */
export async function startedSummary(
  castId: CastId,
  { first, last: tail }: JournalEnds,
  isOwned: () => Promise<boolean>,
): Promise<CastSummary | undefined> {
  if (first?.type !== "cast_started") return undefined;
  const last = lastStatusEvent(tail) ?? first;
  return {
    castId,
    status: await statusOf(last, isOwned),
    loadout: first.loadout,
    request: first.request,
    startedAt: first.forkedFrom?.at ?? first.at,
    endedAt: last.type === "cast_ended" ? last.at : null,
    ...castFigures(totalsFromLastEvents(castId, tail)),
    ...(first.rehearsed ? { rehearsed: true } : {}),
  };
}

/** [D1] A cast that was killed before its first event can be resumed, so it is listed. */
export function notStartedSummary(file: CastFile, isOwned: boolean): CastSummary {
  const { castId, loadout, request, startedAt, rehearsal } = file;
  const nothing = { endedAt: null, ...castFigures(totalsFromLastEvents(castId, [])) };
  const status = isOwned ? "running" : "interrupted";
  const mark = rehearsal === null ? {} : { rehearsed: true as const };
  return { castId, status, loadout: loadout.name, request, startedAt, ...nothing, ...mark };
}

/** [J21] A cast that has neither ended nor waits runs only as long as its owner lives. */
async function statusOf(last: CastEvent, isOwned: () => Promise<boolean>): Promise<CastSummary["status"]> {
  if (last.type === "cast_ended") return last.outcome;
  if (last.type === "cast_waiting") return "waiting";
  return (await isOwned()) ? "running" : "interrupted";
}

/** The last event that says how the cast stands: raising a limit of a stopped cast does not set it going. */
function lastStatusEvent(events: readonly CastEvent[]): CastEvent | undefined {
  const last = events.findLast((event) => event.type !== "limits_raised");
  if (last?.type !== "cast_resumed") return last;
  // [D19] Killed before the answer was written: what waited for a person still does.
  const before = events.findLast(
    ({ type }) => type !== "limits_raised" && type !== "cast_resumed" && type !== "cast_ended",
  );
  return before?.type === "cast_waiting" ? before : before && last;
}

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
