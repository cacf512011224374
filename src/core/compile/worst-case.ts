import { limitOf, type CastLimits } from "../model/config.ts";
import type { Materia } from "../model/materia.ts";
import { createEmptyRecord, setOwnKey } from "../model/json.ts";
import type { Flow } from "./flow.ts";
import { type Graph, type GraphSocket, materiaOf } from "./graph.ts";
import { mayMakeList, mayMakeAnyList } from "./socket-outputs.ts";
import {
  splitRegion,
  type CutCycle,
  type SplitRegion,
  itemRegion,
  mapLoops,
  outerRegion,
  type LoopMap,
  type WalkCycle,
  type WalkStage,
} from "./worst-case-cycles.ts";

export interface WorstCase {
  readonly turns: TurnFormula;
  readonly withRepairs: TurnFormula;
}

/** A number of turns: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type TurnFormula = Readonly<Record<string, number>> | null;

export function evaluateFormula(formula: TurnFormula, itemsOf: (loop: string) => number): number {
  if (formula === null) return Infinity;
  let sum = 0;
  for (const [loop, count] of Object.entries(formula)) sum += loop === "" ? count : count * itemsOf(loop);
  return sum;
}

/** [G23] The turns of one item of each loop, times its passes, plus those of the sockets outside loops. */
export function worstCase(graph: Graph, flow: Flow, limits: CastLimits): WorstCase {
  const map = mapLoops(graph, flow);
  const regions = { items: splitRegion(itemRegion(map)), outside: splitRegion(outerRegion(map)) };
  const seats = flow.sockets.map((socket) => ({ socket, materia: materiaOf(graph, socket) }));
  const formula = (repairs: number): TurnFormula => {
    const weights = seats.map((seat) => turnsPerVisit(seat, repairs));
    const attempts = 1 + limitOf(limits, "maxConflicts");
    return turnFormula(map, regions, { seats, weights, returns: limits.maxNoAdvanceCycles, attempts });
  };
  return { turns: formula(0), withRepairs: formula(limits.maxRepairs) };
}

function turnsPerVisit({ socket, materia }: SeatedSocket, repairs: number): number {
  if (materia.type !== "agent") return 0;
  // Any text is valid, unless `assign` needs a list.
  if (socket.parse === "text" && socket.assign.length === 0) return 1;
  // An interactive visit may need one more turn to write the agreed result; that is no repair.
  return 1 + repairs + (socket.interactive ? 1 : 0);
}

interface SeatedSocket {
  readonly socket: GraphSocket;
  readonly materia: Materia;
}

interface TurnWeights {
  readonly seats: readonly SeatedSocket[];
  readonly weights: readonly number[];
  readonly returns: number;
  readonly attempts: number;
}

function turnFormula(
  map: LoopMap,
  { items, outside }: { readonly items: SplitRegion; readonly outside: SplitRegion },
  turns: TurnWeights,
): TurnFormula {
  const { upTo, visits } = measureWalks(outside, { ...turns, usesLimited: true });
  const listsFor = listCounter(map, turns.seats, visits);
  const formula = createEmptyRecord<number>(map.loops.length);
  const around = [...upTo.values()].reduce((most, weight) => Math.max(most, weight), 0);
  if (around === Infinity) return null;
  if (around > 0) formula[""] = around;
  for (const [number, weight] of measureItems(map, items, turns).entries()) {
    const passes = visits.get(outside.firstLoop + number) ?? 1;
    const count = turnsPerItem(weight, passes, listsFor, turns);
    if (count === Infinity) return null;
    if (count > 0) setOwnKey(formula, weight.loop.id, count);
  }
  return formula;
}

/** The turns of one item of a loop: with limited edges used up, without them, and what they add. */
interface ItemWeight {
  readonly loop: LoopMap["loops"][number];
  readonly whole: number;
  readonly plain: number;
  readonly added: number;
}

function measureItems({ loops, loopAt }: LoopMap, items: SplitRegion, turns: TurnWeights): readonly ItemWeight[] {
  const full = measureWalks(items, { ...turns, usesLimited: true });
  const bare = measureWalks(items, { ...turns, usesLimited: false });
  const found = loops.map((loop) => ({ loop, whole: 0, plain: 0, added: 0 }));
  for (const [at, whole] of full.upTo) {
    const weight = found[loopAt[at] ?? -1];
    if (!weight) continue;
    weight.whole = Math.max(weight.whole, whole);
    weight.plain = Math.max(weight.plain, bare.upTo.get(at) ?? 0);
    weight.added += (full.added.get(at) ?? 0) - (bare.added.get(at) ?? 0);
  }
  return found;
}

function turnsPerItem(
  { loop, whole, plain, added }: ItemWeight,
  passes: number,
  listsFor: ListCount,
  { attempts }: TurnWeights,
): number {
  // [V4] Each attempt and each pass of a parallel item is a separate cast with new counts.
  if (loop.parallel !== undefined) return times(passes, times(attempts, whole));
  // [G26] A pass over the same list continues the counts of its items.
  const lists = passes > 1 ? listsFor(loop) : 1;
  return Math.min(times(passes, whole), times(passes, plain) + times(Math.min(passes, lists), added));
}

/** How many lists a loop can receive: one for each visit of a socket that may make one. */
type ListCount = (loop: ItemWeight["loop"]) => number;

function listCounter(
  { loopAt }: LoopMap,
  seats: readonly SeatedSocket[],
  visits: ReadonlyMap<number, number>,
): ListCount {
  const count = (list: readonly string[]): number => {
    // A list of an earlier cast exists from the start.
    let lists = list[0] === "previousCastContext" ? 1 : 0;
    seats.forEach(({ materia, socket }, at) => {
      if (!mayMakeAnyList(materia, socket) || !mayMakeList(materia, socket, list)) return;
      lists += loopAt[at] === -1 ? (visits.get(at) ?? 1) : Infinity;
    });
    return Math.max(1, lists);
  };
  // A thousand loops may walk the same list.
  const countOf = new Map<string, number>();
  return ({ items }) => {
    const place = JSON.stringify(items);
    const lists = countOf.get(place) ?? count(items);
    countOf.set(place, lists);
    return lists;
  };
}

interface MeasureOptions {
  /** The weight of one visit, by place. */
  readonly weights: readonly number[];
  /** [G9] How often a walk may return to a socket before something makes progress. */
  readonly returns: number;
  /** Whether a walk uses up limited edges, or takes none of them. */
  readonly usesLimited: boolean;
}

export function measureWalks({ stages, firstLoop }: SplitRegion, options: MeasureOptions) {
  /** What further rounds of a cycle add, by the first place of the cycle. */
  const added = new Map<number, number>();
  /** How often a walk visits each place on a cycle; other places once. */
  const visits = new Map<number, number>();
  const upTo = heaviestWalks(stages, ({ places, cycle }) => {
    if (!cycle) return placeWeight(places, options);
    const { once, extra } = measureCycle(places, cycle, { ...options, firstLoop, visits });
    added.set(places[0] ?? -1, extra);
    return once + extra;
  });
  return { upTo, added, visits };
}

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
function times(count: number, weight: number): number {
  return weight === 0 ? 0 : count * weight;
}
