import { forEachStep, type Flow } from "./flow.ts";
import { type Graph, type GraphLoop, isTraversalCounted, type Way } from "./graph.ts";

/** A part of the graph in which walks are weighed. Every place of it can be reached from a start. */
export interface WalkRegion {
  /** Numbers of places, from small to large. */
  readonly places: readonly number[];
  readonly starts: ReadonlySet<number>;
  readonly arcs: readonly Arc[];
  /** Places from this number on are whole loops. No limit counts the passes of a loop, as it does the visits of a socket. */
  readonly firstLoop: number;
}

export interface Arc {
  readonly from: number;
  readonly to: number;
  /** The traversals that limit it; null where none do. */
  readonly limit: TraversalLimit | null;
  /** [G27] For the `then` of an edge: the traversals that are used up before it. */
  readonly after: TraversalLimit | null;
}

/** [G7] The traversals of one edge. All arcs of the edge share it: one for each place behind empty loops. */
export interface TraversalLimit {
  readonly bound: number;
}

type ListLoop = GraphLoop & { readonly items: readonly string[] };

/** The loops with a list of items, and the number of the loop around each socket, or -1. */
export interface LoopMap {
  readonly flow: Flow;
  readonly loops: readonly ListLoop[];
  readonly loopAt: readonly number[];
}

export function mapLoops(graph: Graph, flow: Flow): LoopMap {
  const loops = Object.values(graph.loops).filter((loop): loop is ListLoop => loop.items !== null);
  const numberOf = new Map<string | null, number>(loops.map(({ id }, number) => [id, number]));
  return { flow, loops, loopAt: flow.sockets.map(({ loop }) => numberOf.get(loop) ?? -1) };
}

/** One item of each loop: from where an item begins to where the cursor advances or the walk leaves the loop. */
export function itemRegion({ flow, loopAt }: LoopMap): WalkRegion {
  const isMember = (at: number): boolean => loopAt[at] !== -1;
  const starts = new Set(flow.starts.filter(isMember));
  const arcs: Arc[] = [];
  forEachReachedArc(flow, (arc, { isFirst, advanced }) => {
    // Only the first landing stays inside: a walk that skips an empty loop enters the next one from outside.
    if (isFirst && !advanced && isMember(arc.from) && loopAt[arc.from] === loopAt[arc.to]) arcs.push(arc);
    else if (isMember(arc.to)) starts.add(arc.to);
  });
  return { places: reachedPlaces(flow).filter(isMember), starts, arcs, firstLoop: flow.sockets.length };
}

/** The cast as a whole: the sockets outside loops and, numbered after all sockets, each loop as one place. */
export function outerRegion({ flow, loopAt }: LoopMap): WalkRegion {
  const firstLoop = flow.sockets.length;
  const placeOf = (socket: number): number => {
    const loop = loopAt[socket] ?? -1;
    return loop === -1 ? socket : firstLoop + loop;
  };
  const arcs: Arc[] = [];
  forEachReachedArc(flow, (arc) => {
    const [from, to] = [placeOf(arc.from), placeOf(arc.to)];
    // The region of items weighs arcs that stay inside a loop.
    if (from !== to || from === arc.from) arcs.push({ ...arc, from, to });
  });
  const places = [...new Set(reachedPlaces(flow).map(placeOf))].toSorted((a, b) => a - b);
  return { places, starts: new Set(flow.starts.map(placeOf)), arcs, firstLoop };
}

function reachedPlaces({ sockets, reached }: Flow): readonly number[] {
  return [...sockets.keys()].filter((at) => reached.has(at));
}

type TakeArc = (arc: Arc, step: { readonly isFirst: boolean; readonly advanced: boolean }) => void;

function forEachReachedArc(flow: Flow, take: TakeArc): void {
  const limits = new Map<string, TraversalLimit>();
  const limitOf = (from: number, way: Way): TraversalLimit | null => {
    if (way.via !== "edge" || way.edge.maxTraversals === undefined) return null;
    const key = `${from} ${way.index}`;
    const limit = limits.get(key) ?? { bound: way.edge.maxTraversals };
    limits.set(key, limit);
    return limit;
  };
  forEachStep(flow, (from, { way, advanced, landings }) => {
    if (!flow.reached.has(from)) return;
    const traversals = limitOf(from, way);
    const [limit, after] = isTraversalCounted(way) ? [traversals, null] : [null, traversals];
    landings.forEach((to, index) => take({ from, to, limit, after }, { isFirst: index === 0, advanced }));
  });
}
