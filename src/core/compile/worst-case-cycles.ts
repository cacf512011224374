import type { CountedReturn, CycleLevel, LevelPart } from "./worst-case-levels.ts";

export interface WeighingOptions {
  /** What a visit of each place weighs. */
  readonly weights: readonly number[];
  /** [G9] How often a socket may be returned to before something makes progress. */
  readonly returns: number;
  /** Whether counted edges are used up, or not taken at all. */
  readonly counts: boolean;
}

/** Scales at work on a region. */
export interface WeighingState extends WeighingOptions {
  readonly firstLoop: number;
  /** How often a walk comes by each place; filled in on the way. */
  readonly visits: number[];
  /** The heaviest segment up to each place of the level in hand, and up to what leads to it; scratch. */
  readonly upTo: number[];
  readonly arriving: number[];
}

/** Places that lead round in a circle together; without levels where they are too tangled. */
export interface WalkCycle {
  readonly places: readonly number[];
  /** All traversals that its ways allow together. */
  readonly bound: number;
  readonly level: CycleLevel | undefined;
  /** Where it leads. */
  readonly onward: readonly number[];
}

export interface CycleWeight {
  /** The heaviest walk that comes by no place twice. */
  readonly once: number;
  /** What coming by again adds to it, in all. */
  readonly extra: number;
}

/**
 * What places weigh that lead round in a circle together. Each of two limits bounds it by itself: the traversals of
 * counted edges, and the returns to a socket, which begin again when a counted edge closes a circle.
 */
export function weighCycle({ places, bound, level }: WalkCycle, weighing: WeighingState): CycleWeight {
  const { returns, firstLoop, weights, visits } = weighing;
  const mostVisits = (1 + returns) * (1 + traversalsIfCounted(bound, weighing));
  let all = 0;
  for (let index = 0; index < places.length; index += 1) all += weights[places[index] ?? -1] ?? 0;
  if (!level) {
    for (const place of places) visits[place] = place < firstLoop ? mostVisits : Infinity;
    return { once: all, extra: multiplyWeight(mostVisits - 1, all) };
  }
  const once = weighSegment(level, weighing);
  const extra = weighLevel(level, { segments: 1, once }, weighing);
  return { once, extra: Math.min(extra, multiplyWeight(mostVisits, all) - once) };
}

function traversalsIfCounted(bound: number, { counts }: WeighingOptions): number {
  return counts ? bound : 0;
}

/** How often a level is entered, and its heaviest segment. */
interface LevelEntry {
  readonly segments: number;
  readonly once: number;
}

/** What further rounds of a level and of those inside it add. What its segments weigh has just been noted. */
function weighLevel(level: CycleLevel, { segments, once }: LevelEntry, weighing: WeighingState): number {
  // Entered elsewhere, it comes by the cut once more without having gone round.
  const aside = level.isOnlyDoor ? 0 : segments;
  const byWays = boundByReturnArcs(level, weighing);
  const byCut = boundByReturns(level, once, weighing);
  const rounds = Math.min(byWays.rounds, byCut.rounds) + aside;
  let extra = Math.min(byWays.extra, byCut.extra) + multiplyWeight(aside, once);
  for (let index = 0; index < level.parts.length; index += 1) {
    const at = level.parts[index]?.at ?? -1;
    if (typeof at === "number") weighing.visits[at] = segments + rounds;
    else extra += weighLevel(at, { segments: segments + rounds, once: weighSegment(at, weighing) }, weighing);
  }
  return extra;
}

/** How many further rounds a level has at most, and what they weigh together. */
interface RoundsBound {
  readonly rounds: number;
  readonly extra: number;
}

const NO_BOUND: RoundsBound = { rounds: Infinity, extra: Infinity };

/** What the ways to the cut allow. Mostly all of them are counted, and nothing else is to be asked. */
function boundByReturnArcs(level: CycleLevel, weighing: WeighingState): RoundsBound {
  const closing = boundByCountedEdges(level, weighing);
  if (level.freeFrom.length === 0) return closing;
  const heaviest = maxWeight(level.freeFrom, weighing.upTo);
  const byEdges = boundByTraversals(level, closing, heaviest, weighing);
  const byOthers = boundByEarlierReturns(level, closing, heaviest, weighing);
  return { rounds: Math.min(byEdges.rounds, byOthers.rounds), extra: Math.min(byEdges.extra, byOthers.extra) };
}

