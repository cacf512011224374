import type { TraversalLimit } from "../../src/core/compile/worst-case-regions.ts";
import type { WeighingOptions } from "../../src/core/compile/worst-case-cycles.ts";
import type { WalkWeights } from "../../src/core/compile/worst-case-walks.ts";

/** What walks weigh, said a second time: with sets and recursion, everything worked out where it is asked for. */
export interface PlainRegion {
  readonly size: number;
  /** From this place on each is a whole loop, whose passes nothing counts. */
  readonly firstLoop: number;
  readonly starts: readonly number[];
  readonly arcs: readonly PlainArc[];
}

export interface PlainArc {
  readonly from: number;
  readonly to: number;
  readonly limit: TraversalLimit | null;
  readonly after: TraversalLimit | null;
}

export function weighPlainly(region: PlainRegion, scales: WeighingOptions): WalkWeights {
  const { size, starts, arcs, firstLoop } = region;
  const all = Array.from({ length: size }, (_, place) => place);
  const groups = groupsOf(all, arcs);
  const reached = new Set(starts.flatMap((start) => [start, ...leadsTo(start, arcs)]));
  const upTo = all.map(() => -1);
  const added = all.map(() => 0);
  const visits = all.map(() => 1);
  const known = new Map<Group, number>();
  const weightOf = (group: Group): number => {
    const before = known.get(group);
    if (before !== undefined) return before;
    const entering = enter(group, arcs).filter(({ from }) => reached.has(from));
    const arriving = Math.max(0, ...entering.map(({ from }) => weightOf(groupOf(groups, from))));
    const doors = group.places.filter((place) => starts.includes(place) || entering.some(({ to }) => to === place));
    const round = group.leadsRound ? roundOf(group, doors, arcs, { ...scales, firstLoop, visits }) : undefined;
    const own = round ? round.once + round.extra : sum(group.places.map((place) => scales.weights[place] ?? 0));
    if (round) added[group.places[0] ?? 0] = round.extra;
    known.set(group, arriving + own);
    return arriving + own;
  };
  for (const group of groups) for (const place of group.places) if (reached.has(place)) upTo[place] = weightOf(group);
  return { upTo, added, visits };
}

/** Places that lead to each other, in the order in which a search comes by them. */
interface Group {
  readonly places: readonly number[];
  readonly leadsRound: boolean;
}

function groupsOf(places: readonly number[], arcs: readonly PlainArc[]): readonly Group[] {
  const met = new Set<number>();
  const meet = (place: number): void => {
    if (met.has(place)) return;
    met.add(place);
    for (const { from, to } of arcs) if (from === place && places.includes(to)) meet(to);
  };
  places.forEach(meet);
  const behind = new Map(places.map((place) => [place, leadsTo(place, arcs)]));
  const together = (a: number, b: number): boolean => behind.get(a)?.has(b) === true && behind.get(b)?.has(a) === true;
  const groups: Group[] = [];
  for (const place of met) {
    if (groups.some((group) => group.places.includes(place))) continue;
    const others = [...met].filter((other) => other !== place && together(place, other));
    groups.push({ places: [place, ...others], leadsRound: together(place, place) });
  }
  return groups;
}

function leadsTo(start: number, arcs: readonly PlainArc[]): ReadonlySet<number> {
  const found = new Set<number>();
  const follow = (place: number): void => {
    for (const { from, to } of arcs) {
      if (from !== place || found.has(to)) continue;
      found.add(to);
      follow(to);
    }
  };
  follow(start);
  return found;
}

function groupOf(groups: readonly Group[], place: number): Group {
  const found = groups.find(({ places }) => places.includes(place));
  if (!found) throw new Error(`no group holds ${place}`);
  return found;
}

const within = ({ places }: Group, arcs: readonly PlainArc[]): readonly PlainArc[] =>
  places.flatMap((place) => arcs.filter(({ from, to }) => from === place && places.includes(to)));

