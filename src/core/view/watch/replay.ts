import type { CastEvent } from "../../cast/state/event.ts";
import { type CastStart, startState } from "../../cast/state/state.ts";
import { stepFrom, stepsFrom } from "../../cast/step.ts";
import { follow, startTrail, type Trail } from "../now/trail.ts";
import { millisOf } from "../numbers.ts";
import { beginVisit, continueVisit, type VisitRecord } from "./visit.ts";
import { wayTaken, type WayTaken } from "./way.ts";

/**
 * A cast that can be seen as it was after any of its events. The state is kept now and then, so that going back
 * folds a few events and never all of them.
 */
export interface Replay {
  /** Takes the next event; one that is already known is passed over. */
  readonly push: (event: CastEvent) => void;
  readonly events: () => readonly CastEvent[];
  readonly lastSeq: () => number;
  /** The cast after the event `seq`; 0 is before the first. */
  readonly trailAt: (seq: number) => Trail;
  /** The visits that had begun by then; the last of them as it stood then. */
  readonly visitsAt: (seq: number) => readonly VisitRecord[];
  readonly waysAt: (seq: number) => readonly WayTaken[];
  /** The work done until the event `seq`, in milliseconds. */
  readonly workedAt: (seq: number) => number;
  /** The last event at or before so much work, from 1 on. */
  readonly seqAt: (ms: number) => number;
}

const KEEP_EVERY = 64;

export function openReplay(start: CastStart): Replay {
  const first = startTrail(startState(start));
  const events: CastEvent[] = [];
  const kept: Trail[] = [first];
  const visits: VisitRecord[] = [];
  const ways: WayTaken[] = [];
  const worked: number[] = [0];
  let latest = first;
  let passes = 0;
  let cameBy: number | null = null;

  const noteVisit = (before: Trail, event: CastEvent): void => {
    const at = workedMs(latest);
    if (event.type === "loop_entered") passes += 1;
    if (event.type === "visit_started") {
      visits.push(beginVisit(before.state, event, { index: visits.length, pass: passes, at, cameBy }));
      return;
    }
    if (event.type === "edge_taken") cameBy = event.seq;
    const open = visits.at(-1);
    if (open) visits[visits.length - 1] = continueVisit(open, latest.state, event, at);
  };
  const push = (event: CastEvent): void => {
    if (event.seq !== events.length + 1) return;
    const before = latest;
    latest = follow(before, stepFrom(before.state, event));
    events.push(event);
    worked.push(workedMs(latest));
    if (event.type === "edge_taken") ways.push(wayTaken(before.state, event));
    noteVisit(before, event);
    if (event.seq % KEEP_EVERY === 0) kept.push(latest);
  };
  const trailAt = (seq: number): Trail => {
    if (seq >= events.length) return latest;
    const near = Math.floor(Math.max(0, seq) / KEEP_EVERY);
    let trail = kept[near] ?? first;
    for (const step of stepsFrom(trail.state, events.slice(near * KEEP_EVERY, seq))) trail = follow(trail, step);
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
    let record = beginVisit(state, opening, arrival);
    for (const { event, after } of stepsFrom(state, events.slice(visit.firstSeq - 1, seq)))
      if (event.seq > visit.firstSeq) record = continueVisit(record, after, event, worked[event.seq] ?? 0);
    return record;
  };
  return {
    push,
    events: () => events,
    lastSeq: () => events.length,
    trailAt,
    visitsAt,
    waysAt: (seq) => (seq >= events.length ? [...ways] : ways.filter((way) => way.seq <= seq)),
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

function workedMs({ clock }: Trail): number {
  const last = millisOf(clock.lastAt, 0);
  return Math.max(0, last - millisOf(clock.startedAt, last) - clock.idleMs);
}
