import type { Component, Level, Part } from "./level.ts";
import type { Arc, Limit } from "./region.ts";

export interface Scales {
  readonly weights: readonly number[];
  /** [G9] How often a socket may be returned to before something makes progress. */
  readonly returns: number;
  readonly boundOf: (limit: Limit) => number;
}

/** Places that lead round in a circle together; without levels where they are too tangled. */
export interface Circle extends Component {
  readonly level: Level | undefined;
}

export interface Round {
  /** The heaviest walk that comes by no place twice. */
  readonly once: number;
  /** What coming by again adds to it, in all. */
  readonly extra: number;
  readonly visits: ReadonlyMap<number, number>;
}

/**
 * What places weigh that lead round in a circle together. Each of two limits bounds it by itself: the traversals of
 * counted edges, and the returns to a socket, which begin again when a counted edge closes a circle.
 */
export function weighRound({ places, arcs, level }: Circle, firstLoop: number, scales: Scales): Round {
  const mostVisits = (1 + scales.returns) * (1 + boundsOf(arcs, scales));
  const all = places.reduce((sum, place) => sum + (scales.weights[place] ?? 0), 0);
  const visits = new Map<number, number>();
  if (!level) {
    for (const place of places) visits.set(place, place < firstLoop ? mostVisits : Infinity);
    return { once: all, extra: times(mostVisits - 1, all), visits };
  }
  const upTo = heaviestUpTo(level, scales);
  const once = Math.max(...upTo.values());
  const extra = weighLevel({ level, segments: 1, arcs, firstLoop, scales, visits }, upTo);
  return { once, extra: Math.min(extra, times(mostVisits, all) - once), visits };
}

interface Weighing {
  readonly level: Level;
  /** How often the level is entered. */
  readonly segments: number;
  /** All ways of the circle, those around this level included. */
  readonly arcs: readonly Arc[];
  readonly firstLoop: number;
  readonly scales: Scales;
  /** Filled in on the way. */
  readonly visits: Map<number, number>;
}

/** What further rounds of a level and of those inside it add. */
function weighLevel(weighing: Weighing, upTo: ReadonlyMap<number, number>): number {
  const { level, segments, scales, visits } = weighing;
  const once = Math.max(...upTo.values());
  // Entered elsewhere, it comes by the cut once more without having gone round.
  const aside = level.isOnlyDoor ? 0 : segments;
  const bounds = [byTraversals(weighing, upTo), byReturns(weighing, once), byReturnsBefore(weighing, upTo)];
  const rounds = Math.min(...bounds.map((bound) => bound.rounds)) + aside;
  let extra = Math.min(...bounds.map((bound) => bound.extra)) + times(aside, once);
  for (const part of level.parts) {
    if ("place" in part) visits.set(part.place, segments + rounds);
    else {
      const inner = { ...weighing, level: part.level, segments: segments + rounds };
      extra += weighLevel(inner, heaviestUpTo(part.level, scales));
    }
  }
  return extra;
}

/** How many further rounds a level has at most, and what they weigh together. */
interface Bound {
  readonly rounds: number;
  readonly extra: number;
}

const NO_BOUND: Bound = { rounds: Infinity, extra: Infinity };

/** [G8] A round ends with a counted edge, or has one on it. */
function byTraversals({ level, scales }: Weighing, upTo: ReadonlyMap<number, number>): Bound {
  const { into, free, between, roundsFreely } = level;
  const counted = closedBy(into, scales, upTo);
  if (free.length === 0) return counted;
  if (roundsFreely) return NO_BOUND;
  const rounds = boundsOf(without(between, level.innerReturns), scales);
  return { rounds: counted.rounds + rounds, extra: counted.extra + times(rounds, heaviestOf(free, upTo)) };
}

