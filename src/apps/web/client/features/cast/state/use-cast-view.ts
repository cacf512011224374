import { useMemo, useState } from "react";
import type { CastEvent } from "../../../../../../core/cast/event.ts";
import type { Pass } from "../../../../../../core/cast/state.ts";
import { boardOf } from "../../../../../../core/view/now/board.ts";
import type { Board } from "../../../../../../core/view/now/board.ts";
import { statusText } from "../../../../../../core/view/casts.ts";
import type { Trail } from "../../../../../../core/view/now/trail.ts";
import type { TimelineRow } from "../../../../../../core/view/watch/rows.ts";
import { timelineRows } from "../../../../../../core/view/watch/rows.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { WayTaken } from "../../../../../../core/view/watch/way.ts";
import { millisOf } from "../../../../../../core/view/numbers.ts";
import { useKeys } from "../../../browser/keys.ts";
import { useNow } from "../../../browser/use-now.ts";
import { edgeWayId } from "../../../../../../core/model/way-id.ts";
import type { LoadedCast } from "./use-cast.ts";

/** What of the cast is looked at: now, or a moment of the past; and the visit that is read. */
export interface CastView {
  /** The number of the event after which the cast is shown; null follows it live. */
  readonly at: number | null;
  readonly seq: number;
  readonly trail: Trail;
  readonly board: Board;
  /** As it is now, whatever is looked at. */
  readonly latest: Board;
  readonly visits: readonly VisitRecord[];
  /** Every visit until now, also those after the moment that is looked at. */
  readonly allVisits: readonly VisitRecord[];
  readonly rows: readonly TimelineRow[];
  readonly ways: readonly WayTaken[];
  /** The edge that a limit closed, by the id of its way, where the cast stopped at one. */
  readonly closed: string | null;
  /** The list that is walked now. */
  readonly pass: Pass | null;
  /** The visit that is read. */
  readonly visit: VisitRecord | undefined;
  readonly now: number;
  readonly announcement: string;
  readonly goLive: () => void;
  readonly goTo: (seq: number) => void;
  readonly goToVisit: (index: number) => void;
  /** Reads a visit without leaving the moment. */
  readonly read: (index: number) => void;
  readonly step: (by: -1 | 1) => void;
}

/** What each part of the page is given. */
export interface CastPartProps {
  readonly cast: LoadedCast;
  readonly view: CastView;
}

export function useCastView({ replay, alive, castFile, progress, version }: LoadedCast): CastView {
  const [at, setAt] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const lastSeq = replay.lastSeq();
  const seq = Math.min(at ?? lastSeq, lastSeq);
  const trail = useMemo(() => replay.trailAt(seq), [replay, seq, version]);
  const newest = useMemo(() => replay.trailAt(lastSeq), [replay, lastSeq]);
  const isRunning = alive && newest.state.phase.kind !== "ended" && newest.state.phase.kind !== "waiting";
  // An event may be newer than the last tick of the clock.
  const now = Math.max(useNow(isRunning), millisOf(newest.clock.lastAt, 0));
  const lineage = useMemo(
    () => ({ targets: castFile.targets.map(({ name }) => name), fromCastId: castFile.fromCastId }),
    [castFile],
  );
  const used = progress.used();
  const latest = useMemo(() => boardOf(newest, { now, alive, lineage, used }), [newest, now, alive, lineage, used]);
  const board = useMemo(
    () => (at === null ? latest : boardOf(trail, { now: Date.parse(trail.clock.lastAt ?? "") || now, lineage })),
    [at, latest, trail, lineage, now],
  );
  const allVisits = useMemo(() => replay.visitsAt(lastSeq), [replay, lastSeq, version]);
  const visits = useMemo(() => (at === null ? allVisits : replay.visitsAt(seq)), [replay, at, seq, allVisits]);
  const rows = useMemo(() => timelineRows(allVisits), [allVisits]);
  const ways = useMemo(() => replay.waysAt(seq), [replay, seq]);
  const visit = (chosen === null ? undefined : allVisits[chosen]) ?? visits.at(-1);

  const goLive = (): void => {
    setAt(null);
    setChosen(null);
  };
  const goTo = (to: number): void => {
    setAt(Math.max(1, Math.min(to, lastSeq)));
    setChosen(null);
  };
  const goToVisit = (index: number): void => {
    const target = allVisits[Math.max(0, Math.min(index, allVisits.length - 1))];
    if (!target) return;
    // The visit as it ended, before the cast went on from it.
    setAt(target.leftBy === null ? Math.min(target.lastSeq, lastSeq) : target.leftBy - 1);
    setChosen(target.index);
  };
  const here = visit?.index ?? 0;
  const step = (by: -1 | 1): void => goToVisit(here + by);
  const stepItem = (by: -1 | 1): void => {
    const row = rows.findIndex(({ visits: own }) => own.some(({ index }) => index === here));
    const target = rows[row + by]?.visits[0];
    if (target) goToVisit(target.index);
  };
  useKeys({
    "[": () => step(-1),
    "]": () => step(1),
    "shift+{": () => stepItem(-1),
    "shift+}": () => stepItem(1),
    home: () => goToVisit(0),
    end: () => goToVisit(allVisits.length - 1),
    f: goLive,
    escape: () => (at === null ? false : goLive()),
  });
  const position = board.position;
  const announcement = [
    at === null ? statusText(board.status) : "Seen as it was",
    ...(position && board.status !== "completed" ? [`${position.materia}, visit ${position.visit}`] : []),
    ...(board.item ? [`item ${board.item.number} of ${board.item.of}`] : []),
  ].join(", ");
  return {
    at,
    seq,
    trail,
    board,
    latest,
    visits,
    allVisits,
    rows,
    ways,
    closed: closedEdge(replay.events()[seq - 1], replay.events()[seq - 2]),
    pass: newest.state.pass,
    visit,
    now,
    announcement,
    goLive,
    goTo,
    goToVisit,
    read: setChosen,
    step,
  };
}

/** A cast that stopped at a limit wrote the limit, then its end. */
function closedEdge(...last: readonly (CastEvent | undefined)[]): CastView["closed"] {
  const limit = last.find((event) => event?.type === "limit_reached");
  if (limit?.type !== "limit_reached" || limit.where.via !== "edge") return null;
  return edgeWayId(limit.where.socket, limit.where.index ?? -1);
}
