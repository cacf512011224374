import type { CutCycle, SplitRegion, WalkCycle, WalkStage } from "./worst-case-cycles.ts";

export interface MeasureOptions {
  /** The weight of one visit, by place. */
  readonly weights: readonly number[];
  /** [G9] How often a walk may return to a socket before something makes progress. */
  readonly returns: number;
  /** Whether a walk uses up limited edges, or takes none of them. */
  readonly usesLimited: boolean;
}

/** What the heaviest walks through a region weigh. */
export interface WalkWeights {
  /** The heaviest walk up to each place, the cycles before it included. */
  readonly upTo: ReadonlyMap<number, number>;
  /** What further rounds of a cycle add to a walk, by the first place of the cycle. */
  readonly added: ReadonlyMap<number, number>;
  /** How often a walk visits each place on a cycle; other places once. */
  readonly visits: ReadonlyMap<number, number>;
}

export function measureWalks({ stages, firstLoop }: SplitRegion, options: MeasureOptions): WalkWeights {
  const added = new Map<number, number>();
  const visits = new Map<number, number>();
  const upTo = heaviestWalks(stages, ({ places, cycle }) => {
    if (!cycle) return placeWeight(places, options);
    const { once, extra } = measureCycle(places, cycle, { ...options, firstLoop, visits });
    added.set(places[0] ?? -1, extra);
    return once + extra;
  });
  return { upTo, added, visits };
}

/** The heaviest walk up to each place, where a walk passes each stage once. */
function heaviestWalks(
  stages: readonly WalkStage[],
  weightOf: (stage: WalkStage) => number,
): ReadonlyMap<number, number> {
  const upTo = new Map<number, number>();
  for (const stage of stages) {
    const weight = heaviest(stage.places, upTo) + weightOf(stage);
    for (const place of stage.places) upTo.set(place, weight);
    for (const to of stage.onward) upTo.set(to, Math.max(weight, upTo.get(to) ?? 0));
  }
  return upTo;
}

function heaviest(places: readonly number[], upTo: ReadonlyMap<number, number>): number {
  return places.reduce((most, place) => Math.max(most, upTo.get(place) ?? 0), 0);
}

function placeWeight(places: readonly number[], { weights }: MeasureOptions): number {
  return places.reduce((sum, place) => sum + (weights[place] ?? 0), 0);
}

interface MeasureContext extends MeasureOptions {
  readonly firstLoop: number;
  readonly visits: Map<number, number>;
}

/** The heaviest walk that passes no place twice, and what further rounds add to it. */
function measureCycle(places: readonly number[], { traversals, cut }: WalkCycle, context: MeasureContext) {
  const all = placeWeight(places, context);
  const mostVisits = visitsWith(traversals, context);
  if (!cut) {
    for (const place of places) context.visits.set(place, place < context.firstLoop ? mostVisits : Infinity);
    return { once: all, extra: times(mostVisits - 1, all) };
  }
  const segment = measureSegment(cut, context);
  const extra = measureRounds(cut, { entered: 1, segment }, context);
  return { once: segment.once, extra: Math.min(extra, times(mostVisits, all) - segment.once) };
}

/** [G9] How often a walk visits a socket: its returns count anew after each traversal of a limited edge. */
function visitsWith(traversals: number, { returns, usesLimited }: MeasureOptions): number {
  return (1 + returns) * (1 + (usesLimited ? traversals : 0));
}

interface Segment {
  readonly once: number;
  readonly upTo: ReadonlyMap<number, number>;
}

/** The heaviest segment of a cycle. It passes the cycles inside once. */
function measureSegment({ stages }: CutCycle, options: MeasureOptions): Segment {
  const upTo = heaviestWalks(stages, (stage) =>
    stage.cycle?.cut ? measureSegment(stage.cycle.cut, options).once : placeWeight(stage.places, options),
  );
  return { once: heaviest([...upTo.keys()], upTo), upTo };
}

/** What further rounds of a cycle and of those inside it add, where a walk enters it so often. */
function measureRounds(
  cycle: CutCycle,
  { entered, segment }: { readonly entered: number; readonly segment: Segment },
  context: MeasureContext,
): number {
  // A walk that enters elsewhere comes to the cut once more without a full round.
  const partial = cycle.isOnlyEntry ? 0 : entered;
  const bounds = boundsOfRounds(cycle, segment, context);
  const rounds = Math.min(...bounds.map((bound) => bound.rounds)) + partial;
  let extra = Math.min(...bounds.map((bound) => bound.extra)) + times(partial, segment.once);
  for (const { places, cycle: inner } of cycle.stages) {
    if (!inner?.cut) for (const place of places) context.visits.set(place, entered + rounds);
    else {
      const again = { entered: entered + rounds, segment: measureSegment(inner.cut, context) };
      extra += measureRounds(inner.cut, again, context);
    }
  }
  return extra;
}

interface RoundsBound {
  readonly rounds: number;
  readonly extra: number;
}

/** Each limit bounds the further rounds and their weight by itself. */
function boundsOfRounds(cycle: CutCycle, { once, upTo }: Segment, options: MeasureOptions): readonly RoundsBound[] {
  const { limitedReturns, freeReturns, traversalsBetween, resetsOfCut, resetsOfFreeReturns } = cycle;
  const limited = options.usesLimited ? limitedReturns : [];
  const closed = {
    rounds: sum(limited.map(({ bound }) => bound)),
    extra: sum(limited.map(({ bound, from }) => times(bound, upTo.get(from) ?? 0))),
  };
  const withFreeReturns = (rounds: number): RoundsBound => ({
    rounds: closed.rounds + rounds,
    extra: closed.extra + times(rounds, heaviest(freeReturns, upTo)),
  });
  const bounds: RoundsBound[] = [{ rounds: Infinity, extra: Infinity }];
  // [G8] A round ends with a limited edge, or has one on it.
  if (traversalsBetween !== null) bounds.push(withFreeReturns(options.usesLimited ? traversalsBetween : 0));
  // [G9, G10] The returns to the cut are limited.
  if (resetsOfCut !== null) {
    const rounds = visitsWith(resetsOfCut, options) - 1;
    bounds.push({ rounds, extra: times(rounds, once) });
  }
  // [G9, G27] So are the returns to the sockets from which a free return leads back.
  if (resetsOfFreeReturns) {
    const arrivals = visitsWith(resetsOfFreeReturns.ofCut, options) - 1;
    const departures = sum(resetsOfFreeReturns.ofSources.map((resets) => visitsWith(resets, options)));
    bounds.push(withFreeReturns(Math.min(arrivals, departures)));
  }
  return bounds;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Zero for a weight of zero, even where the count has no bound. */
export function times(count: number, weight: number): number {
  return weight === 0 ? 0 : count * weight;
}
