import { createDigraph, stronglyConnectedComponents, addArc } from "./digraph.ts";
import type { ArcLimit, TraversalLimit } from "./worst-case-regions.ts";

/**
 * Places that lead round in a circle together, cut at one of them: a walk through them is a row of segments, each of
 * which begins behind an arrival at the cut. What still leads round between two arrivals is a level inside.
 * It holds what a weighing asks for, so that it is worked out once however often the graph is weighed.
 */
export interface CycleLevel {
  readonly cut: number;
  /** Its places, those of levels inside included. */
  readonly places: readonly number[];
  /** Whether nothing enters but by the cut. */
  readonly isOnlyDoor: boolean;
  /** The counted ways from within that lead to the cut, by what counts them. */
  readonly counted: readonly CountedReturn[];
  /** Where the others begin that lead to the cut. */
  readonly freeFrom: readonly number[];
  /** Whether the cut leads to itself by ways that nothing counts. */
  readonly roundsFreely: boolean;
  /** All traversals that the other ways between its places allow together; and all that the ways of the circle around it do. */
  readonly boundBetween: number;
  readonly boundAround: number;
  readonly returns: FreeReturns;
  /** What a segment comes by, each after what leads to it. */
  readonly parts: readonly LevelPart[];
}

/** An edge that leads to the cut, maybe in several ways. */
export interface CountedReturn {
  readonly bound: number;
  readonly from: number;
}

/** What bounds the ways to the cut that nothing counts: the traversals that set back the returns to the cut, and to each socket that they begin at. */
export interface FreeReturns {
  readonly boundOfCut: number;
  readonly bounds: readonly { readonly place: number; readonly bound: number }[];
}

export interface LevelPart {
  /** A single place, or a level with several. */
  readonly at: number | CycleLevel;
  /** Where it leads within the level around it, itself left out. */
  readonly onward: readonly number[];
}

export interface Arc extends ArcLimit {
  readonly from: number;
  readonly to: number;
}

/** Places that lead round together, the ways between them, and where they are entered. */
interface CycleComponent {
  readonly places: readonly number[];
  readonly doors: ReadonlySet<number>;
  readonly arcs: readonly Arc[];
}

/** What stays the same on the way down through the levels of a circle. */
interface LevelSearch {
  /** All ways of the circle. */
  readonly around: readonly Arc[];
  readonly firstLoop: number;
  /** For the place of a region its place in the component in hand; scratch. */
  readonly localOf: number[];
}

/** Beyond this depth nobody can follow, and the time to work it out would grow with the square of the graph. */
const MAX_LEVEL_DEPTH = 24;

/** The levels of places that lead round; nothing where they are too tangled. */
export function buildLevels(component: CycleComponent, firstLoop: number, localOf: number[]): CycleLevel | undefined {
  return buildLevelAt(component, { around: component.arcs, firstLoop, localOf }, 0)?.level;
}

interface LevelResult {
  readonly level: CycleLevel;
  /** Its ways back, and those of the levels inside, where these are entered by their cut alone: what they set back was visited since, so never an outer cut. */
  readonly returns: readonly Arc[];
}

function buildLevelAt(component: CycleComponent, descent: LevelSearch, depth: number): LevelResult | undefined {
  if (depth > MAX_LEVEL_DEPTH) return undefined;
  const { doors, arcs } = component;
  const cut = chooseCut(component, descent.firstLoop);
  const into = arcs.filter(({ to }) => to === cut);
  const between = arcs.filter(({ to }) => to !== cut);
  const inside = partsInOrder(component, between, descent.localOf) ?? partsWithin(component, between, descent, depth);
  if (!inside) return undefined;
  const { parts, innerReturns } = inside;
  const free = into.filter(isFree);
  const isOnlyDoor = doors.size === 1 && doors.has(cut);
  const level = {
    cut,
    places: component.places,
    isOnlyDoor,
    counted: countedReturns(into),
    freeFrom: free.map((arc) => arc.from),
    roundsFreely: free.length > 0 && leadsRound(cut, arcs),
    boundBetween: totalTraversals(without(between, innerReturns)),
    boundAround: totalTraversals(without(descent.around, innerReturns)),
    returns: free.length === 0 ? NO_RETURNS : freeReturns(free, descent.around, innerReturns),
    parts,
  };
  return { level, returns: isOnlyDoor ? [...into, ...innerReturns] : [...innerReturns] };
}

function isFree({ limit }: Arc): boolean {
  return limit === null;
}

interface InnerParts {
  readonly parts: readonly LevelPart[];
  /** What the levels inside return by. */
  readonly innerReturns: ReadonlySet<Arc>;
}

const NO_ARCS: ReadonlySet<Arc> = new Set();

/** The places alone, where each stands behind all that lead to it: then nothing leads round any more. Most are found so. */
function partsInOrder({ places }: CycleComponent, between: readonly Arc[], localOf: number[]): InnerParts | undefined {
  for (let index = 0; index < places.length; index += 1) localOf[places[index] ?? -1] = index;
  if (!between.every(({ from, to }) => (localOf[from] ?? -1) < (localOf[to] ?? -1))) return undefined;
  const parts = places.map((at) => ({ at, onward: [] as number[] }));
  for (let index = 0; index < between.length; index += 1) {
    const arc = between[index];
    if (arc) parts[localOf[arc.from] ?? -1]?.onward.push(arc.to);
  }
  return { parts, innerReturns: NO_ARCS };
}

