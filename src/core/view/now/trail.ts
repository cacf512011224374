import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { stepsFrom, type CastStep } from "../../cast/step.ts";
import type { SocketId } from "../../model/ids.ts";
import { isTold } from "../tell/event-line.ts";
import { orderOf } from "../graph/order.ts";
import { CELLS_SHOWN, type GivenUpItems } from "./cells.ts";
import { UNSTARTED, tick, type Clock } from "../clock.ts";

/** A cast with what its state alone does not tell: when things happened, and which items came back. */
export interface Trail {
  readonly state: CastState;
  /** The sockets in reading order, worked out once. */
  readonly order: readonly SocketId[];
  readonly clock: Clock;
  /** The clock when the visit in hand began. */
  readonly visitSince: Clock;
  /** The last event that is worth a word, with the cast before it. */
  readonly last: Pick<CastStep, "event" | "before"> | null;
  /** The list that is walked, or was last. */
  readonly walk: Walk | null;
}

interface Walk {
  readonly loop: string;
  readonly size: number;
  readonly done: number;
  /** Positions of items that came back, as far as cells are shown for them. */
  readonly reworked: readonly number[];
  readonly givenUp: GivenUpItems;
}

export function startTrail(state: CastState): Trail {
  const order = orderOf(state.graph).map(({ id }) => id);
  return { state, order, clock: UNSTARTED, visitSince: UNSTARTED, last: null, walk: null };
}

/** One step further; its cost does not depend on what happened before. */
export function follow(trail: Trail, { event, before, after: state }: CastStep): Trail {
  const clock = tick(trail.clock, before, event);
  return {
    state,
    order: trail.order,
    clock,
    visitSince: event.type === "visit_started" ? clock : trail.visitSince,
    last: isTold(before, event) ? { event, before } : trail.last,
    walk: walkAfter(trail.walk, state, event),
  };
}

export function followAll(state: CastState, events: Iterable<CastEvent>): Trail {
  let trail = startTrail(state);
  for (const step of stepsFrom(state, events)) trail = follow(trail, step);
  return trail;
}

function walkAfter(walk: Walk | null, { pass }: CastState, event: CastEvent): Walk | null {
  if (event.type === "loop_entered") return startWalk(event);
  if (!walk) return null;
  if (event.type === "cursor_advanced") return { ...walk, done: event.index - walk.givenUp.count };
  if (event.type === "item_merged") return { ...walk, done: event.index + 1 - walk.givenUp.count };
  if (event.type === "item_conflicted") {
    // It is worked on again: that its own cast gave it up does not count.
    const { count, at } = walk.givenUp;
    const givenUp = { count: pass?.givenUp ?? count, at: at.filter((index) => index !== event.index) };
    const known = event.index >= CELLS_SHOWN || walk.reworked.includes(event.index);
    return { ...walk, givenUp, reworked: known ? walk.reworked : [...walk.reworked, event.index] };
  }
  if (event.type === "item_given_up") {
    const { count, at } = walk.givenUp;
    return { ...walk, givenUp: { count: count + 1, at: event.index < CELLS_SHOWN ? [...at, event.index] : at } };
  }
  if (event.type !== "edge_taken" || event.when !== "not_satisfied" || event.then || !pass) return walk;
  const known = pass.cursor >= CELLS_SHOWN || walk.reworked.includes(pass.cursor);
  return known ? walk : { ...walk, reworked: [...walk.reworked, pass.cursor] };
}

function startWalk({ loop, size }: EventOf<"loop_entered">): Walk {
  return { loop, size, done: 0, reworked: [], givenUp: { count: 0, at: [] } };
}
