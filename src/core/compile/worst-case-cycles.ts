import { createDigraph, stronglyConnectedComponents } from "./digraph.ts";
import { forEachFlowStep, type Flow } from "./flow.ts";
import { type Graph, type GraphLoop, isTraversalCounted, type Way } from "./graph.ts";

/** A part of the graph in which walks are weighed. Every place of it can be reached from a start. */
export interface WalkRegion {
  readonly places: readonly number[];
  readonly starts: ReadonlySet<number>;
  readonly arcs: readonly Arc[];
  /** Places from this number on are whole loops. No limit counts the passes of a loop, as it does the visits of a socket. */
  readonly firstLoop: number;
}

export interface Arc {
  readonly from: number;
  readonly to: number;
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
  forEachReachedArc(flow, (arc, { passed, advanced }) => {
    // Only the first landing stays inside: a walk that skips an empty loop enters the next one from outside.
    if (passed.length === 0 && !advanced && isMember(arc.from) && loopAt[arc.from] === loopAt[arc.to]) arcs.push(arc);
    else if (isMember(arc.to)) starts.add(arc.to);
  });
  return { places: reachedPlaces(flow).filter(isMember), starts, arcs, firstLoop: flow.sockets.length };
}

/** The cast as a whole: the sockets outside loops and, numbered after all sockets, each loop as one place. */
export function outerRegion({ flow, loops, loopAt }: LoopMap): WalkRegion {
  const firstLoop = flow.sockets.length;
  const placeOf = (socket: number): number => {
    const loop = loopAt[socket] ?? -1;
    return loop === -1 ? socket : firstLoop + loop;
  };
  const listAt = (socket: number): string => JSON.stringify(loops[loopAt[socket] ?? -1]?.items);
  const arcs: Arc[] = [];
  forEachReachedArc(flow, (arc, { passed }) => {
    const [from, to] = [placeOf(arc.from), placeOf(arc.to)];
    // The region of items weighs arcs that stay inside a loop. One past an empty loop enters its own loop again,
    // unless both walk the same list: that is empty too.
    const entersAgain = passed.length > 0 && !passed.some((socket) => listAt(socket) === listAt(arc.to));
    if (from !== to || from === arc.from || entersAgain) arcs.push({ ...arc, from, to });
  });
  const places = [...new Set(reachedPlaces(flow).map(placeOf))].toSorted((a, b) => a - b);
  return { places, starts: new Set(flow.starts.map(placeOf)), arcs, firstLoop };
}

function reachedPlaces({ sockets, reached }: Flow): readonly number[] {
  return [...sockets.keys()].filter((at) => reached.has(at));
}

/** `passed` are the members of empty loops by which the arc leads. */
type TakeArc = (arc: Arc, step: { readonly passed: readonly number[]; readonly advanced: boolean }) => void;

function forEachReachedArc(flow: Flow, take: TakeArc): void {
  const limits = new Map<string, TraversalLimit>();
  const limitOf = (from: number, way: Way): TraversalLimit | null => {
    if (way.via !== "edge" || way.edge.maxTraversals === undefined) return null;
    const key = `${from} ${way.index}`;
    const limit = limits.get(key) ?? { bound: way.edge.maxTraversals };
    limits.set(key, limit);
    return limit;
  };
  forEachFlowStep(flow, (from, { way, advanced, landings }) => {
    if (!flow.reached.has(from)) return;
    const traversals = limitOf(from, way);
    const [limit, after] = isTraversalCounted(way) ? [traversals, null] : [null, traversals];
    landings.forEach((to, index) => take({ from, to, limit, after }, { passed: landings.slice(0, index), advanced }));
  });
}

/** The stages of a region, each after those that lead to it. */
export interface SplitRegion {
  readonly stages: readonly WalkStage[];
  readonly firstLoop: number;
}

/** A place that a walk passes at most once, or the places of a cycle. */
export interface WalkStage {
  readonly places: readonly number[];
  readonly onward: readonly number[];
  readonly cycle: WalkCycle | null;
}

/** Places on cycles together. `cut` is null where they are too deeply nested. */
export interface WalkCycle {
  /** All traversals that the limits of its arcs allow together. */
  readonly traversals: number;
  readonly cut: CutCycle | null;
}

