import { isTraversalCounted, socketOf, type Way } from "../../compile/graph.ts";
import { END, type Destination, type SocketId } from "../../model/ids.ts";
import { addItemCount, itemCount } from "./item-counts.ts";
import type { CastState } from "./state.ts";
import { getValue, withValue, countOf, keysOf, withoutKeys, type ReturnCount } from "./persistent-map.ts";

/** [G7] The scope of a count: the current item if the way stays in its loop, else the whole cast. */
export type TraversalScope =
  | { readonly kind: "cast"; readonly way: string }
  | { readonly kind: "item"; readonly loop: string; readonly index: number; readonly way: string };

export function traversalScopeOf({ graph, pass, phase }: CastState, from: SocketId, way: Way): TraversalScope {
  const name = wayKey(from, way);
  const { loop } = socketOf(graph, from);
  const stays = way.to !== END && socketOf(graph, way.to).loop === loop;
  // [V48] Without a limit it is no part of the next item's walk: in parallel nobody knows yet which one is taken.
  const opensItem = phase.kind === "leaving" && phase.moved === "advanced" && !isTraversalCounted(way);
  return pass && pass.loop === loop && stays && !opensItem
    ? { kind: "item", loop: pass.loop, index: pass.cursor, way: name }
    : { kind: "cast", way: name };
}

function wayKey(from: SocketId, way: Way): string {
  if (way.via === "none") return `${from} end`;
  return `${from} ${way.via} ${way.index}${way.via === "edge" && way.then ? " then" : ""}`;
}

type TraversalMeasure = "taken" | "allowed";

export function traversalCount(state: CastState, measure: TraversalMeasure, scope: TraversalScope): number {
  if (scope.kind === "cast") return countOf(state.counts[measure], scope.way);
  const walk = getValue(state.walks, scope.loop);
  return walk ? itemCount(walk[measure], scope.index, scope.way) : 0;
}

export function addTraversals(
  { counts, walks }: Pick<CastState, "counts" | "walks">,
  measure: TraversalMeasure,
  scope: TraversalScope,
  times: number,
): Pick<CastState, "counts" | "walks"> {
  if (scope.kind === "cast") {
    const tally = withValue(counts[measure], scope.way, countOf(counts[measure], scope.way) + times);
    return { counts: measure === "taken" ? { ...counts, taken: tally } : { ...counts, allowed: tally }, walks };
  }
  const walk = getValue(walks, scope.loop);
  if (!walk) throw new Error(`the loop ${scope.loop} was never entered`);
  const counted = addItemCount(walk[measure], scope.index, scope.way, times);
  const after = measure === "taken" ? { ...walk, taken: counted } : { ...walk, allowed: counted };
  return { counts, walks: withValue(walks, scope.loop, after) };
}

/** [G9] Visits of a socket for the current item without progress: the first, and each return. */
export function visitsWithoutProgress(state: CastState, socket: SocketId): ReturnCount {
  const place = itemIndexAt(state, socket);
  return getValue(state.counts.returns, socket)?.find((each) => each.place === place) ?? noReturns(place);
}

function noReturns(place: number | null): ReturnCount {
  return { place, visits: 0, allowed: 0 };
}

export function countVisit(state: CastState, socket: SocketId): CastState["counts"]["returns"] {
  const { returns } = state.counts;
  const had = visitsWithoutProgress(state, socket);
  const others = getValue(returns, socket)?.filter(({ place }) => place !== had.place) ?? [];
  return withValue(returns, socket, [...others, { ...had, visits: had.visits + 1 }]);
}

/** The index of the item that a visit of this socket is for; null outside loops. */
export function itemIndexAt({ graph, pass }: CastState, socket: SocketId): number | null {
  return pass && socketOf(graph, socket).loop === pass.loop ? pass.cursor : null;
}

/** [G10] The counts after an item advanced or, with `entries`, the list was made anew: those of the loop restart. */
export function withoutLoopReturns(
  { graph, counts }: CastState,
  loop: string,
  entries = false,
): CastState["counts"]["returns"] {
  const members = graph.loops[loop]?.sockets ?? [];
  return withoutKeys(counts.returns, entries ? [...members, loopKey(loop)] : members);
}

/** [G39] The key of a loop among those of sockets, which have no colon. */
function loopKey(loop: string): string {
  return `loop:${loop}`;
}

/** [G39] Another entry of a loop with the same list. */
export function countLoopEntry(returns: CastState["counts"]["returns"], loop: string): CastState["counts"]["returns"] {
  const had = loopReturns(returns, loop);
  return withValue(returns, loopKey(loop), [{ ...had, visits: had.visits + 1 }]);
}

/** [G39] How often a loop was entered again with the same list and without progress. */
export function loopReturns(returns: CastState["counts"]["returns"], loop: string): ReturnCount {
  return getValue(returns, loopKey(loop))?.[0] ?? noReturns(null);
}

/** [G10] The counts after a limited edge: every socket on the cycle that it closes restarts. */
export function returnsAfterCycle(state: CastState, from: SocketId, to: Destination): CastState["counts"]["returns"] {
  const { graph, pass, counts } = state;
  if (to === END) return counts.returns;
  const { loop } = socketOf(graph, from);
  const inLoop = pass !== null && pass.loop === loop && socketOf(graph, to).loop === loop;
  const last = getValue(state.lastVisits, to);
  // A socket without a visit for this item is not on the cycle.
  if (last === undefined || (inLoop && last <= pass.since)) return counts.returns;
  if (!inLoop) return withoutKeys(counts.returns, placesSince(state, last));
  return withoutKeys(counts.returns, visitedSince(state, last, graph.loops[pass.loop]?.sockets ?? []));
}

function placesSince(state: CastState, last: number): readonly string[] {
  const sockets = visitedSince(state, last, keysOf(state.lastVisits));
  return [...sockets, ...new Set(sockets.flatMap((id) => loopKey(state.graph.sockets[id]?.loop ?? "")))];
}

/** [G32] The counts after a person allowed more visits of a socket. */
export function withExtraReturns(state: CastState, socket: SocketId, times: number): CastState["counts"] {
  const { counts, lastVisits } = state;
  const last = getValue(lastVisits, socket) ?? Infinity;
  let { returns } = counts;
  for (const key of placesSince(state, last)) {
    // A loop that was entered once has no returns yet; its next one may be the first too many.
    const counted = getValue(returns, key) ?? (key.includes(":") ? [noReturns(null)] : []);
    const more = counted.map((had): ReturnCount => ({ ...had, allowed: had.allowed + times }));
    returns = withValue(returns, key, more);
  }
  const passedBy = Object.entries(counts.passedBy).map(([loop, count]): [string, number] => [loop, count - times]);
  return { ...counts, returns, passedBy: Object.fromEntries(passedBy) };
}

function visitedSince({ lastVisits }: CastState, last: number, among: readonly string[]): readonly string[] {
  return among.filter((key) => countOf(lastVisits, key) >= last);
}

/** [J35] Of a long cycle the last sockets. */
export function cycleSinceLastVisit({ walked, lastVisits }: CastState, socket: SocketId): readonly SocketId[] {
  return getValue(lastVisits, socket) === undefined ? [] : walked.slice(Math.max(0, walked.lastIndexOf(socket)));
}

const MAX_WALKED_SOCKETS = 40;

export function walkedAfter(walked: CastState["walked"], socket: SocketId): CastState["walked"] {
  const next = [...walked];
  if (next.length >= MAX_WALKED_SOCKETS) next.shift();
  next.push(socket);
  return next;
}
