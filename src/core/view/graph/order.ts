import type { Graph, GraphLoop, GraphSocket } from "../../compile/graph.ts";
import { END, sortSocketIds, type Destination, type SocketId } from "../../model/ids.ts";
import { edgeTargets } from "../../model/loadout.ts";
import { rankFrom, type Ranked } from "./rank.ts";

/** A socket in its row; `aside` counts the places of the same rank before it, so that 0 stands on the rail. */
export interface Row {
  readonly socket: GraphSocket;
  readonly aside: number;
}

/** What stands on the rail: a socket by itself, or a loop with its members. */
export type Block =
  | { readonly kind: "socket"; readonly row: Row; readonly target: number; readonly reached: boolean }
  | {
      readonly kind: "loop";
      readonly loop: GraphLoop;
      readonly rows: readonly Row[];
      readonly aside: number;
      readonly target: number;
      readonly reached: boolean;
    };

/** Every socket once, in the order in which people read the graph: target by target, what goes on goes down. */
export function blocksOf(graph: Graph): readonly Block[] {
  const plan = planOf(graph);
  const entry = plan.placeOf(graph.entry);
  const reached = entry === undefined ? [] : rankFrom([entry], plan.next);
  const met = new Set(reached.map(({ place }) => place));
  const rest = plan.places.filter((place) => !met.has(place));
  const lost = rankFrom(rest, plan.next).filter(({ place }) => !met.has(place));
  return [...seat(reached, plan, true), ...seat(lost, plan, false)];
}

/** The sockets of the graph in that order. */
export function orderOf(graph: Graph): readonly GraphSocket[] {
  return blocksOf(graph).flatMap((block) =>
    block.kind === "socket" ? [block.row.socket] : block.rows.map(({ socket }) => socket),
  );
}

/** A loop is one place of the whole, whatever goes on inside it. */
type Place = GraphSocket | GraphLoop;

interface Plan {
  readonly graph: Graph;
  readonly places: readonly Place[];
  readonly placeOf: (id: Destination) => Place | undefined;
  readonly next: (place: Place) => readonly Place[];
  /** Members that are entered from outside, in the order in which that is seen. */
  readonly doors: ReadonlyMap<string, readonly SocketId[]>;
}

function planOf(graph: Graph): Plan {
  const ids = sortSocketIds(Object.keys(graph.sockets));
  const placeOf = (id: Destination): Place | undefined => {
    const socket = id !== END && Object.hasOwn(graph.sockets, id) ? graph.sockets[id] : undefined;
    return socket && loopAround(graph, socket) ? loopAround(graph, socket) : socket;
  };
  const places = [...new Set(ids.flatMap((id) => placeOf(id as SocketId) ?? []))]; // a key of `sockets` is a socket id
  const next = (place: Place): readonly Place[] =>
    waysOf(graph, place)
      .flatMap((to) => placeOf(to) ?? [])
      .filter((to) => to !== place);
  return { graph, places, placeOf, next, doors: doorsOf(graph, places) };
}

function loopAround(graph: Graph, socket: GraphSocket): GraphLoop | undefined {
  return socket.loop !== null && Object.hasOwn(graph.loops, socket.loop) ? graph.loops[socket.loop] : undefined;
}

/** Where a place leads: edges first, then the ways out of a loop. */
function waysOf(graph: Graph, place: Place): readonly Destination[] {
  if (!isLoop(place)) return place.edges.flatMap(edgeTargets);
  const members = place.sockets.flatMap((id) => graph.sockets[id]?.edges.flatMap(edgeTargets) ?? []);
  return [
    ...members,
    ...place.exits.map((exit) => exit.targetSocketId),
    ...(place.emptyTo === undefined ? [] : [place.emptyTo]),
  ];
}

function isLoop(place: Place): place is GraphLoop {
  return "exits" in place;
}

function doorsOf(graph: Graph, places: readonly Place[]): ReadonlyMap<string, readonly SocketId[]> {
  const doors = new Map<string, SocketId[]>();
  const note = (to: Destination, from: Place | null): void => {
    const socket = to === END ? undefined : graph.sockets[to];
    const loop = socket && loopAround(graph, socket);
    if (!socket || !loop || loop === from) return;
    const known = doors.get(loop.id);
    if (known) known.push(socket.id);
    else doors.set(loop.id, [socket.id]);
  };
  note(graph.entry, null);
  for (const place of places) for (const to of waysOf(graph, place)) note(to, place);
  return doors;
}

/** Blocks in their rows; a chain keeps its targets apart, though the end of one may run beside the next. */
function seat(ranked: readonly Ranked<Place>[], plan: Plan, reached: boolean): readonly Block[] {
  const byTarget = ranked
    .map((each) => ({ ...each, target: targetOf(plan.graph, each.place) }))
    .toSorted((a, b) => a.target - b.target);
  return withAside(byTarget, ({ target, rank }) => `${target} ${rank}`).map(
    ({ item: { place, target }, aside }): Block => {
      if (!isLoop(place)) return { kind: "socket", row: { socket: place, aside }, target, reached };
      return { kind: "loop", loop: place, rows: membersOf(place, plan), aside, target, reached };
    },
  );
}

function targetOf(graph: Graph, place: Place): number {
  if (!isLoop(place)) return place.origin.target;
  return place.sockets.map((id) => graph.sockets[id]?.origin.target ?? 1).at(0) ?? 1;
}

function membersOf(loop: GraphLoop, { graph, doors }: Plan): readonly Row[] {
  const inside = new Set<SocketId>(loop.sockets);
  const next = (id: SocketId): readonly SocketId[] =>
    (graph.sockets[id]?.edges ?? []).flatMap(edgeTargets).flatMap((to) => (to !== END && inside.has(to) ? [to] : []));
  const ranked = rankFrom([...(doors.get(loop.id) ?? []), ...loop.sockets], next);
  return withAside(ranked, ({ rank }) => `${rank}`).flatMap(({ item, aside }) => {
    const socket = graph.sockets[item.place];
    return socket ? [{ socket, aside }] : [];
  });
}

function withAside<T>(
  items: readonly T[],
  rankOf: (item: T) => string,
): readonly { readonly item: T; readonly aside: number }[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const aside = seen.get(rankOf(item)) ?? 0;
    seen.set(rankOf(item), aside + 1);
    return { item, aside };
  });
}
