import { isTraversalCounted, loopOf, socketOf, type Way } from "../compile/graph.ts";
import { END, type Destination, type SocketId } from "../model/ids.ts";
import type { WorkItem } from "../model/handoff.ts";
import { valueAt } from "../model/json.ts";
import { NEXT_ITEM } from "../model/loadout.ts";
import type { EventOf } from "./state/event.ts";
import { expectPhase } from "./state/expect-phase.ts";
import { listsInState, readLoopList, noteForList, withGivenUpItem } from "./item-lists.ts";
import {
  countLoopEntry,
  returnsAfterCycle,
  withoutLoopReturns,
  addTraversals,
  traversalScopeOf,
} from "./state/traversal-counts.ts";
import { withoutItemConversations, withSentBack } from "./state/conversations.ts";
import { withReworkReason, withoutListReasons } from "./state/rework-reasons.ts";
import type { ItemCastInput } from "./state/parallel-run.ts";
import type { CastState, ListCounts } from "./state/state.ts";
import { NO_ITEM_COUNTS, withItemCounts, withoutItemPlaces, withoutItemValue } from "./state/item-counts.ts";
import { withoutKeys, getValue, withValue, countOf } from "./state/persistent-map.ts";

export function takeEdge(state: CastState, event: EventOf<"edge_taken">): CastState {
  const { phase } = state;
  if (phase.kind !== "leaving" && phase.kind !== "bypassing")
    throw new Error(`edge_taken cannot happen while the cast is ${phase.kind}`);
  const way = wayOfEvent(state, event);
  const { counts, walks } = addTraversals(state, "taken", traversalScopeOf(state, event.from, way), 1);
  const staysInLoop =
    event.to !== END && state.pass !== null && socketOf(state.graph, event.to).loop === state.pass.loop;
  const pass = staysInLoop ? state.pass : null;
  const hasReason = carriesReason(state, way, event);
  const reworked = hasReason && event.to !== END && countOf(state.visits, event.to) > 0;
  const arriving = { kind: "arriving", at: event.to, from: event.from, reworked } as const;
  const isCounted = isTraversalCounted(way) || (phase.kind === "bypassing" && phase.closesCycle === true);
  // [G10] The cycle that a limited edge closes ends at a visit, and an empty list has none.
  const closesLater = isCounted && pass === null && entersEmptyLoop(state, event.to);
  const returns = isCounted && !closesLater ? returnsAfterCycle(state, event.from, event.to) : counts.returns;
  return {
    ...state,
    walks,
    pass,
    lastPass: pass === null && state.pass !== null ? state.pass : state.lastPass,
    counts: { ...counts, returns },
    rework: event.to === END ? state.rework : reworkAfter(state, pass, event.to, hasReason),
    ...(hasReason ? { sentBack: withSentBack(state, event.from) } : undefined),
    phase: closesLater ? { ...arriving, closesCycle: true } : arriving,
  };
}

function entersEmptyLoop({ graph, data }: CastState, to: Destination): boolean {
  const items = to === END ? undefined : loopOf(graph, socketOf(graph, to))?.items;
  if (!items) return false;
  const list = valueAt(data, items) ?? [];
  return Array.isArray(list) && list.length === 0;
}

function wayOfEvent({ graph }: CastState, event: EventOf<"edge_taken">): Way {
  if (event.via === "none") return { via: "none", to: event.to };
  const socket = socketOf(graph, event.from);
  const index = event.index ?? -1;
  if (event.via === "edge") {
    const edge = socket.edges[index];
    if (!edge || (edge.to !== event.to && !event.then))
      throw new Error(`${event.from} has no such edge to ${event.to}`);
    return { via: "edge", to: event.to, edge, index, ...(event.then ? { then: true } : {}) };
  }
  const exit = loopOf(graph, socket)?.exits[index];
  if (exit?.targetSocketId !== event.to) throw new Error(`${event.from} has no such exit to ${event.to}`);
  return { via: "exit", to: exit.targetSocketId, exit, index };
}

/** [R1, R5] A `not_satisfied` way carries its reason. A given-up item leaves none for the next, nor a part of a chain. */
function carriesReason(state: CastState, way: Way, { when, from, to }: EventOf<"edge_taken">): boolean {
  if (when !== "not_satisfied" || state.satisfied !== false || state.handed === null) return false;
  if (to === END || startsNextItem(state.phase, way)) return false;
  return socketOf(state.graph, from).origin.target === socketOf(state.graph, to).origin.target;
}

/** [G28, R6] Whether it starts the item after a finished one, or after one that was given up. */
function startsNextItem(phase: CastState["phase"], way: Way): boolean {
  if (way.via !== "edge" || way.then !== true) return false;
  return way.edge.then === NEXT_ITEM || (phase.kind === "leaving" && phase.gaveUp);
}

function reworkAfter(
  { graph, rework, handed }: CastState,
  pass: CastState["pass"],
  to: SocketId,
  hasReason: boolean,
): CastState["rework"] {
  const there = { graph, rework, pass };
  if (!hasReason || !handed) return withoutItemValue(there, rework, to);
  const { socket, materia, item, reason: text } = handed;
  return withReworkReason(there, to, { socket, materia, item, text });
}