/** What leads round even so is a level of its own; nothing where these are too many, one in the other. */
function partsWithin(
  component: CycleComponent,
  between: readonly Arc[],
  descent: LevelSearch,
  depth: number,
): InnerParts | undefined {
  const innerReturns = new Set<Arc>();
  const parts: LevelPart[] = [];
  for (const { at, onward } of splitAtCut(component, between, descent.localOf)) {
    if (typeof at === "number") {
      parts.push({ at, onward });
      continue;
    }
    const found = buildLevelAt(at, descent, depth + 1);
    if (!found) return undefined;
    for (const arc of found.returns) innerReturns.add(arc);
    parts.push({ at: found.level, onward });
  }
  return { parts, innerReturns };
}

function countedReturns(into: readonly Arc[]): readonly CountedReturn[] {
  const [only] = into;
  if (only && into.length === 1) return only.limit === null ? [] : [{ bound: only.limit.bound, from: only.from }];
  const fromOf = new Map<TraversalLimit, number>();
  for (const { limit, from } of into) if (limit !== null) fromOf.set(limit, from);
  return Array.from(fromOf, ([{ bound }, from]) => ({ bound, from }));
}

const NO_RETURNS: FreeReturns = { boundOfCut: 0, bounds: [] };

/** [G27] A `then` leads back once its edge is used up and sets nothing back any more. */
function freeReturns(free: readonly Arc[], around: readonly Arc[], innerReturns: ReadonlySet<Arc>): FreeReturns {
  const [used, ...others] = new Set(free.map((arc) => arc.after));
  const left = used && others.length === 0 ? around.filter((arc) => arc.limit !== used) : around;
  const sources = [...new Set(free.map((arc) => arc.from))];
  return {
    boundOfCut: totalTraversals(without(left, innerReturns)),
    // A way from a socket to itself sets back that socket alone.
    bounds: sources.map((place) => ({
      place,
      bound: totalTraversals(left.filter((arc) => arc.from !== arc.to || arc.from === place)),
    })),
  };
}

function without(arcs: readonly Arc[], others: ReadonlySet<Arc>): readonly Arc[] {
  return others.size === 0 ? arcs : arcs.filter((arc) => !others.has(arc));
}

/** All traversals that these ways allow together. */
export function totalTraversals(arcs: readonly Arc[]): number {
  let only: TraversalLimit | null = null;
  let limits: Set<TraversalLimit> | undefined;
  for (let index = 0; index < arcs.length; index += 1) {
    const limit = arcs[index]?.limit ?? null;
    if (limit === null || limit === only) continue;
    // Most ways round have one such edge, or none.
    if (only !== null) (limits ??= new Set([only])).add(limit);
    only ??= limit;
  }
  if (!limits) return only === null ? 0 : only.bound;
  let sum = 0;
  for (const { bound } of limits) sum += bound;
  return sum;
}

interface CutPart {
  /** A single place, or what leads round even so. */
  readonly at: number | { readonly places: readonly number[]; readonly doors: Set<number>; readonly arcs: Arc[] };
  readonly onward: number[];
}

/** What becomes of a component once it is cut: parts that lead round, and single places; each after those that lead to it. */
function splitAtCut({ places, doors }: CycleComponent, between: readonly Arc[], localOf: number[]): readonly CutPart[] {
  let size = 0;
  for (const place of places) {
    localOf[place] = size;
    size += 1;
  }
  const local = createDigraph(size);
  for (const { from, to } of between) addArc(local, localOf[from] ?? -1, localOf[to] ?? -1);
  const partAt: CutPart[] = [];
  const parts = stronglyConnectedComponents(local).map((members): CutPart => {
    if (typeof members === "number") {
      const single: CutPart = { at: places[members] ?? -1, onward: [] };
      partAt[members] = single;
      return single;
    }
    const inside = members.map((index) => places[index] ?? -1);
    const entered = inside.filter((place) => doors.has(place));
    const part: CutPart = { at: { places: inside, doors: new Set(entered), arcs: [] }, onward: [] };
    for (const index of members) partAt[index] = part;
    return part;
  });
  for (const arc of between) {
    const from = partAt[localOf[arc.from] ?? -1];
    const to = partAt[localOf[arc.to] ?? -1];
    if (!from || !to) throw new Error("a way leads to no part");
    if (from !== to) from.onward.push(arc.to);
    if (typeof to.at === "number") continue;
    if (from === to) to.at.arcs.push(arc);
    else to.at.doors.add(arc.to);
  }
  return parts.toReversed();
}

/** Where it is entered; but how often a loop is passed nothing counts, so that a socket is taken if nothing else limits the way round. */
function chooseCut({ places, doors, arcs }: CycleComponent, firstLoop: number): number {
  const isSocket = (place: number): boolean => place < firstLoop;
  for (const place of doors) if (isSocket(place)) return place;
  const [door = -1] = doors;
  if (!leadsRound(door, arcs)) return door;
  const before = arcs.find((arc) => arc.to === door && isSocket(arc.from));
  return before?.from ?? places.find(isSocket) ?? door;
}

function leadsRound(place: number, arcs: readonly Arc[]): boolean {
  const free = Map.groupBy(
    arcs.filter((arc) => arc.limit === null),
    (arc) => arc.from,
  );
  const seen = new Set<number>();
  const open = [place];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { to } of free.get(at) ?? []) {
      if (to === place) return true;
      if (!seen.has(to)) open.push(to);
      seen.add(to);
    }
  }
  return false;
}
