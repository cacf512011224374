import { loopOf, socketOf } from "../compile/graph.ts";
import type { Way } from "../compile/route.ts";
import { END } from "../model/ids.ts";
import type { Destination } from "../model/ids.ts";
import type { EventOf } from "./event.ts";
import { expect } from "./expect.ts";
import { traversalKey } from "./limits.ts";
import { listAt } from "./list.ts";
import { reasonsFor, remember } from "./rework.ts";
import type { CastState, Note, Visit } from "./state.ts";
import { EMPTY_TALLY, increment } from "./tally.ts";

/** On the way to a place; an arrival counts as a return until something makes progress. */
export function arriveAt(
  state: CastState,
  place: { readonly at: Destination; readonly from: Visit["from"] },
): CastState {
  return {
    ...state,
    phase: { kind: "arriving", ...place },
    counts: {
      ...state.counts,
      arrivals: place.at === END ? state.counts.arrivals : increment(state.counts.arrivals, place.at),
    },
  };
}

export function takeEdge(state: CastState, event: EventOf<"edge_taken">): CastState {
  if (state.phase.kind !== "leaving" && state.phase.kind !== "bypassing")
    throw new Error(`edge_taken cannot happen while the cast is ${state.phase.kind}`);
  const way = wayOf(state, event);
  const { scope, key } = traversalKey(state, event.from, way);
  const counted = { ...state.counts, [scope]: increment(state.counts[scope], key) };
  // A counted edge is progress of its own kind: the ways round it are limited by its count.
  const bounded = way.via === "edge" && way.edge.maxTraversals !== undefined;
  const staysInLoop =
    event.to !== END && state.pass !== null && socketOf(state.graph, event.to).loop === state.pass.loop;
  const moved: CastState = {
    ...state,
    pass: staysInLoop ? state.pass : null,
    counts: bounded ? { ...counted, arrivals: EMPTY_TALLY } : counted,
    rework: reworkAfter(state, event),
  };
  return arriveAt(moved, { at: event.to, from: event.from });
}

/** The authored way that an event speaks of. */
function wayOf(state: CastState, event: EventOf<"edge_taken">): Way {
  if (event.via === "none") return { via: "none", to: event.to };
  const socket = socketOf(state.graph, event.from);
  const index = event.index ?? -1;
  if (event.via === "edge") {
    const edge = socket.edges[index];
    if (edge?.to !== event.to) throw new Error(`${event.from} has no such edge to ${event.to}`);
    return { via: "edge", to: edge.to, edge, index };
  }
  const exit = loopOf(state.graph, socket)?.exits[index];
  if (exit?.targetSocketId !== event.to) throw new Error(`${event.from} has no such exit to ${event.to}`);
  return { via: "exit", to: exit.targetSocketId, exit, index };
}

/** [R1, R4] A `not_satisfied` route brings its reason; any other kind of route clears what was kept for the socket. */
function reworkAfter(state: CastState, event: EventOf<"edge_taken">): CastState["rework"] {
  if (event.to === END) return state.rework;
  const kept = reasonsFor(state, event.to);
  if (event.when === "not_satisfied" && state.satisfied === false && state.handed) {
    const reason = `${state.handed.materia} (${state.handed.socket}): ${state.handed.reason}`;
    return { ...state.rework, [event.to]: remember(kept, reason) };
  }
  if (kept.length === 0) return state.rework;
  const { [event.to]: _forgotten, ...others } = state.rework;
  return others;
}

export function enterLoop(state: CastState, event: EventOf<"loop_entered">): CastState {
  const phase = expect(state, event, "arriving");
  const loop = state.graph.loops[event.loop];
  const items = loop?.items ? listAt(state, loop.items) : "the loop walks no list";
  if (typeof items === "string" || items.length !== event.size)
    throw new Error(`the loop ${event.loop} cannot be entered with ${event.size} items`);
  return {
    ...state,
    phase,
    pass: { loop: event.loop, items, note: noteFor(state, loop?.items ?? []), cursor: 0 },
    counts: { ...state.counts, item: EMPTY_TALLY, allowed: lastingOnly(state) },
    // What sends the cast back into the loop is the reason to do its first item again.
    rework: withoutLoop(state, event.loop, phase.at),
    done: { ...state.done, items: state.done.items + event.size },
  };
}

function noteFor({ notes }: CastState, path: readonly string[]): Note | null {
  const key = path.join(".");
  // A path may be a word that every object seems to have.
  return Object.hasOwn(notes, key) ? (notes[key] ?? null) : null;
}

/** What was allowed for an item goes with it; what was allowed for the cast stays. */
function lastingOnly({ counts }: CastState): CastState["counts"]["allowed"] {
  const entries = Object.entries(counts.allowed);
  return entries.length === 0
    ? counts.allowed
    : Object.fromEntries(entries.filter(([key]) => key.startsWith("lasting ")));
}

/** [G10, R4] A new item: nothing that was counted or said for the old one holds for it. */
export function advance(state: CastState, event: EventOf<"cursor_advanced">): CastState {
  const phase = expect(state, event, "leaving");
  if (!state.pass || event.index !== state.pass.cursor + 1)
    throw new Error(`the cursor of ${event.loop} cannot move to ${event.index}`);
  return {
    ...state,
    phase: { ...phase, moved: "advanced" },
    pass: { ...state.pass, cursor: event.index },
    counts: { ...state.counts, item: EMPTY_TALLY, arrivals: EMPTY_TALLY, allowed: lastingOnly(state) },
    rework: withoutLoop(state, event.loop),
    done: { ...state.done, itemsDone: state.done.itemsDone + 1 },
  };
}

function withoutLoop(state: CastState, loop: string, except?: string): CastState["rework"] {
  const members = new Set<string>(state.graph.loops[loop]?.sockets);
  return Object.fromEntries(Object.entries(state.rework).filter(([id]) => id === except || !members.has(id)));
}

export function exhaust(state: CastState, event: EventOf<"loop_exhausted">): CastState {
  if (event.by === "advance")
    return { ...state, phase: { ...expect(state, event, "leaving"), moved: "exhausted" }, pass: null };
  const { at } = expect(state, event, "arriving");
  if (at === END) throw new Error(`${event.loop} cannot be passed by on the way to the end`);
  return { ...state, phase: { kind: "bypassing", loop: event.loop, member: at }, pass: null };
}
