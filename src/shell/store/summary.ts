import type { CastEvent } from "../../core/cast/state/event.ts";
import { hasTotals, totalsFromLastEvents } from "../../core/cast/state/usage.ts";
import { castBranch, type CastId } from "../../core/model/ids.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { oneLine } from "../../core/model/text.ts";
import type { CastFile } from "./cast-file.ts";
import type { JournalEnds } from "./cast-store.ts";
import { type CastSummary, castFigures } from "../../core/cast/summary.ts";

/** True if the last events of a cast show its status and its usage. */
export function sufficesForSummary(events: readonly CastEvent[]): boolean {
  return lastStatusEvent(events) !== undefined && hasTotals(events);
}

/** The row of a started cast in a listing. `isOwned` is called only if the events do not show the status. */
export async function startedSummary(
  castId: CastId,
  { first, last: tail }: JournalEnds,
  isOwned: () => Promise<boolean>,
): Promise<CastSummary | undefined> {
  if (first?.type !== "cast_started") return undefined;
  const last = lastStatusEvent(tail) ?? first;
  const asleep =
    last.type === "cast_sleeping" ? { until: last.until, provider: last.provider, model: last.model } : undefined;
  const status = await statusOf(last, isOwned);
  const idleSince = status === "running" || last.type === "cast_ended" ? undefined : last.at;
  return {
    castId,
    status,
    loadout: first.loadout,
    request: first.request,
    startedAt: first.forkedFrom?.at ?? first.at,
    endedAt: last.type === "cast_ended" ? last.at : null,
    ...castFigures(totalsFromLastEvents(castId, tail)),
    ...withoutUndefined({ reason: reasonOf(last, tail), branch: first.branch, asleep, idleSince }),
    ...(first.rehearsed ? { rehearsed: true } : lastModel(tail)),
  };
}

function lastModel(tail: readonly CastEvent[]): Pick<CastSummary, "model"> {
  const answered = tail.findLast((event) => "model" in event && event.type !== "cast_sleeping");
  return answered && "model" in answered && typeof answered.model === "string" ? { model: answered.model } : {};
}

const MAX_REASON_CHARS = 300;

/** [YI2] What a person must know before they look at it; empty texts say nothing. */
function reasonOf(last: CastEvent, tail: readonly CastEvent[]): string | undefined {
  const answered = last.type === "cast_waiting" ? tail.findLast((event) => event.type === "turn_answered") : undefined;
  if (last.type === "cast_ended") return oneLine(last.reason, MAX_REASON_CHARS) || undefined;
  // Behind the question comes what is judged.
  const [asked = ""] = (last.type === "cast_waiting" ? (last.question ?? answered?.text ?? "") : "").split("\n\n", 1);
  return oneLine(asked, MAX_REASON_CHARS) || undefined;
}

/** [D1] A cast that was killed before its first event can be resumed, so it is listed. */
export function notStartedSummary(file: CastFile, isOwned: boolean): CastSummary {
  const { castId, loadout, request, startedAt, rehearsal } = file;
  const nothing = { endedAt: null, ...castFigures(totalsFromLastEvents(castId, [])) };
  const status = isOwned ? "running" : "interrupted";
  const apart = file.ownWorktree ? { branch: castBranch(castId) } : {};
  const mark = { ...apart, ...(rehearsal === null ? {} : { rehearsed: true as const }) };
  return { castId, status, loadout: loadout.name, request, startedAt, ...nothing, ...mark };
}

/** [J21] A cast that has neither ended nor waits runs only while its owner lives. */
async function statusOf(last: CastEvent, isOwned: () => Promise<boolean>): Promise<CastSummary["status"]> {
  if (last.type === "cast_ended") return last.outcome;
  if (last.type === "cast_waiting") return "waiting";
  if (last.type === "cast_sleeping") return !last.paused && (await isOwned()) ? "sleeping" : "paused";
  return (await isOwned()) ? "running" : "interrupted";
}

/** The last event that decides the status: a raised limit does not restart a stopped cast. */
function lastStatusEvent(events: readonly CastEvent[]): CastEvent | undefined {
  const last = events.findLast((event) => event.type !== "limits_raised");
  if (last?.type !== "cast_resumed") return last;
  // [D19] Killed before the answer was written: the visit still waits for a person.
  const before = events.findLast(
    ({ type }) => type !== "limits_raised" && type !== "cast_resumed" && type !== "cast_ended",
  );
  return before?.type === "cast_waiting" ? before : before && last;
}

/** Casts that are too old, or beyond a number; never a running one. With both criteria a cast must meet both. */
export function selectPrunable(
  casts: readonly CastSummary[],
  { keep, olderThanDays }: { readonly keep?: number; readonly olderThanDays?: number },
  now: number,
): readonly CastSummary[] {
  const oldest = olderThanDays === undefined ? Infinity : now - olderThanDays * 86_400_000;
  const [doubtful, believed] = [false, true].map((is) => casts.filter((cast) => hasPlausibleTimes(cast, now) === is));
  // Casts without a valid date count as the newest.
  const beyond = new Set([...(doubtful ?? []), ...(believed ?? [])].slice(keep ?? 0));
  return casts.filter((cast) => {
    if (cast.status === "running" || cast.status === "sleeping" || !beyond.has(cast)) return false;
    return olderThanDays === undefined || (hasPlausibleTimes(cast, now) && endTimeOf(cast) <= oldest);
  });
}

/** No cast is older than the program. */
const EARLIEST_START = Date.parse("2025-01-01");
const HOUR_MS = 3_600_000;

/** [D27] A clock that was set wrong leaves impossible times. */
function hasPlausibleTimes(cast: CastSummary, now: number): boolean {
  const [start, end] = [Date.parse(cast.startedAt), endTimeOf(cast)];
  return start >= EARLIEST_START && end >= start && end <= now + HOUR_MS;
}

function endTimeOf({ endedAt, startedAt }: CastSummary): number {
  return Date.parse(endedAt ?? startedAt);
}