/** A cycle, cut at one of its places: a walk is a row of segments that begin there. Traversals are sums of limits. */
export interface CutCycle {
  /** The stages of a segment. Cycles that avoid the cut are cut themselves. */
  readonly stages: readonly WalkStage[];
  readonly isOnlyEntry: boolean;
  /** The limited edges that lead back to the cut. */
  readonly limitedReturns: readonly { readonly from: number; readonly bound: number }[];
  /** Where the other arcs back to the cut begin. */
  readonly freeReturns: readonly number[];
  /** Traversals of arcs between two visits of the cut; null where a segment and a free return need none. */
  readonly traversalsBetween: number | null;
  /** Traversals after which visits of the cut count anew; null where the cut is a loop, whose passes nothing counts. */
  readonly resetsOfCut: number | null;
  /** The same for free returns alone: of the cut, and of each socket where they begin. Null where one is a loop. */
  readonly resetsOfFreeReturns: { readonly ofCut: number; readonly ofSources: readonly number[] } | null;
}

export function splitRegion({ places, starts, arcs, firstLoop }: WalkRegion): SplitRegion {
  const stages = splitIntoStages({ places, entries: starts, arcs }).map(({ component, onward }) => {
    const cycle = component.arcs.length === 0 ? null : outermostCycle(component, firstLoop);
    return { places: component.places, onward, cycle };
  });
  return { stages, firstLoop };
}

function outermostCycle({ places, entries, arcs }: Component, firstLoop: number): WalkCycle {
  // The order decides which place becomes the cut: the first that the search came to.
  const entered = new Set(places.filter((place) => entries.has(place)));
  const arcsFrom = Map.groupBy(arcs, ({ from }) => from);
  const around = places.flatMap((place) => arcsFrom.get(place) ?? []);
  const cut = cutCycle({ places, entries: entered, arcs: around }, { around, firstLoop }, 0)?.cycle ?? null;
  return { traversals: totalTraversals(arcs), cut };
}

interface Component {
  readonly places: readonly number[];
  readonly entries: ReadonlySet<number>;
  readonly arcs: readonly Arc[];
}

/** The strongly connected parts of a component, each after those that lead to it. */
function splitIntoStages({ places, entries, arcs }: Component) {
  const indexOf = new Map(places.map((place, index) => [place, index]));
  const next = createDigraph(places.length);
  for (const { from, to } of arcs) next[indexOf.get(from) ?? -1]?.push(indexOf.get(to) ?? -1);
  const stages = stronglyConnectedComponents(next).map((members) => {
    const inside = members.flatMap((index) => places[index] ?? []);
    const entered = new Set(inside.filter((place) => entries.has(place)));
    return { component: { places: inside, entries: entered, arcs: [] as Arc[] }, onward: [] as number[] };
  });
  const stageOf = new Map(stages.flatMap((stage) => stage.component.places.map((place) => [place, stage])));
  for (const arc of arcs) {
    const [from, to] = [stageOf.get(arc.from), stageOf.get(arc.to)];
    if (from === to) from?.component.arcs.push(arc);
    else {
      from?.onward.push(arc.to);
      to?.component.entries.add(arc.to);
    }
  }
  return stages.toReversed();
}

/** The outermost cycle while the cycles inside it are cut. */
interface OutermostCycle {
  readonly around: readonly Arc[];
  readonly firstLoop: number;
}

interface CutResult {
  readonly cycle: CutCycle;
  /** Returns of this cycle and of those inside it that walks enter only at their cut. They never reset the visits of an outer cut. */
  readonly returns: readonly Arc[];
}

/** Nobody can follow deeper nesting, and the time would grow with the square of the graph. */
const MAX_DEPTH = 24;