/** [G9, G10] The cut is returned to so often, and as often again after each counted edge that closes a circle through it. */
function byReturns({ level, arcs, firstLoop, scales }: Weighing, once: number): Bound {
  if (level.cut >= firstLoop) return NO_BOUND;
  const rounds = (1 + scales.returns) * (1 + boundsOf(without(arcs, level.innerReturns), scales)) - 1;
  return { rounds, extra: times(rounds, once) };
}

/** [G9, G27] So do the sockets from which an uncounted way leads back; a `then` does so once its edge is used up and sets nothing back any more. */
function byReturnsBefore({ level, arcs, firstLoop, scales }: Weighing, upTo: ReadonlyMap<number, number>): Bound {
  const { free } = level;
  const sources = new Set(free.map((arc) => arc.from));
  if (level.cut >= firstLoop || [...sources].some((place) => place >= firstLoop)) return NO_BOUND;
  const [used, ...others] = new Set(free.map((arc) => arc.after));
  const left = used && others.length === 0 ? arcs.filter((arc) => arc.limit !== used) : arcs;
  const arrivals = (1 + scales.returns) * (1 + boundsOf(without(left, level.innerReturns), scales)) - 1;
  let departures = 0;
  for (const place of sources) {
    // A way from a socket to itself sets back that socket alone.
    const closing = left.filter((arc) => arc.from !== arc.to || arc.from === place);
    departures += (1 + scales.returns) * (1 + boundsOf(closing, scales));
  }
  const rounds = Math.min(arrivals, departures);
  const counted = closedBy(level.into, scales, upTo);
  return { rounds: counted.rounds + rounds, extra: counted.extra + times(rounds, heaviestOf(free, upTo)) };
}

/** The rounds that end with a counted edge. */
function closedBy(into: readonly Arc[], { boundOf }: Scales, upTo: ReadonlyMap<number, number>): Bound {
  const byLimit = Map.groupBy(into, (arc) => arc.limit);
  let rounds = 0;
  let extra = 0;
  for (const [limit, arcs] of byLimit) {
    if (limit === null) continue;
    rounds += boundOf(limit);
    extra += times(boundOf(limit), heaviestOf(arcs, upTo));
  }
  return { rounds, extra };
}

function heaviestOf(arcs: readonly Arc[], upTo: ReadonlyMap<number, number>): number {
  return Math.max(0, ...arcs.map((arc) => upTo.get(arc.from) ?? 0));
}

function without(arcs: readonly Arc[], others: ReadonlySet<Arc>): readonly Arc[] {
  return others.size === 0 ? arcs : arcs.filter((arc) => !others.has(arc));
}

/** All traversals that these ways allow together. */
function boundsOf(arcs: readonly Arc[], { boundOf }: Scales): number {
  const limits = new Set<Limit>();
  for (const { limit } of arcs) if (limit) limits.add(limit);
  let sum = 0;
  for (const limit of limits) sum += boundOf(limit);
  return sum;
}

/** The heaviest segment up to each place of a level, inner levels passed through once. */
function heaviestUpTo({ starts, betweenFrom, parts }: Level, scales: Scales): ReadonlyMap<number, number> {
  const upTo = new Map<number, number>();
  const arriving = new Map([...starts].map((place) => [place, 0]));
  for (const part of parts) {
    const places = placesOf(part);
    const before = Math.max(0, ...places.map((place) => arriving.get(place) ?? 0));
    const within = "level" in part ? heaviestUpTo(part.level, scales) : null;
    const whole = within ? Math.max(...within.values()) : (scales.weights[places[0] ?? -1] ?? 0);
    for (const place of places) {
      upTo.set(place, before + whole);
      for (const { to } of betweenFrom.get(place) ?? [])
        arriving.set(to, Math.max(arriving.get(to) ?? 0, before + whole));
    }
  }
  return upTo;
}

function placesOf(part: Part): readonly number[] {
  return "level" in part ? part.level.parts.flatMap(placesOf) : [part.place];
}

/** Nothing stays nothing, however often. */
export function times(count: number, weight: number): number {
  return count === 0 || weight === 0 ? 0 : count * weight;
}
