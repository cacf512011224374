import { createDigraph, addArc, filledArray, type Digraph } from "./digraph.ts";
import { forEachStep, type Flow } from "./flow.ts";
import type { Graph, GraphLoop } from "./graph.ts";
import { isTraversalCounted, type Way } from "./ways.ts";

/** A part of the graph in which walks are weighed: numbered places and the ways between them. */
export interface WalkRegion {
  readonly arcs: Digraph;
  /** What limits an arc, by its number; most are free. */
  readonly limits: ReadonlyMap<number, ArcLimit>;
  /** 1 where a walk may begin. */
  readonly isStart: readonly number[];
  /** From this place on each is a whole loop: its passes are not counted by themselves, as the visits of a socket are. */
  readonly firstLoop: number;
}

export interface ArcLimit {
  /** The traversals that limit it; null where nothing counts it. */
  readonly limit: TraversalLimit | null;
  /** The traversals that are used up before it can be taken, where it is their `then`. */
  readonly after: TraversalLimit | null;
}

/** The traversals of one edge. It may lead to several places, behind loops that are empty; they share them. */
export interface TraversalLimit {
  readonly bound: number;
}

type WalkedLoop = GraphLoop & { readonly items: readonly string[] };

/** The loops that walk a list, and which of them holds each socket: its number, or -1. */
export interface LoopMap {
  readonly flow: Flow;
  readonly loops: readonly WalkedLoop[];
  readonly loopAt: readonly number[];
}

export function mapLoops(graph: Graph, flow: Flow): LoopMap {
  const loops = Object.values(graph.loops).filter((loop): loop is WalkedLoop => loop.items !== null);
  const numberOf = new Map<string | null, number>();
  for (const loop of loops) numberOf.set(loop.id, numberOf.size);
  const loopAt = flow.sockets.map(({ loop }) => numberOf.get(loop) ?? -1);
  return { flow, loops, loopAt };
}

/** Every item of every loop, by sockets: from where an item begins to where the cursor moves on or the loop is left. */
export function itemRegion({ flow, loopAt }: LoopMap): WalkRegion {
  const size = flow.sockets.length;
  const drawing = createRegionBuilder(size);
  const isStart = filledArray(size, 0);
  /** What stands in no loop belongs to no item. */
  const begin = (at: number): void => {
    if (loopAt[at] !== -1) isStart[at] = 1;
  };
  flow.starts.forEach(begin);
  forEachStep(flow, (from, { way, advanced, landings }) => {
    if (!flow.reached.has(from)) return;
    const loop = loopAt[from] ?? -1;
    for (let index = 0; index < landings.length; index += 1) {
      const to = landings[index] ?? -1;
      // Behind a loop that is passed by, everything is entered from outside.
      if (index === 0 && loop !== -1 && loopAt[to] === loop && !advanced)
        noteLimit(drawing, addArc(drawing.arcs, from, to), from, way);
      else begin(to);
    }
  });
  return { arcs: drawing.arcs, limits: drawing.limits, isStart, firstLoop: size };
}

/** The cast as a whole: sockets outside loops, and behind their numbers the loops, each as one place. */
export function outerRegion({ flow, loops, loopAt }: LoopMap): WalkRegion {
  const firstLoop = flow.sockets.length;
  const placeAt = loopAt.map((loop, socket) => (loop === -1 ? socket : firstLoop + loop));
  const size = firstLoop + loops.length;
  const drawing = createRegionBuilder(size);
  forEachStep(flow, (socket, { way, landings }) => {
    if (!flow.reached.has(socket)) return;
    const from = placeAt[socket] ?? -1;
    for (let index = 0; index < landings.length; index += 1) {
      const to = placeAt[landings[index] ?? -1] ?? -1;
      // What stays inside a loop is weighed with its items.
      if (to !== from || from === socket) noteLimit(drawing, addArc(drawing.arcs, from, to), socket, way);
    }
  });
  const isStart = filledArray(size, 0);
  for (const start of flow.starts) isStart[placeAt[start] ?? -1] = 1;
  return { arcs: drawing.arcs, limits: drawing.limits, isStart, firstLoop };
}

interface RegionBuilder {
  readonly arcs: Digraph;
  readonly limits: Map<number, ArcLimit>;
  /** [G7] The traversals of an edge, by its socket and its place there: the edge and its `then` know the same ones. */
  readonly traversals: Map<number, TraversalLimit[]>;
}

function createRegionBuilder(places: number): RegionBuilder {
  return { arcs: createDigraph(places), limits: new Map(), traversals: new Map() };
}

/** Notes what limits an arc. */
function noteLimit({ limits, traversals }: RegionBuilder, arc: number, socket: number, way: Way): void {
  if (way.via !== "edge" || way.edge.maxTraversals === undefined) return;
  const known = traversals.get(socket) ?? [];
  traversals.set(socket, known);
  const limit = (known[way.index] ??= { bound: way.edge.maxTraversals });
  limits.set(arc, isTraversalCounted(way) ? { limit, after: null } : { limit: null, after: limit });
}
