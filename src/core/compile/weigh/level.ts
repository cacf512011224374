import { components } from "../components.ts";
import type { Arc } from "./region.ts";

/**
 * Places that lead round in a circle together, cut at one of them: a walk through them is a row of segments, each of
 * which begins behind an arrival at the cut. What still leads round between two arrivals is a level inside.
 */
export interface Level {
  readonly cut: number;
  /** Where a segment may begin: at the cut, and where the level is entered from outside. */
  readonly starts: ReadonlySet<number>;
  /** Whether nothing enters but by the cut. */
  readonly isOnlyDoor: boolean;
  /** The ways from within that lead to the cut. */
  readonly into: readonly Arc[];
  /** Those of them that nothing counts. */
  readonly free: readonly Arc[];
  /** The other ways between its places, and by where they begin. */
  readonly between: readonly Arc[];
  readonly betweenFrom: ReadonlyMap<number, readonly Arc[]>;
  /** Whether the cut leads to itself by ways that nothing counts. */
  readonly roundsFreely: boolean;
  /** The ways back of inner levels that are entered by their cut alone: what they set back was visited since, so never an outer cut. */
  readonly innerReturns: ReadonlySet<Arc>;
  /** What a segment comes by, each after what leads to it. */
  readonly parts: readonly Part[];
}

export type Part = { readonly place: number } | { readonly level: Level };

export interface Component {
  readonly places: readonly number[];
  readonly doors: ReadonlySet<number>;
  readonly arcs: readonly Arc[];
}

/** Beyond this depth nobody can follow, and the time to work it out would grow with the square of the graph. */
const DEEPEST = 24;

/** The levels of places that lead round; nothing where they are too tangled. */
export function levelOf(component: Component, firstLoop: number, depth = 0): Level | undefined {
  if (depth > DEEPEST) return undefined;
  const { doors, arcs } = component;
  const cut = cutOf(component, firstLoop);
  const between = arcs.filter((arc) => arc.to !== cut);
  const parts: Part[] = [];
  const starts = new Set([...doors, cut]);
  for (const inner of componentsOf(component.places, between, starts)) {
    const [place] = inner.places;
    if (place === undefined) continue;
    if (inner.arcs.length === 0) parts.push({ place });
    else {
      const level = levelOf(inner, firstLoop, depth + 1);
      if (!level) return undefined;
      parts.push({ level });
    }
  }
  const into = arcs.filter((arc) => arc.to === cut);
  return {
    cut,
    starts,
    isOnlyDoor: doors.size === 1 && doors.has(cut),
    into,
    free: into.filter((arc) => arc.limit === null),
    between,
    betweenFrom: Map.groupBy(between, (arc) => arc.from),
    roundsFreely: leadsRound(cut, arcs),
    innerReturns: innerReturnsOf(parts),
    parts,
  };
}

function innerReturnsOf(parts: readonly Part[]): ReadonlySet<Arc> {
  const found = new Set<Arc>();
  for (const part of parts) {
    if (!("level" in part)) continue;
    if (part.level.isOnlyDoor) for (const arc of part.level.into) found.add(arc);
    for (const arc of part.level.innerReturns) found.add(arc);
  }
  return found;
}

/** The parts of these places that lead round, or single ones; each after those that lead to it. */
function componentsOf(
  places: readonly number[],
  arcs: readonly Arc[],
  starts: ReadonlySet<number>,
): readonly Component[] {
  const local = new Map(places.map((place, index) => [place, index]));
  const next: number[][] = places.map(() => []);
  for (const { from, to } of arcs) next[local.get(from) ?? -1]?.push(local.get(to) ?? -1);
  const found = components(next).toReversed();
  const componentAt = new Map<number, number>();
  const split = found.map((members, number) => {
    const inside = members.flatMap((index) => places[index] ?? []);
    for (const place of inside) componentAt.set(place, number);
    return { places: inside, doors: new Set(inside.filter((place) => starts.has(place))), arcs: new Array<Arc>() };
  });
  for (const arc of arcs) {
    const to = componentAt.get(arc.to) ?? -1;
    if (componentAt.get(arc.from) === to) split[to]?.arcs.push(arc);
    else split[to]?.doors.add(arc.to);
  }
  return split;
}

/** Where it is entered; but how often a loop is passed nothing counts, so that a socket is taken if nothing else limits the way round. */
function cutOf({ places, doors, arcs }: Component, firstLoop: number): number {
  const [door = -1] = doors;
  const isSocket = (place: number): boolean => place < firstLoop;
  const entered = [...doors].find(isSocket);
  if (entered !== undefined) return entered;
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
