import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { replaySteps, type CastStep } from "../../cast/step.ts";
import type { SocketId } from "../../model/ids.ts";
import { isReported } from "../tell/event-line.ts";
import { readingOrder } from "../graph/order.ts";
import { MAX_ITEM_CELLS, type GivenUpItems } from "./cells.ts";
import { UNSTARTED_CLOCK, advanceClock, type WorkClock } from "../clock.ts";

/** A cast with what its state alone does not tell: when things happened, and which items came back. */
export interface CastTimeline {
  readonly state: CastState;
  /** The sockets in reading order, worked out once. */
  readonly order: readonly SocketId[];
  readonly clock: WorkClock;
  /** The clock when the visit in hand began. */
  readonly visitSince: WorkClock;
  /** The last event that is worth a word, with the cast before it. */
  readonly last: Pick<CastStep, "event" | "before"> | null;
  /** The list that is walked, or was last. */
  readonly walk: ListProgress | null;
}

interface ListProgress {
  readonly loop: string;
  readonly size: number;
  readonly done: number;
  /** Positions of items that came back, as far as cells are shown for them. */
  readonly reworked: readonly number[];
  readonly givenUp: GivenUpItems;
}

export function startTimeline(state: CastState): CastTimeline {
  const order = readingOrder(state.graph).map(({ id }) => id);
  return { state, order, clock: UNSTARTED_CLOCK, visitSince: UNSTARTED_CLOCK, last: null, walk: null };
}

/** One step further; its cost does not depend on what happened before. */
export function advanceTimeline(trail: CastTimeline, { event, before, after: state }: CastStep): CastTimeline {
  const clock = advanceClock(trail.clock, before, event);
  return {
    state,
    order: trail.order,
    clock,
    visitSince: event.type === "visit_started" ? clock : trail.visitSince,
    last: isReported(before, event) ? { event, before } : trail.last,
    walk: advanceListProgress(trail.walk, state, event),
  };
}

export function buildTimeline(state: CastState, events: Iterable<CastEvent>): CastTimeline {
  let trail = startTimeline(state);
  for (const step of replaySteps(state, events)) trail = advanceTimeline(trail, step);
  return trail;
}

function advanceListProgress(walk: ListProgress | null, { pass }: CastState, event: CastEvent): ListProgress | null {
  if (event.type === "loop_entered") return startListProgress(event);
  if (!walk) return null;
  if (event.type === "cursor_advanced") return { ...walk, done: event.index - walk.givenUp.count };
  if (event.type === "item_merged") return { ...walk, done: event.index + 1 - walk.givenUp.count };
  if (event.type === "item_conflicted") {
    // It is worked on again: that its own cast gave it up does not count.
    const { count, at } = walk.givenUp;
    const givenUp = { count: pass?.givenUp ?? count, at: at.filter((index) => index !== event.index) };
    const known = event.index >= MAX_ITEM_CELLS || walk.reworked.includes(event.index);
    return { ...walk, givenUp, reworked: known ? walk.reworked : [...walk.reworked, event.index] };
  }
  if (event.type === "item_given_up") {
    const { count, at } = walk.givenUp;
    return { ...walk, givenUp: { count: count + 1, at: event.index < MAX_ITEM_CELLS ? [...at, event.index] : at } };
  }
  if (event.type !== "edge_taken" || event.when !== "not_satisfied" || event.then || !pass) return walk;
  const known = pass.cursor >= MAX_ITEM_CELLS || walk.reworked.includes(pass.cursor);
  return known ? walk : { ...walk, reworked: [...walk.reworked, pass.cursor] };
}

function startListProgress({ loop, size }: EventOf<"loop_entered">): ListProgress {
  return { loop, size, done: 0, reworked: [], givenUp: { count: 0, at: [] } };
}