/** [G8] A round ends with a counted edge, or has one on it. */
function boundByTraversals(
  level: CycleLevel,
  closing: RoundsBound,
  heaviest: number,
  weighing: WeighingState,
): RoundsBound {
  if (level.roundsFreely) return NO_BOUND;
  return addRounds(closing, traversalsIfCounted(level.boundBetween, weighing), heaviest);
}

/** [G9, G10] The cut is returned to so often, and as often again after each counted edge that closes a circle through it. */
function boundByReturns({ cut, boundAround }: CycleLevel, once: number, weighing: WeighingState): RoundsBound {
  if (cut >= weighing.firstLoop) return NO_BOUND;
  const rounds = (1 + weighing.returns) * (1 + traversalsIfCounted(boundAround, weighing)) - 1;
  return { rounds, extra: multiplyWeight(rounds, once) };
}

/** [G9, G27] So do the sockets from which an uncounted way leads back; a `then` does so once its edge is used up and sets nothing back any more. */
function boundByEarlierReturns(
  { cut, returns }: CycleLevel,
  closing: RoundsBound,
  heaviest: number,
  weighing: WeighingState,
): RoundsBound {
  const { firstLoop } = weighing;
  if (cut >= firstLoop) return NO_BOUND;
  if (returns.bounds.some(({ place }) => place >= firstLoop)) return NO_BOUND;
  const arrivals = (1 + weighing.returns) * (1 + traversalsIfCounted(returns.boundOfCut, weighing)) - 1;
  let departures = 0;
  for (const { bound } of returns.bounds)
    departures += (1 + weighing.returns) * (1 + traversalsIfCounted(bound, weighing));
  return addRounds(closing, Math.min(arrivals, departures), heaviest);
}

function addRounds(closing: RoundsBound, rounds: number, heaviest: number): RoundsBound {
  return { rounds: closing.rounds + rounds, extra: closing.extra + multiplyWeight(rounds, heaviest) };
}

/** The rounds that end with a counted edge. */
function boundByCountedEdges({ counted: ways }: CycleLevel, weighing: WeighingState): RoundsBound {
  let rounds = 0;
  let extra = 0;
  if (!weighing.counts) return { rounds, extra };
  for (let index = 0; index < ways.length; index += 1) {
    const { bound, from } = ways[index] ?? NO_RETURN;
    rounds += bound;
    extra += multiplyWeight(bound, weighing.upTo[from] ?? 0);
  }
  return { rounds, extra };
}

const NO_RETURN: CountedReturn = { bound: 0, from: -1 };

export function maxWeight(places: readonly number[], weights: readonly number[]): number {
  let most = 0;
  for (let index = 0; index < places.length; index += 1) most = Math.max(most, weights[places[index] ?? -1] ?? 0);
  return most;
}

/**
 * The heaviest segment of a level, inner levels passed through once; what it weighs up to each place is noted. It counts
 * by index: a check weighs thousands of levels before this is compiled, and until then `for … of` makes an object a step.
 */
function weighSegment({ places, parts }: CycleLevel, weighing: WeighingState): number {
  const { upTo, arriving, weights } = weighing;
  for (let index = 0; index < places.length; index += 1) arriving[places[index] ?? -1] = 0;
  let most = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const { at, onward } = parts[index] ?? NO_PART;
    let weight = 0;
    if (typeof at === "number") {
      weight = (arriving[at] ?? 0) + (weights[at] ?? 0);
      upTo[at] = weight;
    } else {
      weight = maxWeight(at.places, arriving) + weighSegment(at, weighing);
      for (const inner of at.places) upTo[inner] = weight;
    }
    for (let way = 0; way < onward.length; way += 1) {
      const to = onward[way] ?? -1;
      arriving[to] = Math.max(weight, arriving[to] ?? 0);
    }
    most = Math.max(most, weight);
  }
  return most;
}

const NO_PART: LevelPart = { at: -1, onward: [] };

/** Nothing stays nothing, however often. */
export function multiplyWeight(count: number, weight: number): number {
  return weight === 0 ? 0 : count * weight;
}
