import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent, Totals } from "../../core/cast/event.ts";
import { parseCastId } from "../../core/model/ids.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastSummary } from "../../core/view/casts.ts";
import { isCast, journalFile, readCastFile } from "./cast-store.ts";
import { journalEnds } from "./journal-tail.ts";
import { currentOwner } from "./ownership.ts";
import { isMissing } from "../system/problem.ts";
import { statOf } from "../system/regular-file.ts";

/** Newest first; ids sort by the time they were made. */
export function castIds(root: string): readonly CastId[] {
  try {
    return readdirSync(root)
      .flatMap((name) => parseCastId(name) ?? [])
      .toSorted()
      .toReversed();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** What a listing shows of each cast, from the two ends of its journal: the middle may be long. */
export function listCasts(root: string): readonly CastSummary[] {
  return castIds(root).flatMap((castId) => summaryOf(root, castId) ?? []);
}

export function summaryOf(root: string, castId: CastId): CastSummary | undefined {
  const runDir = join(root, castId);
  const { first, last: tail } = journalEnds(
    journalFile(runDir),
    (events) => standing(events) !== undefined && totalsIn(events) !== undefined,
  );
  if (first?.type !== "cast_started") return unbegun(runDir);
  const last = standing(tail) ?? first;
  const totals = totalsIn(tail);
  return {
    castId,
    status: statusOf(last, runDir),
    loadout: first.loadout,
    request: first.request,
    startedAt: first.at,
    endedAt: last.type === "cast_ended" ? last.at : null,
    visits: totals?.visits ?? 0,
    items: { done: totals?.itemsDone ?? 0, total: totals?.items ?? 0 },
    tokens: totals?.tokens ?? 0,
    cost: totals?.cost ?? 0,
  };
}

/** [D1] A cast that was killed before its first event can be resumed, so it is listed. */
function unbegun(runDir: string): CastSummary | undefined {
  if (!isCast(runDir) || !isEmpty(journalFile(runDir))) return undefined;
  const file = readCastFile(runDir);
  if (!file.ok) return undefined;
  const { castId, loadout, request, startedAt } = file.value;
  const status = currentOwner(runDir) ? "running" : "interrupted";
  const nothing = { endedAt: null, visits: 0, items: { done: 0, total: 0 }, tokens: 0, cost: 0 };
  return { castId, status, loadout: loadout.name, request, startedAt, ...nothing };
}

function isEmpty(file: string): boolean {
  return (statOf(file)?.size ?? 0n) === 0n;
}

/** [J21] A cast that has neither ended nor waits runs only as long as its owner lives. */
function statusOf(last: CastEvent, runDir: string): CastSummary["status"] {
  if (last.type === "cast_ended") return last.outcome;
  if (last.type === "cast_waiting") return "waiting";
  return currentOwner(runDir) ? "running" : "interrupted";
}

/** The last event that says how the cast stands: raising a limit of a stopped cast does not set it going. */
function standing(events: readonly CastEvent[]): CastEvent | undefined {
  const last = events.findLast((event) => event.type !== "limits_raised");
  if (last?.type !== "cast_resumed") return last;
  // [D19] Killed before the answer was written: what waited for a person still does.
  const before = events.findLast(
    ({ type }) => type !== "limits_raised" && type !== "cast_resumed" && type !== "cast_ended",
  );
  return before?.type === "cast_waiting" ? before : before && last;
}

function totalsIn(events: readonly CastEvent[]): Totals | undefined {
  const last = events.findLast((event) => event.type === "visit_completed" || event.type === "cast_ended");
  return last && "totals" in last ? last.totals : undefined;
}
