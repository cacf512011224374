import { isGraphLoop, loopOf, type Graph, type GraphLoop, type GraphPlace, type GraphSocket } from "./graph.ts";
import { END, sortSocketIds, type Destination, type SocketId } from "../model/ids.ts";
import { appendTo } from "../model/lists.ts";
import { edgeTargets } from "../model/loadout.ts";

/** A socket in its row. `aside` counts the places of the same rank before it; 0 is on the main column. */
export interface OrderedSocket {
  readonly socket: GraphSocket;
  readonly aside: number;
}

export interface GraphBlock {
  readonly loop: GraphLoop | null;
  readonly rows: readonly OrderedSocket[];
  readonly aside: number;
  readonly target: number;
  readonly reached: boolean;
}

/** Every socket once in reading order: target by target, later sockets below. */
export function orderedBlocks(graph: Graph): readonly GraphBlock[] {
  const plan = orderingContextOf(graph);
  const entry = plan.placeOf(graph.entry);
  const reached = entry === undefined ? [] : rankByLongestPath([entry], plan.next);
  const met = new Set(reached.map(({ place }) => place));
  const rest = plan.places.filter((place) => !met.has(place));
  const lost = rankByLongestPath(rest, plan.next).filter(({ place }) => !met.has(place));
  return [...buildBlocks(reached, plan, true), ...buildBlocks(lost, plan, false)];
}

export function readingOrder(graph: Graph): readonly GraphSocket[] {
  return orderedBlocks(graph).flatMap(({ rows }) => rows.map(({ socket }) => socket));
}

type OrderingContext = ReturnType<typeof orderingContextOf>;

function orderingContextOf(graph: Graph) {
  const ids = sortSocketIds(Object.keys(graph.sockets));
  const placeOf = (id: Destination): GraphPlace | undefined => {
    const socket = id !== END && Object.hasOwn(graph.sockets, id) ? graph.sockets[id] : undefined;
    return socket && (loopOf(graph, socket) ?? socket);
  };
  const places = [...new Set(ids.flatMap((id) => placeOf(id as SocketId) ?? []))]; // a key of `sockets` is a socket id
  const next = (place: GraphPlace): readonly GraphPlace[] =>
    destinationsOf(graph, place)
      .flatMap((to) => placeOf(to) ?? [])
      .filter((to) => to !== place);
  return { graph, places, placeOf, next, loopEntries: loopEntriesOf(graph, places) };
}

function destinationsOf(graph: Graph, place: GraphPlace): readonly Destination[] {
  if (!isGraphLoop(place)) return place.edges.flatMap(edgeTargets);
  const members = place.sockets.flatMap((id) => graph.sockets[id]?.edges.flatMap(edgeTargets) ?? []);
  return [
    ...members,
    ...place.exits.map((exit) => exit.targetSocketId),
    ...(place.emptyTo === undefined ? [] : [place.emptyTo]),
  ];
}

function loopEntriesOf(graph: Graph, places: readonly GraphPlace[]): ReadonlyMap<string, readonly SocketId[]> {
  const doors = new Map<string, SocketId[]>();
  const note = (to: Destination, from: GraphPlace | null): void => {
    const socket = to === END ? undefined : graph.sockets[to];
    const loop = socket && loopOf(graph, socket);
    if (socket && loop && loop !== from) appendTo(doors, loop.id, socket.id);
  };
  note(graph.entry, null);
  for (const place of places) for (const to of destinationsOf(graph, place)) note(to, place);
  return doors;
}

/** Blocks in their rows. Targets of a chain stay separate, although ranks of neighbours may overlap. */
function buildBlocks(
  ranked: readonly RankedPlace<GraphPlace>[],
  plan: OrderingContext,
  reached: boolean,
): readonly GraphBlock[] {
  const byTarget = ranked
    .map((each) => ({ ...each, target: chainTargetOf(plan.graph, each.place) }))
    .toSorted((a, b) => a.target - b.target);
  return numberWithinRank(byTarget, ({ target, rank }) => `${target} ${rank}`).map(
    ({ item: { place, target }, aside }): GraphBlock => {
      const [loop, rows] = isGraphLoop(place)
        ? [place, orderedMembers(place, plan)]
        : [null, [{ socket: place, aside: 0 }]];
      return { loop, rows, aside, target, reached };
    },
  );
}

function chainTargetOf(graph: Graph, place: GraphPlace): number {
  if (!isGraphLoop(place)) return place.origin.target;
  return place.sockets.map((id) => graph.sockets[id]?.origin.target ?? 1).at(0) ?? 1;
}

function orderedMembers(loop: GraphLoop, { graph, loopEntries: doors }: OrderingContext): readonly OrderedSocket[] {
  const inside = new Set<SocketId>(loop.sockets);
  const next = (id: SocketId): readonly SocketId[] =>
    (graph.sockets[id]?.edges ?? []).flatMap(edgeTargets).flatMap((to) => (to !== END && inside.has(to) ? [to] : []));
  const ranked = rankByLongestPath([...(doors.get(loop.id) ?? []), ...loop.sockets], next);
  return numberWithinRank(ranked, ({ rank }) => `${rank}`).flatMap(({ item, aside }) => {
    const socket = graph.sockets[item.place];
    return socket ? [{ socket, aside }] : [];
  });
}

function numberWithinRank<T>(items: readonly T[], rankOf: (item: T) => string) {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const aside = seen.get(rankOf(item)) ?? 0;
    seen.set(rankOf(item), aside + 1);
    return { item, aside };
  });
}

/** A place and its rank: the length of the longest way there without a cycle. */
export interface RankedPlace<N> {
  readonly place: N;
  readonly rank: number;
}

/** In a rank: depth-first, first edges first. Without recursion: graphs may be thousands deep. */
function rankByLongestPath<N>(starts: readonly N[], next: (at: N) => readonly N[]): readonly RankedPlace<N>[] {
  const { met, left, back } = walkDepthFirst(starts, next);
  const rank = new Map<N, number>(met.map((place) => [place, 0]));
  // The place that was left last depends on no other.
  for (const place of left.toReversed()) {
    const onward = (rank.get(place) ?? 0) + 1;
    for (const to of next(place)) {
      if (!back.get(place)?.has(to)) rank.set(to, Math.max(rank.get(to) ?? 0, onward));
    }
  }
  const ranked = met.map((place) => ({ place, rank: rank.get(place) ?? 0 }));
  return ranked.toSorted((a, b) => a.rank - b.rank);
}

function walkDepthFirst<N>(starts: readonly N[], next: (at: N) => readonly N[]) {
  const inside = new Set<N>();
  const seen = new Set<N>();
  const left: N[] = [];
  /** Arcs to a place that the walk has not left yet. */
  const back = new Map<N, Set<N>>();
  const open: { readonly at: N; readonly ways: Iterator<N> }[] = [];
  const enter = (at: N): void => {
    seen.add(at);
    inside.add(at);
    open.push({ at, ways: next(at)[Symbol.iterator]() });
  };
  for (const start of starts) {
    if (!seen.has(start)) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const way = top.ways.next();
      if (way.done) {
        open.pop();
        inside.delete(top.at);
        left.push(top.at);
      } else if (inside.has(way.value)) back.set(top.at, (back.get(top.at) ?? new Set<N>()).add(way.value));
      else if (!seen.has(way.value)) enter(way.value);
    }
  }
  return { met: [...seen], left, back };
}
