import { useMemo } from "react";
import type { CastEvent } from "../../../../../../core/cast/state/event.ts";
import { runAt } from "../../../../../../core/cast/items/runs.ts";
import type { CastState, Pass } from "../../../../../../core/cast/state/state.ts";
import { boardOf, placeWords, visitWords, type Board } from "../../../../../../core/view/now/board.ts";
import { statusText } from "../../../../../../core/view/casts.ts";
import type { Trail } from "../../../../../../core/view/now/trail.ts";
import { NO_ITEM_LANES, itemLanes, type ItemLane } from "../../../../../../core/view/items/lanes.ts";
import { type TimelineRow, timelineRows } from "../../../../../../core/view/watch/rows.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { WayTaken } from "../../../../../../core/view/watch/way.ts";
import { millisOf } from "../../../../../../core/view/numbers.ts";
import { useCasts } from "../../../data/use-casts.ts";
import { useNow } from "../../../browser/use-now.ts";
import { edgeWayId } from "../../../../../../core/model/way-id.ts";
import type { KnownCast } from "./use-cast.ts";
import { useMoment, useMomentKeys, type Moment } from "./use-moment.ts";

/** What of the cast is looked at: now, or a moment of the past; and the visit that is read. */
export interface CastView extends Omit<Moment, "chosen"> {
  readonly seq: number;
  readonly trail: Trail;
  readonly board: Board;
  /** As it is now, whatever is looked at. */
  readonly latest: Board;
  readonly visits: readonly VisitRecord[];
  /** Every visit until now, also those after the moment that is looked at. */
  readonly allVisits: readonly VisitRecord[];
  readonly rows: readonly TimelineRow[];
  /** [V23] The items that were worked on at once. */
  readonly lanes: readonly ItemLane[];
  /** [V25] How many of them are at work at each socket now. */
  readonly atWork: ReadonlyMap<string, number>;
  readonly ways: readonly WayTaken[];
  /** The edge that a limit closed, by the id of its way, where the cast stopped at one. */
  readonly closed: string | null;
  /** The list that is walked now. */
  readonly pass: Pass | null;
  /** The visit that is read. */
  readonly visit: VisitRecord | undefined;
  readonly now: number;
  readonly announcement: string;
  readonly step: (by: -1 | 1) => void;
}

/** What each part of the page is given. */
export interface CastPartProps {
  readonly cast: KnownCast;
  readonly view: CastView;
}

export function useCastView(cast: KnownCast, search: URLSearchParams): CastView {
  const { replay, version, castFile } = cast;
  const lastSeq = replay.lastSeq();
  const allVisits = useMemo(() => replay.visitsAt(lastSeq), [replay, lastSeq, version]);
  const moment = useMoment(allVisits, lastSeq, search);
  const { at, chosen, goLive, goTo, goToVisit, read } = moment;
  const seq = Math.min(at ?? lastSeq, lastSeq);
  const trail = useMemo(() => replay.trailAt(seq), [replay, seq, version]);
  const newest = useMemo(() => replay.trailAt(lastSeq), [replay, lastSeq]);
  const { board, latest, now } = useBoards(cast, { newest, past: at === null ? null : trail });
  const visits = useMemo(() => (at === null ? allVisits : replay.visitsAt(seq)), [replay, at, seq, allVisits]);
  const items = useMemo(
    () => (hasParallelLoop(castFile.graph) ? itemLanes(replay.events(), replay.workedAt) : NO_ITEM_LANES),
    [replay, lastSeq, castFile],
  );
  const rows = useMemo(() => timelineRows(allVisits, items.forked), [allVisits, items]);
  const ways = useMemo(() => replay.waysAt(seq), [replay, seq]);
  const visit = (chosen === null ? undefined : allVisits[chosen]) ?? visits.at(-1);
  const here = visit?.index ?? 0;
  useMomentKeys(moment, { here, last: allVisits.length - 1, rows });
  return {
    at,
    seq,
    trail,
    board,
    latest,
    visits,
    allVisits,
    rows,
    lanes: items.lanes,
    atWork: at === null ? itemsAtWork(newest.state, cast.itemPlaces) : NOBODY,
    ways,
    closed: closedEdge(replay.events()[seq - 1], replay.events()[seq - 2]),
    pass: newest.state.pass,
    visit,
    now,
    announcement: announcementOf(board, at === null),
    goLive,
    goTo,
    goToVisit,
    read,
    step: (by) => goToVisit(here + by),
  };
}

const NOBODY: ReadonlyMap<string, number> = new Map();

/** [V25] How many items are at work at each socket. One whose cast has said nothing yet is where all begin. */
function itemsAtWork({ phase }: CastState, places: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  if (phase.kind !== "forked") return NOBODY;
  const { fork } = phase;
  const counts = new Map<string, number>();
  for (const index of fork.running) {
    const socket = places.get(runAt(fork, index)?.child ?? "") ?? fork.door;
    counts.set(socket, (counts.get(socket) ?? 0) + 1);
  }
  return counts;
}

function hasParallelLoop({ loops }: KnownCast["castFile"]["graph"]): boolean {
  return Object.values(loops).some(({ parallel }) => parallel !== undefined);
}

/** The cast in figures: as it is now, and at the moment of the past that is looked at. */
function useBoards(
  { alive, castFile, progress }: KnownCast,
  { newest, past }: { readonly newest: Trail; readonly past: Trail | null },
): { readonly board: Board; readonly latest: Board; readonly now: number } {
  const isRunning = alive && newest.state.phase.kind !== "ended" && newest.state.phase.kind !== "waiting";
  // An event may be newer than the last tick of the clock.
  const now = Math.max(useNow(isRunning), millisOf(newest.clock.lastAt, 0));
  const lineage = useMemo(
    () => ({ targets: castFile.targets.map(({ name }) => name), fromCastId: castFile.fromCastId }),
    [castFile],
  );
  const used = progress.used();
  // The journal does not know that a worker is waited for.
  const { casts } = useCasts();
  const isQueued = casts.some(({ castId, status }) => castId === castFile.castId && status === "queued");
  const driven = isQueued ? "queued" : alive;
  const latest = useMemo(
    () => boardOf(newest, { now, alive: driven, lineage, used }),
    [newest, now, driven, lineage, used],
  );
  const board = useMemo(
    () => (past === null ? latest : boardOf(past, { now: Date.parse(past.clock.lastAt ?? "") || now, lineage })),
    [past, latest, lineage, now],
  );
  return { board, latest, now };
}

/** What is said aloud when the cast goes on. */
function announcementOf({ status, position, item }: Board, isLive: boolean): string {
  return [
    isLive ? statusText(status) : "Seen as it was",
    ...(position && status !== "completed" ? [positionWords(position)] : []),
    ...(item ? [`item ${item.number} of ${item.of}`] : []),
  ].join(", ");
}

/** Without the time, which would be said again every second. */
function positionWords(position: NonNullable<Board["position"]>): string {
  return position.atWork
    ? `${placeWords(position)}, ${visitWords(position)}`
    : `${position.materia}, visit ${position.visit}`;
}

/** A cast that stopped at a limit wrote the limit, then its end. */
function closedEdge(...last: readonly (CastEvent | undefined)[]): CastView["closed"] {
  const limit = last.find((event) => event?.type === "limit_reached");
  if (limit?.type !== "limit_reached" || limit.where.via !== "edge") return null;
  return edgeWayId(limit.where.socket, limit.where.index ?? -1);
}