/** Cuts the component and the cycles that remain inside it. Undefined where they are too deeply nested. */
function cutCycle(component: Component, outermost: OutermostCycle, depth: number): CutResult | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { places, entries, arcs } = component;
  const { around, firstLoop } = outermost;
  const cut = chooseCut(component, firstLoop);
  const into = arcs.filter(({ to }) => to === cut);
  const between = arcs.filter(({ to }) => to !== cut);
  const stages: WalkStage[] = [];
  const innerReturns = new Set<Arc>();
  for (const { component: inner, onward } of splitIntoStages({ places, entries, arcs: between })) {
    const result = inner.arcs.length === 0 ? null : cutCycle(inner, outermost, depth + 1);
    if (result === undefined) return undefined;
    for (const arc of result?.returns ?? []) innerReturns.add(arc);
    const cycle = result && { traversals: totalTraversals(inner.arcs), cut: result.cycle };
    stages.push({ places: inner.places, onward, cycle });
  }
  const isOuter = (arc: Arc): boolean => !innerReturns.has(arc);
  const free = into.filter(({ limit }) => limit === null);
  const isOnlyEntry = entries.size === 1 && entries.has(cut);
  const isSocket = cut < firstLoop;
  const cycle: CutCycle = {
    stages,
    isOnlyEntry,
    limitedReturns: limitedReturns(into),
    freeReturns: free.map(({ from }) => from),
    traversalsBetween:
      free.length === 0 ? 0 : isOnFreeCycle(cut, arcs) ? null : totalTraversals(between.filter(isOuter)),
    resetsOfCut: isSocket ? totalTraversals(around.filter(isOuter)) : null,
    resetsOfFreeReturns: isSocket ? resetsOfFreeReturns(free, outermost, isOuter) : null,
  };
  return { cycle, returns: [...(isOnlyEntry ? into : []), ...innerReturns] };
}

/** An entry that is a socket. A loop only where a limit bounds the cycle without it: no limit counts the passes of a loop. */
function chooseCut({ places, entries, arcs }: Component, firstLoop: number): number {
  const isSocket = (place: number): boolean => place < firstLoop;
  const [entry = -1] = entries;
  const socket = [...entries].find(isSocket);
  if (socket !== undefined) return socket;
  if (!isOnFreeCycle(entry, arcs)) return entry;
  const before = arcs.find(({ from, to }) => to === entry && isSocket(from));
  return before?.from ?? places.find(isSocket) ?? entry;
}

/** Whether the place leads back to itself by arcs without a limit. */
function isOnFreeCycle(place: number, arcs: readonly Arc[]): boolean {
  const free = arcs.filter(({ limit }) => limit === null);
  const arcsFrom = Map.groupBy(free, ({ from }) => from);
  const seen = new Set((arcsFrom.get(place) ?? []).map(({ to }) => to));
  // The loop also comes to what it adds.
  for (const at of seen) for (const { to } of arcsFrom.get(at) ?? []) seen.add(to);
  return seen.has(place);
}

/** One entry for each limit: an edge may lead to the cut by several arcs. */
function limitedReturns(into: readonly Arc[]): CutCycle["limitedReturns"] {
  const fromOf = new Map<TraversalLimit, number>();
  for (const { limit, from } of into) if (limit) fromOf.set(limit, from);
  return Array.from(fromOf, ([{ bound }, from]) => ({ bound, from }));
}

function resetsOfFreeReturns(
  free: readonly Arc[],
  { around, firstLoop }: OutermostCycle,
  isOuter: (arc: Arc) => boolean,
): CutCycle["resetsOfFreeReturns"] {
  const sources = [...new Set(free.map(({ from }) => from))];
  if (sources.length === 0 || sources.some((place) => place >= firstLoop)) return null;
  // [G27] Where all of them are the `then` of one edge, its traversals are used up and reset nothing any more.
  const [used = null, ...others] = new Set(free.map(({ after }) => after));
  const left = used && others.length === 0 ? around.filter(({ limit }) => limit !== used) : around;
  return {
    ofCut: totalTraversals(left.filter(isOuter)),
    // An edge from a socket to itself resets only the visits of that socket.
    ofSources: sources.map((place) => totalTraversals(left.filter(({ from, to }) => from !== to || from === place))),
  };
}

function totalTraversals(arcs: readonly Arc[]): number {
  const limits = new Set(arcs.map(({ limit }) => limit));
  return [...limits].reduce((total, limit) => total + (limit?.bound ?? 0), 0);
}
