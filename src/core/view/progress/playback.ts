import type { CastEvent } from "../../cast/state/event.ts";
import type { CastStart } from "../../cast/state/state.ts";
import {
  applyStep,
  replaySteps,
  type CastStep,
  advanceTimeline,
  startTimeline,
  type CastTimeline,
} from "../../cast/timeline.ts";
import { advanceVisits, NO_VISITS, type VisitFold, type VisitRecord } from "../../history/visits.ts";
import { reworkReasonsFor } from "../../cast/state/rework-reasons.ts";
import type { ReworkReason } from "../../cast/state/parallel-run.ts";
import { takenWayId, type WayTaken } from "./cast-path.ts";
import { parseMillis } from "../../model/text.ts";
import { initialState } from "../../cast/state/initial-state.ts";

/** A visit as a timeline shows it. Times are milliseconds of work since the cast began. */
export interface TimelineVisit extends VisitRecord {
  readonly from: number;
  readonly to: number | null;
  /** Why the cast returns to this socket, newest first. */
  readonly reasons: readonly ReworkReason[];
}

export function visitEndSeq({ leftBy, lastSeq }: TimelineVisit, last: number): number {
  return leftBy === null ? Math.min(lastSeq, last) : leftBy - 1;
}

export type CastPlayback = Readonly<ReturnType<typeof createPlayback>>;

const SNAPSHOT_EVERY = 64;

interface Snapshot {
  readonly timeline: CastTimeline;
  readonly visits: VisitFold;
}

/** A cast as it stood after any of its events. Snapshots bound the cost of going back to `SNAPSHOT_EVERY` events. */
export function createPlayback(start: CastStart) {
  const first: Snapshot = { timeline: startTimeline(initialState(start)), visits: NO_VISITS };
  const events: CastEvent[] = [];
  const snapshots: Snapshot[] = [first];
  const visits: VisitRecord[] = [];
  const reasons: (readonly ReworkReason[])[] = [];
  const ways: WayTaken[] = [];
  const worked: number[] = [0];
  let latest = first;

  /** Takes the next event; ignores an event that it has. */
  const push = (event: CastEvent): void => {
    if (event.seq !== events.length + 1) return;
    const { state: before, clock } = latest.timeline;
    latest = advance(latest, applyStep(before, event));
    const { visit } = latest.visits;
    events.push(event);
    // Most events have the time of the one before.
    worked.push(latest.timeline.clock === clock ? (worked.at(-1) ?? 0) : timelineWorkMs(latest.timeline));
    if (event.type === "edge_taken") ways.push({ id: takenWayId(before, event), seq: event.seq });
    if (visit) visits[visit.index] = visit;
    if (visit?.firstSeq === event.seq)
      reasons.push(
        before.phase.kind === "arriving" && before.phase.reworked ? reworkReasonsFor(before, visit.socket) : [],
      );
    if (event.seq % SNAPSHOT_EVERY === 0) snapshots.push(latest);
  };
  const snapshotAt = (seq: number): Snapshot => {
    if (seq >= events.length) return latest;
    const near = Math.floor(Math.max(0, seq) / SNAPSHOT_EVERY);
    let snapshot = snapshots[near] ?? first;
    for (const step of replaySteps(snapshot.timeline.state, events.slice(near * SNAPSHOT_EVERY, seq)))
      snapshot = advance(snapshot, step);
    return snapshot;
  };
  const onTimeline = (visit: VisitRecord): TimelineVisit => ({
    ...visit,
    from: worked[visit.firstSeq] ?? 0,
    to: visit.endSeq === null ? null : (worked[visit.endSeq] ?? 0),
    reasons: reasons[visit.index] ?? [],
  });
  /** The visits that had begun by then; the last one as it stood then. */
  const visitsAt = (seq: number): readonly TimelineVisit[] => {
    if (seq >= events.length) return visits.map(onTimeline);
    const { visit } = snapshotAt(seq).visits;
    return visit ? [...visits.slice(0, visit.index), visit].map(onTimeline) : [];
  };
  return {
    push,
    events: (): readonly CastEvent[] => events,
    lastSeq: () => events.length,
    /** The cast after the event `seq`; 0 is before the first. */
    timelineAt: (seq: number): CastTimeline => snapshotAt(seq).timeline,
    visitsAt,
    waysTakenAt: (seq: number): readonly WayTaken[] => ways.filter((way) => way.seq <= seq),
    workedAt: (seq: number): number => worked[Math.min(seq, events.length)] ?? 0,
    /** The last event within this much work, from 1. */
    seqAt: (ms: number): number => lastIndexAtMost(worked, ms),
  };
}

function advance({ timeline, visits }: Snapshot, step: CastStep): Snapshot {
  return { timeline: advanceTimeline(timeline, step), visits: advanceVisits(visits, step.event) };
}

/** The last index from 1 whose value is at most `most`; values never fall. */
function lastIndexAtMost(values: readonly number[], most: number): number {
  let [low, high] = [1, values.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((values[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return Math.max(1, low);
}

function timelineWorkMs({ clock }: CastTimeline): number {
  const last = parseMillis(clock.lastAt, 0);
  return Math.max(0, last - parseMillis(clock.startedAt, last) - clock.idleMs);
}
