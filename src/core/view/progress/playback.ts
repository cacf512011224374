import type { CastEvent } from "../../cast/state/event.ts";
import { type CastStart, initialState } from "../../cast/state/state.ts";
import { applyStep, replaySteps } from "../../cast/cast-step.ts";
import { advanceTimeline, startTimeline, type CastTimeline } from "../../cast/timeline.ts";
import { startVisitRecord, updateVisitRecord, type VisitRecord } from "./visit-record.ts";
import { toWayTaken, type WayTaken } from "./traversals.ts";
import { parseMillis } from "../../model/text.ts";

/**
 * A cast that can be seen as it was after any of its events. The state is kept now and then, so that going back
 * folds a few events and never all of them.
 */
export interface CastPlayback {
  /** Takes the next event; one that is already known is passed over. */
  readonly push: (event: CastEvent) => void;
  readonly events: () => readonly CastEvent[];
  readonly lastSeq: () => number;
  /** The cast after the event `seq`; 0 is before the first. */
  readonly timelineAt: (seq: number) => CastTimeline;
  /** The visits that had begun by then; the last of them as it stood then. */
  readonly visitsAt: (seq: number) => readonly VisitRecord[];
  readonly waysTakenAt: (seq: number) => readonly WayTaken[];
  /** The work done until the event `seq`, in milliseconds. */
  readonly workedAt: (seq: number) => number;
  /** The last event at or before so much work, from 1 on. */
  readonly seqAt: (ms: number) => number;
}

const SNAPSHOT_EVERY = 64;

export function createPlayback(start: CastStart): CastPlayback {
  const first = startTimeline(initialState(start));
  const events: CastEvent[] = [];
  const kept: CastTimeline[] = [first];
  const visits: VisitRecord[] = [];
  const ways: WayTaken[] = [];
  const worked: number[] = [0];
  let latest = first;
  let passes = 0;
  let cameBy: number | null = null;

  const noteVisit = (before: CastTimeline, event: CastEvent): void => {
    const at = timelineWorkMs(latest);
    if (event.type === "loop_entered") passes += 1;
    if (event.type === "visit_started") {
      visits.push(startVisitRecord(before.state, event, { index: visits.length, pass: passes, at, cameBy }));
      return;
    }
    if (event.type === "edge_taken") cameBy = event.seq;
    const open = visits.at(-1);
    if (open) visits[visits.length - 1] = updateVisitRecord(open, latest.state, event, at);
  };
  const push = (event: CastEvent): void => {
    if (event.seq !== events.length + 1) return;
    const before = latest;
    latest = advanceTimeline(before, applyStep(before.state, event));
    events.push(event);
    worked.push(timelineWorkMs(latest));
    if (event.type === "edge_taken") ways.push(toWayTaken(before.state, event));
    noteVisit(before, event);
    if (event.seq % SNAPSHOT_EVERY === 0) kept.push(latest);
  };
  const trailAt = (seq: number): CastTimeline => {
    if (seq >= events.length) return latest;
    const near = Math.floor(Math.max(0, seq) / SNAPSHOT_EVERY);
    let trail = kept[near] ?? first;
    for (const step of replaySteps(trail.state, events.slice(near * SNAPSHOT_EVERY, seq)))
      trail = advanceTimeline(trail, step);
    return trail;
  };
  const visitsAt = (seq: number): readonly VisitRecord[] => {
    if (seq >= events.length) return [...visits];
    const begun = visits.filter(({ firstSeq }) => firstSeq <= seq);
    const last = begun.at(-1);
    if (!last || last.lastSeq <= seq) return begun;
    return [...begun.slice(0, -1), visitAsOf(last, seq)];
  };
  const visitAsOf = (visit: VisitRecord, seq: number): VisitRecord => {
    const opening = events[visit.firstSeq - 1];
    if (opening?.type !== "visit_started") return visit;
    const { state } = trailAt(visit.firstSeq - 1);
    const { index, cameBy: came } = visit;
    const arrival = { index, pass: visit.item?.pass ?? 0, at: visit.from, cameBy: came };
    let record = startVisitRecord(state, opening, arrival);
    for (const { event, after } of replaySteps(state, events.slice(visit.firstSeq - 1, seq)))
      if (event.seq > visit.firstSeq) record = updateVisitRecord(record, after, event, worked[event.seq] ?? 0);
    return record;
  };
  return {
    push,
    events: () => events,
    lastSeq: () => events.length,
    timelineAt: trailAt,
    visitsAt,
    waysTakenAt: (seq) => (seq >= events.length ? [...ways] : ways.filter((way) => way.seq <= seq)),
    workedAt: (seq) => worked[Math.min(seq, events.length)] ?? 0,
    seqAt: (ms) => {
      let [low, high] = [1, events.length];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((worked[middle] ?? 0) <= ms) low = middle;
        else high = middle - 1;
      }
      return Math.max(1, low);
    },
  };
}

function timelineWorkMs({ clock }: CastTimeline): number {
  const last = parseMillis(clock.lastAt, 0);
  return Math.max(0, last - parseMillis(clock.startedAt, last) - clock.idleMs);
}