const enter = ({ places }: Group, arcs: readonly PlainArc[]): readonly PlainArc[] =>
  arcs.filter(({ from, to }) => places.includes(to) && !places.includes(from));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const times = (count: number, weight: number): number => (count === 0 || weight === 0 ? 0 : count * weight);

interface Scale extends WeighingOptions {
  readonly firstLoop: number;
  readonly visits: number[];
}

function roundOf(group: Group, doors: readonly number[], arcs: readonly PlainArc[], scale: Scale) {
  const around = within(group, arcs);
  const level = levelOf({ places: group.places, doors, arcs: around }, around, scale.firstLoop, 0);
  const most = (1 + scale.returns) * (1 + traversals(around, scale));
  const weight = sum(group.places.map((place) => scale.weights[place] ?? 0));
  if (!level) {
    for (const place of group.places) scale.visits[place] = place < scale.firstLoop ? most : Infinity;
    return { once: weight, extra: times(most - 1, weight) };
  }
  const once = Math.max(...segmentOf(level, scale).values());
  return { once, extra: Math.min(furtherRounds(level, 1, scale), times(most, weight) - once) };
}

function traversals(arcs: readonly PlainArc[], { counts }: WeighingOptions): number {
  return counts ? sum([...new Set(arcs.map(({ limit }) => limit))].map((limit) => limit?.bound ?? 0)) : 0;
}

interface Circle {
  readonly places: readonly number[];
  readonly doors: readonly number[];
  readonly arcs: readonly PlainArc[];
}

/** A circle cut at one place: the ways to it, the others, what leads round even so, and the ways whose traversals set back no outer cut. */
interface PlainLevel extends Circle {
  readonly cut: number;
  readonly into: readonly PlainArc[];
  readonly between: readonly PlainArc[];
  readonly inner: readonly PlainLevel[];
  readonly around: readonly PlainArc[];
  readonly isOnlyDoor: boolean;
}

function levelOf(
  circle: Circle,
  around: readonly PlainArc[],
  firstLoop: number,
  depth: number,
): PlainLevel | undefined {
  if (depth > 24) return undefined;
  const cut = cutOf(circle, firstLoop);
  const into = circle.arcs.filter(({ to }) => to === cut);
  const between = circle.arcs.filter(({ to }) => to !== cut);
  const inner = groupsOf(circle.places, between)
    .filter(({ leadsRound }) => leadsRound)
    .map((group) => {
      const entered = enter(group, between).map(({ to }) => to);
      const doors = new Set([...group.places.filter((place) => circle.doors.includes(place)), ...entered]);
      const arcs = between.filter(({ from, to }) => group.places.includes(from) && group.places.includes(to));
      return levelOf({ places: group.places, doors: [...doors], arcs }, around, firstLoop, depth + 1);
    });
  if (inner.includes(undefined)) return undefined;
  const isOnlyDoor = circle.doors.every((door) => door === cut);
  return { ...circle, cut, into, between, inner: inner.filter((level) => level !== undefined), around, isOnlyDoor };
}

function cutOf({ places, doors, arcs }: Circle, firstLoop: number): number {
  const door = doors.find((place) => place < firstLoop);
  if (door !== undefined) return door;
  const [first = -1] = doors;
  if (!roundsFreely(first, arcs)) return first;
  const before = arcs.find(({ from, to }) => to === first && from < firstLoop);
  return before?.from ?? places.find((place) => place < firstLoop) ?? first;
}

const roundsFreely = (place: number, arcs: readonly PlainArc[]): boolean =>
  leadsTo(
    place,
    arcs.filter(({ limit }) => limit === null),
  ).has(place);

/** The ways back of a level and of those inside, as far as each is entered by its cut alone. */
function returnsOf({ into, inner, isOnlyDoor }: PlainLevel): readonly PlainArc[] {
  return [...(isOnlyDoor ? into : []), ...inner.flatMap(returnsOf)];
}

