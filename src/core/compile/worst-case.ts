import { maxConflictsOf, type CastLimits } from "../model/config.ts";
import type { Materia } from "../model/materia.ts";
import { createRecord, setOwnKey } from "../model/json.ts";
import type { Flow } from "./flow.ts";
import { type Graph, type GraphSocket, materiaOf } from "./graph.ts";
import { mayMakeList, mayMakeAnyList } from "./socket-outputs.ts";
import { itemRegion, mapLoops, outerRegion, type LoopMap } from "./worst-case-regions.ts";
import { multiplyWeight } from "./worst-case-cycles.ts";
import { orderRegion, weighWalks, type WalkOrder } from "./worst-case-walks.ts";

/**
 * How many turns a cast of this graph can take at most, as a formula of the items of its loops: what one item weighs,
 * how often its loop is passed, and what the sockets outside loops weigh, each the heaviest that the limits allow.
 */
export function worstCase(
  graph: Graph,
  flow: Flow,
  limits: CastLimits,
): { readonly turns: TurnFormula; readonly withRepairs: TurnFormula } {
  const map = mapLoops(graph, flow);
  const courses = { items: orderRegion(itemRegion(map)), outside: orderRegion(outerRegion(map)) };
  const seats = flow.sockets.map((socket) => ({ socket, materia: materiaOf(graph, socket) }));
  const amount = (repairs: number): TurnFormula => {
    const weights = seats.map((seat) => turnsPerVisit(seat, repairs));
    const attempts = 1 + maxConflictsOf(limits);
    return turnFormula(map, courses, { seats, weights, returns: limits.maxNoAdvanceCycles, attempts });
  };
  return { turns: amount(0), withRepairs: amount(limits.maxRepairs) };
}

/** The turns of one visit. */
function turnsPerVisit({ socket, materia }: SeatedSocket, repairs: number): number {
  if (materia.type !== "agent") return 0;
  // Any text will do, unless it must be a list for `assign`.
  if (socket.parse === "text" && socket.assign.length === 0) return 1;
  // An interactive visit may need one more turn to put what was agreed into the contract; that is no repair.
  return 1 + repairs + (socket.interactive ? 1 : 0);
}

interface SeatedSocket {
  readonly socket: GraphSocket;
  readonly materia: Materia;
}

interface TurnWeights {
  /** Every socket, by its number. */
  readonly seats: readonly SeatedSocket[];
  readonly weights: readonly number[];
  readonly returns: number;
  /** How often an item of a parallel loop is worked on. */
  readonly attempts: number;
}

/** What an item of a loop weighs: its counted edges used up, without them, and what they add in all. */
interface ItemWeight {
  readonly loop: LoopMap["loops"][number];
  readonly whole: number;
  readonly plain: number;
  readonly added: number;
}

function turnFormula(
  map: LoopMap,
  { items, outside }: { readonly items: WalkOrder; readonly outside: WalkOrder },
  load: TurnWeights,
): TurnFormula {
  const { upTo, visits } = weighWalks(outside, { ...load, counts: true });
  // Where each loop is passed once, its counts begin once: what its items weigh without them is not asked for.
  const isPassedAgain = visits.some((passes, at) => at >= outside.firstLoop && passes > 1);
  const itemWeights = map.loops.length === 0 ? [] : weighItems(map, items, { ...load, isPassedAgain });
  const listsFor = listCounter(map, load.seats, visits);
  const amount = createRecord<number>(itemWeights.length);
  const around = upTo.reduce((most, weight) => Math.max(most, weight), 0);
  if (around === Infinity) return null;
  if (around > 0) amount[""] = around;
  for (let number = 0; number < itemWeights.length; number += 1) {
    const weight = itemWeights[number];
    if (!weight) continue;
    const count = turnsPerItem(weight, visits[outside.firstLoop + number] ?? 1, listsFor, load);
    if (count === Infinity) return null;
    if (count > 0) setOwnKey(amount, weight.loop.id, count);
  }
  return amount;
}

function turnsPerItem(
  { loop, whole, plain, added }: ItemWeight,
  passes: number,
  listsFor: ListCount,
  { attempts }: TurnWeights,
): number {
  // [V4] Each attempt, and each pass, is a cast of its own that counts anew.
  if (loop.parallel !== undefined) return multiplyWeight(passes, multiplyWeight(attempts, whole));
  // [G26] A pass over the same list goes on with the counts of its items.
  const lists = passes > 1 ? listsFor(loop) : 1;
  return Math.min(
    multiplyWeight(passes, whole),
    multiplyWeight(passes, plain) + multiplyWeight(Math.min(passes, lists), added),
  );
}

function weighItems(
  { loops, loopAt }: LoopMap,
  items: WalkOrder,
  load: TurnWeights & { readonly isPassedAgain: boolean },
): readonly ItemWeight[] {
  const full = weighWalks(items, { ...load, counts: true });
  const bare = load.isPassedAgain ? weighWalks(items, { ...load, counts: false }) : full;
  const found = loops.map((loop) => ({ loop, whole: 0, plain: 0, added: 0 }));
  loopAt.forEach((loop, at) => {
    const weight = loop === -1 ? undefined : found[loop];
    if (!weight) return;
    weight.whole = Math.max(weight.whole, full.upTo[at] ?? 0);
    weight.plain = Math.max(weight.plain, bare.upTo[at] ?? 0);
    weight.added += (full.added[at] ?? 0) - (bare.added[at] ?? 0);
  });
  return found;
}

/** How many lists a loop can be given: as many as there are visits of sockets that may make one. */
type ListCount = (loop: ItemWeight["loop"]) => number;

function listCounter({ loopAt }: LoopMap, seats: readonly SeatedSocket[], visits: readonly number[]): ListCount {
  const count = (list: readonly string[]): number => {
    // What an earlier cast left is there from the start.
    let lists = list[0] === "previousCastContext" ? 1 : 0;
    seats.forEach(({ materia, socket }, at) => {
      if (!mayMakeAnyList(materia, socket) || !mayMakeList(materia, socket, list)) return;
      lists += loopAt[at] === -1 ? (visits[at] ?? 0) : Infinity;
    });
    return Math.max(1, lists);
  };
  // A thousand loops may walk what stands at one place.
  const known = new Map<string, number>();
  return ({ items }) => {
    const place = JSON.stringify(items);
    const lists = known.get(place) ?? count(items);
    known.set(place, lists);
    return lists;
  };
}

/** A number of turns: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type TurnFormula = Readonly<Record<string, number>> | null;

/** The amount for given numbers of items. */
export function evaluateFormula(amount: TurnFormula, itemsOf: (loop: string) => number): number {
  if (amount === null) return Infinity;
  let sum = 0;
  for (const [loop, count] of Object.entries(amount)) sum += loop === "" ? count : count * itemsOf(loop);
  return sum;
}
