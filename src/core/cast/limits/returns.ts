import { type Way, isTraversalCounted } from "../../compile/route.ts";
import { socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import type { CastState } from "../state/state.ts";
import { keysOf, getValue, withValue, withoutKeys } from "../state/table.ts";
import { countOf, type ReturnCount } from "../state/tally.ts";

/** [G9] Visits of a socket for the item in hand since something made progress: the first, and each return. */
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

/** The place in its list of the item that a visit of this socket is for; null outside loops. */
function itemIndexAt({ graph, pass }: CastState, socket: SocketId): number | null {
  return pass && socketOf(graph, socket).loop === pass.loop ? pass.cursor : null;
}

/** [G10] The counts after an item advanced, or the list was made anew: those of the loop's members begin again. */
export function withoutLoopReturns({ graph, counts }: CastState, loop: string): CastState["counts"]["returns"] {
  return withoutKeys(counts.returns, graph.loops[loop]?.sockets ?? []);
}

/** [G10] The counts after a counted edge: every socket on the cycle that it closes begins again. */
export function returnsAfterWay(state: CastState, from: SocketId, way: Way): CastState["counts"]["returns"] {
  const { graph, pass, counts } = state;
  if (way.to === "end" || !isTraversalCounted(way)) return counts.returns;
  const { loop } = socketOf(graph, from);
  const inLoop = pass !== null && pass.loop === loop && socketOf(graph, way.to).loop === loop;
  const last = getValue(state.lastVisits, way.to);
  // What was visited for an earlier item, or never, is not on a way round that this edge closes.
  if (last === undefined || (inLoop && last <= pass.since)) return counts.returns;
  const among = inLoop ? (graph.loops[pass.loop]?.sockets ?? []) : keysOf(state.lastVisits);
  return withoutKeys(counts.returns, visitedSince(state, last, among));
}

/** [G10] The counts after a person allowed so many more rounds through a socket. */
export function withExtraReturns(state: CastState, socket: SocketId, times: number): CastState["counts"] {
  const { counts, lastVisits } = state;
  const last = getValue(lastVisits, socket) ?? Infinity;
  let { returns } = counts;
  for (const key of visitedSince(state, last, keysOf(lastVisits))) {
    const known = getValue(returns, key) ?? [];
    const more = known.map((had): ReturnCount => ({ ...had, allowed: had.allowed + times }));
    returns = withValue(returns, key, more);
  }
  const passedBy = Object.entries(counts.passedBy).map(([loop, count]): [string, number] => [loop, count - times]);
  return { ...counts, returns, passedBy: Object.fromEntries(passedBy) };
}

function visitedSince({ lastVisits }: CastState, last: number, among: readonly string[]): readonly string[] {
  return among.filter((key) => countOf(lastVisits, key) >= last);
}

/** The way round: from the last visit of a socket on, as it was walked since. */
export function cycleSinceLastVisit({ walked }: CastState, socket: SocketId): readonly SocketId[] {
  const start = walked.lastIndexOf(socket);
  return start === -1 ? [] : walked.slice(start);
}
