import { useMemo, useEffect, useRef, useState } from "react";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { itemRunAt } from "../../../core/cast/item-runs.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { castBoard, positionName, positionText, type CastBoard } from "../../../core/view/progress/board.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import type { CastTimeline } from "../../../core/cast/timeline.ts";
import {
  NO_ITEM_TIMELINES,
  itemTimelines,
  type TimelineRow,
  timelineRows,
} from "../../../core/view/progress/timeline-rows.ts";
import { visitEndSeq, type TimelineVisit } from "../../../core/view/progress/playback.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { visitKey } from "../../../core/history/visits.ts";
import { edgeWayId } from "../../../core/model/ids.ts";
import { runningTurnUsage, type WatchedCast, useItemCasts, type ItemCasts } from "./use-cast.ts";
import { useKeys } from "../browser/keyboard.ts";
import { replaceSearchParams } from "../browser/route.ts";
import { parseMillis } from "../../../core/model/text.ts";
import { useNow } from "../browser/display.ts";

export type CastView = ReturnType<typeof useCastView>;

export interface CastPanelProps {
  readonly cast: WatchedCast;
  readonly view: CastView;
}

/** The shown moment of a cast, now or in the past, and the open visit. */
export function useCastView(cast: WatchedCast, search: URLSearchParams) {
  const { replay, version, castFile } = cast;
  const lastSeq = replay.lastSeq();
  const allVisits = useMemo(() => replay.visitsAt(lastSeq), [replay, lastSeq, version]);
  const moment = useViewedMoment(allVisits, lastSeq, search);
  const { at, chosen, goToVisit } = moment;
  const seq = Math.min(at ?? lastSeq, lastSeq);
  const trail = useMemo(() => replay.timelineAt(seq), [replay, seq, version]);
  const newest = useMemo(() => replay.timelineAt(lastSeq), [replay, lastSeq]);
  const { board, latest } = useBoards(cast, { newest, past: at === null ? null : trail });
  const visits = useMemo(() => (at === null ? allVisits : replay.visitsAt(seq)), [replay, at, seq, allVisits]);
  const isParallel = Object.values(castFile.graph.loops).some(({ parallel }) => parallel !== undefined);
  const items = useMemo(
    () => (isParallel ? itemTimelines(replay.events(), replay.workedAt) : NO_ITEM_TIMELINES),
    [replay, lastSeq, isParallel],
  );
  const rows = useMemo(() => timelineRows(allVisits, items.parallelStarts), [allVisits, items]);
  const ofItems = useItemCasts(items.items, cast.itemPlaces);
  const inItems = useMemo(
    () => itemCastsUntil(ofItems, at === null ? Infinity : replay.workedAt(seq)),
    [ofItems, at, seq],
  );
  const waysTaken = useMemo(() => [...inItems.ways, ...replay.waysTakenAt(seq)], [replay, seq, inItems]);
  const visit = (chosen === null ? undefined : allVisits[chosen]) ?? visits.at(-1);
  const here = visit?.index ?? 0;
  useVisitKeys(moment, { here, last: allVisits.length - 1, rows });
  return {
    ...moment,
    seq,
    trail,
    board,
    /** The state now, independent of the shown moment. */
    latest,
    visits,
    /** All visits until now, also those after the shown moment. */
    allVisits,
    rows,
    /** [V23] The parallel items. */
    itemLanes: items.items,
    workingItems: at === null ? countWorkingItems(newest.state, cast.itemPlaces) : NO_WORKING_ITEMS,
    waysTaken,
    /** [W45] The visits inside the casts of parallel items until the shown moment, by cast id. */
    itemVisits: inItems.visits,
    closedEdgeId: edgeClosedByLimit(replay.events()[seq - 1], replay.events()[seq - 2]),
    pass: newest.state.pass,
    visit,
    announcement: announcementText(board, at === null),
    stepVisit: (by: -1 | 1): void => goToVisit(here + by),
  };
}

function itemCastsUntil({ visits, ways }: ItemCasts, until: number): ItemCasts {
  return {
    visits: new Map([...visits].map(([child, all]) => [child, all.filter(({ visit }) => visit.from <= until)])),
    ways: ways.filter(({ at }) => at <= until),
  };
}

const NO_WORKING_ITEMS: ReadonlyMap<string, number> = new Map();

/** [V25] The number of items at each socket. An item without an event yet is at the entry. */
function countWorkingItems({ phase }: CastState, places: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  if (phase.kind !== "forked") return NO_WORKING_ITEMS;
  const { fork } = phase;
  const counts = new Map<string, number>();
  for (const index of fork.running) {
    const socket = places.get(itemRunAt(fork, index)?.child ?? "") ?? fork.door;
    counts.set(socket, (counts.get(socket) ?? 0) + 1);
  }
  return counts;
}

