import { maxConflictsOf, type CastLimits } from "../model/config.ts";
import type { Materia } from "../model/materia.ts";
import { createEmptyRecord, setOwnKey } from "../model/json.ts";
import type { Flow } from "./flow.ts";
import { type Graph, type GraphSocket, materiaOf } from "./graph.ts";
import { mayMakeList, mayMakeAnyList } from "./socket-outputs.ts";
import { splitRegion, type SplitRegion, itemRegion, mapLoops, outerRegion, type LoopMap } from "./worst-case-cycles.ts";
import { times, measureWalks } from "./worst-case-walks.ts";

/** The most turns that a cast can take: without repairs, and with all repairs that its limits allow. */
export interface WorstCase {
  readonly turns: TurnFormula;
  readonly withRepairs: TurnFormula;
}

/** A number of turns: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type TurnFormula = Readonly<Record<string, number>> | null;

/** The formula for given numbers of items. */
export function evaluateFormula(formula: TurnFormula, itemsOf: (loop: string) => number): number {
  if (formula === null) return Infinity;
  let sum = 0;
  for (const [loop, count] of Object.entries(formula)) sum += loop === "" ? count : count * itemsOf(loop);
  return sum;
}

/**
 * [G23] The heaviest cast that the limits allow: the turns of one item of each loop, times the passes of the loop, plus
 * the turns of the sockets outside loops.
 */
export function worstCase(graph: Graph, flow: Flow, limits: CastLimits): WorstCase {
  const map = mapLoops(graph, flow);
  const regions = { items: splitRegion(itemRegion(map)), outside: splitRegion(outerRegion(map)) };
  const seats = flow.sockets.map((socket) => ({ socket, materia: materiaOf(graph, socket) }));
  const formula = (repairs: number): TurnFormula => {
    const weights = seats.map((seat) => turnsPerVisit(seat, repairs));
    const attempts = 1 + maxConflictsOf(limits);
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
  const known = new Map<string, number>();
  return ({ items }) => {
    const place = JSON.stringify(items);
    const lists = known.get(place) ?? count(items);
    known.set(place, lists);
    return lists;
  };
}
