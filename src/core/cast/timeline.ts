import type { CastEvent } from "./state/event.ts";
import type { CastState } from "./state/state.ts";
import type { SocketId } from "../model/ids.ts";
import { readingOrder } from "../compile/reading-order.ts";
import { NO_USAGE, type Usage } from "./state/usage.ts";
import { parseMillis } from "../model/text.ts";
import { MAX_ITEM_CELLS } from "./summary.ts";
import { apply } from "./apply.ts";

export interface CastTimeline {
  readonly state: CastState;
  readonly order: readonly SocketId[];
  readonly clock: WorkClock;
  readonly visitSince: WorkClock;
  readonly last: Pick<CastStep, "event" | "before"> | null;
  /** The current list, or the last one. */
  readonly walk: ListProgress | null;
}

interface ListProgress {
  readonly loop: string;
  readonly size: number;
  readonly done: number;
  /** Indexes of items that were sent back, as far as cells show them. */
  readonly reworked: readonly number[];
  readonly givenUp: GivenUpItems;
}

export function startTimeline(state: CastState): CastTimeline {
  const order = readingOrder(state.graph).map(({ id }) => id);
  return { state, order, clock: UNSTARTED_CLOCK, visitSince: UNSTARTED_CLOCK, last: null, walk: null };
}

/** Advances by one step; its cost does not depend on earlier events. */
export function advanceTimeline(timeline: CastTimeline, { event, before, after }: CastStep): CastTimeline {
  const clock = advanceClock(timeline.clock, before, event);
  return {
    state: after,
    order: timeline.order,
    clock,
    visitSince: event.type === "visit_started" ? clock : timeline.visitSince,
    last: isReported(before, event) ? { event, before } : timeline.last,
    walk: advanceListProgress(timeline.walk, after, event),
  };
}

export function buildTimeline(state: CastState, events: Iterable<CastEvent>): CastTimeline {
  let timeline = startTimeline(state);
  for (const step of replaySteps(state, events)) timeline = advanceTimeline(timeline, step);
  return timeline;
}

function advanceListProgress(walk: ListProgress | null, { pass }: CastState, event: CastEvent): ListProgress | null {
  if (event.type === "loop_entered")
    return { loop: event.loop, size: event.size, done: 0, reworked: [], givenUp: { count: 0, at: [] } };
  if (!walk) return null;
  if (event.type === "cursor_advanced") return { ...walk, done: event.index - walk.givenUp.count };
  if (event.type === "item_merged") return { ...walk, done: event.index + 1 - walk.givenUp.count };
  if (event.type === "item_conflicted") {
    // The item runs again, so the result of the earlier attempt does not count.
    const { count, at } = walk.givenUp;
    const givenUp = { count: pass?.givenUp.length ?? count, at: at.filter((index) => index !== event.index) };
    return withReworked({ ...walk, givenUp }, event.index);
  }
  if (event.type === "item_given_up") {
    const { count, at } = walk.givenUp;
    return { ...walk, givenUp: { count: count + 1, at: event.index < MAX_ITEM_CELLS ? [...at, event.index] : at } };
  }
  if (event.type !== "edge_taken" || event.when !== "not_satisfied" || event.then || !pass) return walk;
  return withReworked(walk, pass.cursor);
}

function withReworked(walk: ListProgress, index: number): ListProgress {
  const isKnown = index >= MAX_ITEM_CELLS || walk.reworked.includes(index);
  return isKnown ? walk : { ...walk, reworked: [...walk.reworked, index] };
}

export interface WorkClock {
  readonly startedAt: string | null;
  readonly lastAt: string | null;
  readonly idleMs: number;
  /** [T37] Set for a fork: earlier events belong to another cast. */
  readonly forkedAt?: string;
}

export const UNSTARTED_CLOCK: WorkClock = { startedAt: null, lastAt: null, idleMs: 0 };

export function advanceClock(clock: WorkClock, before: CastState, event: CastEvent): WorkClock {
  const startedAt = clock.startedAt ?? event.at;
  const idleMs = clock.idleMs + idleMsBefore(clock, before, event);
  const forkedAt = (event.type === "cast_started" ? event.forkedFrom?.at : undefined) ?? clock.forkedAt;
  // Events of one write usually share their time.
  if (event.at === clock.lastAt && idleMs === clock.idleMs && forkedAt === clock.forkedAt) return clock;
  const ticked: WorkClock = { startedAt, lastAt: event.at, idleMs };
  return forkedAt === undefined ? ticked : { ...ticked, forkedAt };
}

/** Idle time: waiting for a person, asleep, or stopped before a resume or a fork. */
function idleMsBefore({ lastAt, forkedAt = "" }: WorkClock, { phase }: CastState, event: CastEvent): number {
  if (forkedAt > (lastAt ?? forkedAt) && forkedAt <= event.at) return parseMillis(forkedAt, 0) - parseMillis(lastAt, 0);
  // A killed process writes no end, so idle time shows only at the resume.
  if (phase.kind !== "waiting" && phase.kind !== "sleeping" && phase.kind !== "ended" && event.type !== "cast_resumed")
    return 0;
  const at = parseMillis(event.at, 0);
  return Math.max(0, at - parseMillis(lastAt, at));
}

/** Working time since a reading of this clock, until the last event or a later moment. */
export function workedMsSince(clock: WorkClock, since: WorkClock, until = parseMillis(clock.lastAt, 0)): number {
  const from = parseMillis(since.lastAt, until);
  return Math.max(0, until - from - (clock.idleMs - since.idleMs));
}

/** Usage of the current turn after an event; nothing once the journal has counted it. */
export function pendingUsageAfter(used: Usage, event: CastEvent): Usage {
  return recordsUsage(event) ? NO_USAGE : used;
}

export function recordsUsage(event: CastEvent): boolean {
  return "usage" in event || event.type === "visit_started";
}

export interface GivenUpItems {
  readonly count: number;
  readonly at: readonly number[];
}

export function isReported({ phase }: CastState, event: CastEvent): boolean {
  switch (event.type) {
    case "checkpoint_taken":
    case "loop_exhausted":
    case "spent_elsewhere":
      return false;
    case "cursor_advanced":
      // The report of the given-up item has said it already.
      return !(phase.kind === "leaving" && phase.gaveUp);
    case "edge_taken":
      return event.when === "not_satisfied";
    case "visit_completed":
      return event.files !== undefined && ("problem" in event.files || event.files.changed > 0);
    default:
      return true;
  }
}

export interface CastStep {
  readonly event: CastEvent;
  readonly before: CastState;
  readonly after: CastState;
}

export function applyStep(before: CastState, event: CastEvent): CastStep {
  return { event, before, after: apply(before, event) };
}

export function* replaySteps(start: CastState, events: Iterable<CastEvent>): Iterable<CastStep> {
  let before = start;
  for (const event of events) {
    const step = applyStep(before, event);
    before = step.after;
    yield step;
  }
}