function useBoards(
  cast: WatchedCast,
  { newest, past }: { readonly newest: CastTimeline; readonly past: CastTimeline | null },
) {
  const { isAlive, castFile } = cast;
  const { kind } = newest.state.phase;
  // A wait gets longer without a process.
  const isOpen = kind === "waiting" || kind === "sleeping" || (isAlive && kind !== "ended");
  // An event may be newer than the last clock tick.
  const now = Math.max(useNow(isOpen), parseMillis(newest.clock.lastAt, 0));
  const lineage = useMemo(
    () => ({ targets: castFile.targets.map(({ name }) => name), fromCastId: castFile.fromCastId }),
    [castFile],
  );
  const used = runningTurnUsage(cast);
  // The journal does not record the wait for a worker.
  const { casts } = useCasts();
  const isQueued = casts.some(({ castId, status }) => castId === castFile.castId && status === "queued");
  const alive = isQueued ? "queued" : isAlive;
  const latest = useMemo(() => castBoard(newest, { now, alive, lineage, used }), [newest, now, alive, lineage, used]);
  const board = useMemo(
    () => (past === null ? latest : castBoard(past, { now: Date.parse(past.clock.lastAt ?? "") || now, lineage })),
    [past, latest, lineage, now],
  );
  return { board, latest };
}

/** The text for screen readers when the cast moves on; without the time, which would be read aloud every second. */
function announcementText({ status, position, item }: CastBoard, isLive: boolean): string {
  const parts = [isLive ? statusText(status) : "Seen as it was"];
  if (position && status !== "completed")
    parts.push(
      position.atWork
        ? `${positionName(position)}, ${positionText(position)}`
        : `${position.materia}, visit ${position.visit}`,
    );
  if (item) parts.push(`item ${item.number} of ${item.of}`);
  return parts.join(", ");
}

function edgeClosedByLimit(...last: readonly (CastEvent | undefined)[]): string | null {
  const limit = last.find((event) => event?.type === "limit_reached");
  if (limit?.type !== "limit_reached" || limit.where.via !== "edge") return null;
  return edgeWayId(limit.where.socket, limit.where.index ?? -1);
}

type ViewedMoment = ReturnType<typeof useViewedMoment>;

/** [W33] The address contains moment and visit: `?visit=Socket-5%232` and `?at=123`. */
function useViewedMoment(visits: readonly TimelineVisit[], lastSeq: number, search: URLSearchParams) {
  const [{ at, chosen }, setMoment] = useState(() => momentFromAddress(search, visits, lastSeq));
  const address = `${search.get("visit") ?? ""} ${search.get("at") ?? ""}`;
  const known = useRef(address);
  // A link or Back changed the address; own changes do not trigger this.
  useEffect(() => {
    if (known.current === address) return;
    known.current = address;
    setMoment(momentFromAddress(search, visits, lastSeq));
  }, [address]);
  useEffect(() => {
    const visit = chosen === null ? undefined : visits[chosen];
    const moment = { visit: visit ? visitKey(visit.socket, visit.visit) : null, at: at === null ? null : `${at}` };
    known.current = `${moment.visit ?? ""} ${moment.at ?? ""}`;
    // Remove the request for a dialog: a shared link must not open it again.
    replaceSearchParams({ ...moment, do: null, tab: null, found: null });
  }, [at, chosen]);
  return {
    /** The event after which the cast is shown; null follows it live. */
    at,
    /** The index of the visit that the person opened; null for the latest one. */
    chosen,
    goLive: (): void => setMoment(LIVE_MOMENT),
    goTo: (to: number): void => setMoment({ at: Math.max(1, Math.min(to, lastSeq)), chosen: null }),
    goToVisit: (index: number): void => {
      const target = visits[Math.max(0, Math.min(index, visits.length - 1))];
      if (target) setMoment({ at: visitEndSeq(target, lastSeq), chosen: target.index });
    },
    /** Opens a visit without a change of the moment. */
    read: (index: number): void => setMoment((before) => ({ ...before, chosen: index })),
  };
}

const LIVE_MOMENT = { at: null, chosen: null } as const;

function momentFromAddress(
  search: URLSearchParams,
  visits: readonly TimelineVisit[],
  lastSeq: number,
): { readonly at: number | null; readonly chosen: number | null } {
  const visit = visits.find((each) => visitKey(each.socket, each.visit) === search.get("visit"));
  const at = Number(search.get("at"));
  const isMoment = Number.isInteger(at) && at >= 1 && at <= lastSeq;
  if (!visit) return isMoment ? { at, chosen: null } : LIVE_MOMENT;
  return { at: isMoment ? at : visit.to === null ? null : visitEndSeq(visit, lastSeq), chosen: visit.index };
}

/** Brackets step through visits, braces through rows of the timeline. */
function useVisitKeys(
  { at, goLive, goToVisit }: ViewedMoment,
  { here, last, rows }: { readonly here: number; readonly last: number; readonly rows: readonly TimelineRow[] },
): void {
  const stepRow = (by: -1 | 1): void => {
    const row = rows.findIndex(({ visits }) => visits.some(({ index }) => index === here));
    const target = rows[row + by]?.visits[0];
    if (target) goToVisit(target.index);
  };
  useKeys({
    "[": () => goToVisit(here - 1),
    "]": () => goToVisit(here + 1),
    "shift+{": () => stepRow(-1),
    "shift+}": () => stepRow(1),
    home: () => goToVisit(0),
    end: () => goToVisit(last),
    f: goLive,
    escape: () => (at === null ? false : goLive()),
  });
}