/** The heaviest segment up to each place, inner levels passed through once. */
function segmentOf(level: PlainLevel, scale: Scale): ReadonlyMap<number, number> {
  const groups = groupsOf(level.places, level.between);
  const known = new Map<number, number>();
  const upTo = (place: number): number => {
    const before = known.get(place);
    if (before !== undefined) return before;
    const entering = enter(groupOf(groups, place), level.between);
    const inner = level.inner.find(({ places }) => places.includes(place));
    const own = inner ? Math.max(...segmentOf(inner, scale).values()) : (scale.weights[place] ?? 0);
    const weight = own + Math.max(0, ...entering.map(({ from }) => upTo(from)));
    known.set(place, weight);
    return weight;
  };
  return new Map(level.places.map((place) => [place, upTo(place)]));
}

interface Bound {
  readonly rounds: number;
  readonly extra: number;
}

/** What coming by again adds, of a level that is entered so often. */
function furtherRounds(level: PlainLevel, entered: number, scale: Scale): number {
  const once = Math.max(...segmentOf(level, scale).values());
  const bounds = boundsOf(level, once, scale);
  const aside = level.isOnlyDoor ? 0 : entered;
  const rounds = Math.min(...bounds.map((bound) => bound.rounds)) + aside;
  const extra = Math.min(...bounds.map((bound) => bound.extra)) + times(aside, once);
  const inside = new Set(level.inner.flatMap(({ places }) => places));
  for (const place of level.places) if (!inside.has(place)) scale.visits[place] = entered + rounds;
  return extra + sum(level.inner.map((each) => furtherRounds(each, entered + rounds, scale)));
}

/** By counted edges, by the returns to the cut, and by the returns to what leads to it freely. */
function boundsOf(level: PlainLevel, once: number, scale: Scale): readonly Bound[] {
  const { cut, into, between, inner, arcs, around } = level;
  const upTo = segmentOf(level, scale);
  const heaviest = (ways: readonly PlainArc[]): number => Math.max(0, ...ways.map(({ from }) => upTo.get(from) ?? 0));
  const free = into.filter(({ limit }) => limit === null);
  const limits = new Set(into.flatMap(({ limit }) => (limit && scale.counts ? [limit] : [])));
  const closing = [...limits].map(({ bound }) => bound);
  const closingExtra = [...limits].map((limit) =>
    times(limit.bound, heaviest(into.filter((arc) => arc.limit === limit))),
  );
  const besides = (rounds: number): Bound => ({
    rounds: sum(closing) + rounds,
    extra: sum(closingExtra) + times(rounds, heaviest(free)),
  });
  const innerReturns = new Set(inner.flatMap(returnsOf));
  const outer = (ways: readonly PlainArc[]): readonly PlainArc[] => ways.filter((arc) => !innerReturns.has(arc));
  const bounds: Bound[] = [];
  if (free.length === 0) bounds.push(besides(0));
  else if (!roundsFreely(cut, arcs)) bounds.push(besides(traversals(outer(between), scale)));
  if (cut >= scale.firstLoop) return bounds.length > 0 ? bounds : [{ rounds: Infinity, extra: Infinity }];
  const visits = (ways: readonly PlainArc[]): number => (1 + scale.returns) * (1 + traversals(ways, scale));
  const byCut = visits(outer(around)) - 1;
  bounds.push({ rounds: byCut, extra: times(byCut, once) });
  const sources = [...new Set(free.map(({ from }) => from))];
  if (sources.every((place) => place < scale.firstLoop) && free.length > 0) {
    const [used = null, ...others] = new Set(free.map(({ after }) => after));
    const left = around.filter(({ limit }) => used === null || others.length > 0 || limit !== used);
    // A way from a socket to itself sets back that socket alone.
    const departing = (place: number) => left.filter(({ from, to }) => from !== to || from === place);
    bounds.push(besides(Math.min(visits(outer(left)) - 1, sum(sources.map((place) => visits(departing(place)))))));
  }
  return bounds;
}