export function enterLoop(state: CastState, event: EventOf<"loop_entered">): CastState {
  const phase = expectPhase(state, event, "arriving");
  const { at } = phase;
  const loop = state.graph.loops[event.loop];
  const items = loop ? readLoopList(state, loop) : "there is no such loop";
  if (at === END || typeof items === "string" || items.length !== event.size)
    throw new Error(`the loop ${event.loop} cannot be entered with ${event.size} items`);
  const window = state.item?.window;
  const given = window?.list;
  const members = loop?.sockets ?? [];
  const entered: CastState = {
    ...state,
    pass: {
      loop: event.loop,
      items,
      note: given ? given.note : noteForList(state.notes, loop?.items ?? []),
      // [V29] The cast of one item has the whole list and walks one item of it.
      cursor: window?.index ?? 0,
      end: window ? window.index + 1 : items.length,
      oneByOne: window !== undefined,
      door: at,
      givenUp: [],
      since: state.begun,
    },
    done: { ...state.done, items: state.done.items + (window ? 1 : event.size) },
  };
  // [G26] Counts and notes of another list do not apply to this one.
  const last = getValue(state.walks, event.loop);
  if (last?.list === items)
    return { ...entered, counts: { ...state.counts, returns: countLoopEntry(state.counts.returns, event.loop) } };
  return {
    ...entered,
    walks: withValue(state.walks, event.loop, walkOf(state, last, items)),
    counts: {
      ...state.counts,
      returns: withoutLoopReturns(state, event.loop, true),
      unchanged: withoutKeys(state.counts.unchanged, members),
    },
    // [I3] An item has those of the attempt before.
    conversations: window ? state.conversations : withoutKeys(state.conversations, members),
    rework: withoutListReasons(entered, event.loop, at),
    reports: { ...state.reports, answers: withoutKeys(state.reports.answers, members) },
  };
}

/** [G40] A list that comes back has its counts; those of lists that are nowhere in state are gone. */
function walkOf(state: CastState, last: ListCounts | undefined, items: readonly WorkItem[]): ListCounts {
  const before = last ? [{ ...last, earlier: [] }, ...(last.earlier ?? [])] : [];
  const sameList = before.find(({ list }) => list === items);
  const there = new Set<unknown>(before.length === 0 ? [] : listsInState(state));
  const earlier = before.filter(({ list }) => list !== items && there.has(list));
  return { ...(sameList ?? { list: items, ...initialCounts(state.item?.window) }), earlier };
}

/** [V48] The cast of one item continues with the counts of an earlier pass. */
function initialCounts(window: ItemCastInput | undefined): Omit<ListCounts, "list"> {
  const { taken, allowed } = window?.counts ?? { taken: {}, allowed: {} };
  const index = window?.index ?? 0;
  return {
    taken: withItemCounts(NO_ITEM_COUNTS, index, taken),
    allowed: withItemCounts(NO_ITEM_COUNTS, index, allowed),
  };
}

/** [G10, R4] A new item starts without the returns and reasons of the old one. */
export function advance(state: CastState, event: EventOf<"cursor_advanced">): CastState {
  const phase = expectPhase(state, event, "leaving");
  const { graph, pass, rework, reports } = state;
  if (!pass || event.index !== pass.cursor + 1)
    throw new Error(`the cursor of ${event.loop} cannot move to ${event.index}`);
  return {
    ...state,
    phase: { ...phase, moved: "advanced" },
    pass: { ...pass, cursor: event.index, since: state.begun },
    counts: {
      ...state.counts,
      returns: withoutLoopReturns(state, event.loop),
      unchanged: withoutKeys(state.counts.unchanged, graph.loops[event.loop]?.sockets ?? []),
    },
    conversations: withoutItemConversations(state, event.loop, pass.cursor),
    rework: withoutItemPlaces(state, rework, event.loop, pass.cursor),
    reports: { ...reports, answers: withoutItemPlaces(state, reports.answers, event.loop, pass.cursor) },
    done: { ...state.done, itemsDone: state.done.itemsDone + (phase.gaveUp ? 0 : 1) },
    item: state.item && { ...state.item, advanced: phase.visit.socket },
  };
}

/** [G33] The item stays undone. The end of the cast lists such items. */
export function giveUpCurrentItem(state: CastState, event: EventOf<"item_given_up">): CastState {
  const { index, reason } = event;
  const phase = expectPhase(state, event, "leaving");
  if (state.pass?.cursor !== index) throw new Error(`item ${index} cannot be given up`);
  return { ...withGivenUpItem(state, state.pass, index, reason), phase: { ...phase, gaveUp: true } };
}

export function exhaustLoop(state: CastState, event: EventOf<"loop_exhausted">): CastState {
  if (event.by === "advance")
    return {
      ...state,
      phase: { ...expectPhase(state, event, "leaving"), moved: "exhausted" },
      pass: null,
      lastPass: state.pass,
    };
  const { at, closesCycle } = expectPhase(state, event, "arriving");
  if (at === END) throw new Error(`${event.loop} cannot be passed by on the way to the end`);
  const { passedBy } = state.counts;
  const times = (Object.hasOwn(passedBy, event.loop) ? (passedBy[event.loop] ?? 0) : 0) + 1;
  return {
    ...state,
    phase: { kind: "bypassing", loop: event.loop, member: at, ...(closesCycle ? { closesCycle } : {}) },
    pass: null,
    counts: { ...state.counts, passedBy: { ...passedBy, [event.loop]: times } },
    // A list without items has nothing to repeat.
    rework: withoutItemValue(state, state.rework, at),
  };
}
