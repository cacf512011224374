import type { CastLimits } from "../model/config.ts";
import type { Amount } from "./amount.ts";
import { components, isCyclic } from "./components.ts";
import { reachable } from "./flow.ts";
import type { Flow } from "./flow.ts";
import type { Graph, GraphLoop, GraphSocket } from "./graph.ts";
import { materiaOf } from "./graph.ts";

/**
 * How many turns a cast of this graph can take at most, as a formula of the items of its loops.
 * Between two counted edges a cast walks edges that nothing counts; each such walk is as heavy as the heaviest one,
 * and there are as many walks as the counted edges allow.
 */
export function worstCase(
  graph: Graph,
  flow: Flow,
  limits: CastLimits,
): { readonly turns: Amount; readonly withRepairs: Amount } {
  const map = mapOf(graph, flow);
  const items = itemRegion(map);
  const outside = outerRegion(map);
  const weigh = (repairs: number | null): Amount => {
    const weights = flow.sockets.map((socket) => turnsOf(graph, socket, repairs));
    const perItem = itemWeights(map, items, walk(items, weights, limits));
    // Seen from outside a loop weighs nothing: its turns are terms of their own.
    return wholeCast(map, outside, { perItem, best: walk(outside, weights, limits) });
  };
  return { turns: weigh(null), withRepairs: weigh(limits.maxRepairs) };
}

function turnsOf(graph: Graph, socket: GraphSocket, repairs: number | null): number {
  if (materiaOf(graph, socket).type !== "agent") return 0;
  if (repairs === null) return 1;
  // A text may be no list where `assign` wants one, and is asked for again.
  if (socket.parse === "text") return socket.assign.length === 0 ? 1 : 1 + repairs;
  // An interactive visit may need one more turn to put what was agreed into the contract.
  return 1 + repairs + (socket.interactive ? 1 : 0);
}

/** The loops that walk a list, and which of them holds each socket. */
interface LoopMap {
  readonly flow: Flow;
  readonly loops: readonly GraphLoop[];
  readonly loopAt: readonly (number | undefined)[];
}

function mapOf(graph: Graph, flow: Flow): LoopMap {
  const loops = Object.values(graph.loops).filter((loop) => loop.items !== null);
  const numberOf = new Map<string | null, number>(loops.map((loop, number) => [loop.id, number]));
  return { flow, loops, loopAt: flow.sockets.map((socket) => numberOf.get(socket.loop)) };
}

/** A part of the graph in which walks are weighed: numbered places, and the ways between them that nothing counts. */
interface Region {
  readonly free: readonly (readonly number[])[];
  /** The places that lead round in a circle together, or one by itself; each after those that lead to it. */
  readonly knots: readonly Knot[];
  /** Where a walk may begin, what a counted edge leads to included. */
  readonly starts: ReadonlySet<number>;
  readonly counted: readonly CountedArc[];
}

interface Knot {
  readonly places: readonly number[];
  readonly isCyclic: boolean;
  /** Whether passing it resets the count of returns, so that a free way round it never ends. */
  readonly resets: boolean;
}

interface CountedArc {
  readonly from: number;
  readonly to: number;
  readonly bound: number;
  /** The loop for each of whose items the bound holds; empty for the whole cast. */
  readonly perItemOf: string;
}

/** Every item of every loop, by sockets: from where an item begins to where the cursor moves on or the loop is left. */
function itemRegion({ flow, loopAt }: LoopMap): Region {
  const free = flow.sockets.map(() => NOWHERE);
  const starts = new Set(flow.starts);
  const counted = new Map<string, CountedArc>();
  const reached = reachable(flow);
  flow.steps.forEach((steps, from) => {
    if (!reached.has(from)) return;
    const loop = loopAt[from];
    for (const { way, advanced, landings } of steps) {
      landings.forEach((to, index) => {
        // Behind a loop that is passed by, everything is entered from outside.
        const stays = index === 0 && loop !== undefined && loopAt[to] === loop && !advanced;
        if (!stays) starts.add(to);
        else if (way.via !== "edge" || way.edge.maxTraversals === undefined || way.then) lead(free, from, to);
        else counted.set(`${from} ${way.index}`, { from, to, bound: way.edge.maxTraversals, perItemOf: "" });
      });
    }
  });
  return regionOf({ free, starts, counted: [...counted.values()], resets: () => false });
}

/** The cast as a whole: sockets outside loops, and behind their numbers the loops, each as one place. */
function outerRegion({ flow, loops, loopAt }: LoopMap): Region {
  const count = flow.sockets.length;
  const placeOf = (socket: number): number => {
    const loop = loopAt[socket];
    return loop === undefined ? socket : count + loop;
  };
  const free = [...flow.sockets, ...loops].map(() => NOWHERE);
  const counted = new Map<string, CountedArc>();
  const reached = reachable(flow);
  flow.steps.forEach((steps, socket) => {
    if (!reached.has(socket)) return;
    const from = placeOf(socket);
    const perItemOf = loops[loopAt[socket] ?? -1]?.id ?? "";
    for (const { way, landings } of steps) {
      for (const landing of landings) {
        const to = placeOf(landing);
        if (to === from && from !== socket) continue;
        if (way.via !== "edge" || way.edge.maxTraversals === undefined || way.then) lead(free, from, to);
        else counted.set(`${socket} ${way.index} ${to}`, { from, to, bound: way.edge.maxTraversals, perItemOf });
      }
    }
  });
  const starts = new Set(flow.starts.map(placeOf));
  return regionOf({ free, starts, counted: [...counted.values()], resets: (place) => place >= count });
}

const NOWHERE: number[] = [];

/** Most places lead nowhere: a list of its own is made only where it is needed. */
function lead(free: number[][], from: number, to: number): void {
  const known = free[from] ?? NOWHERE;
  if (known === NOWHERE) free[from] = [to];
  else known.push(to);
}

function regionOf({ free, starts, counted, resets }: RegionParts): Region {
  for (const arc of counted) starts.add(arc.to);
  const knots = components(free)
    .toReversed()
    .map((places) => ({ places, isCyclic: isCyclic(places, free), resets: places.some(resets) }));
  return { free, knots, starts, counted };
}

interface RegionParts extends Pick<Region, "free" | "counted"> {
  readonly starts: Set<number>;
  readonly resets: (place: number) => boolean;
}

/** The heaviest walk without a counted edge up to each place; a place that no walk reaches has none. */
type Walks = readonly (number | undefined)[];

function walk(region: Region, weights: readonly number[], limits: CastLimits): Walks {
  const best: (number | undefined)[] = region.free.map(() => undefined);
  const arriving: (number | undefined)[] = region.free.map(() => undefined);
  for (const knot of region.knots) {
    let before: number | undefined;
    for (const at of knot.places) {
      const here = arriving[at] ?? (region.starts.has(at) ? 0 : undefined);
      if (here !== undefined) before = Math.max(before ?? 0, here);
    }
    if (before === undefined) continue;
    const total = before + knotWeight(knot, weights, limits);
    for (const at of knot.places) {
      best[at] = total;
      for (const to of region.free[at] ?? []) arriving[to] = Math.max(arriving[to] ?? 0, total);
    }
  }
  return best;
}

function knotWeight({ places, isCyclic: isRound, resets }: Knot, weights: readonly number[], limits: CastLimits) {
  let once = 0;
  for (const at of places) once += weights[at] ?? 0;
  if (!isRound) return once;
  return resets ? Infinity : once * (limits.maxNoAdvanceCycles + 1);
}

/** The turns of one item of each loop: its heaviest walk, and one more for each counted edge. */
function itemWeights({ loops, loopAt }: LoopMap, items: Region, best: Walks): readonly number[] {
  const heaviest = loops.map(() => 0);
  best.forEach((weight, at) => {
    const loop = loopAt[at];
    if (loop !== undefined && weight !== undefined) heaviest[loop] = Math.max(heaviest[loop] ?? 0, weight);
  });
  const perItem = [...heaviest];
  for (const { from, bound } of items.counted) {
    const loop = loopAt[from];
    if (loop !== undefined) perItem[loop] = (perItem[loop] ?? 0) + bound * (best[from] ?? 0);
  }
  return perItem;
}

/** The formula: turns outside loops, and for each loop its turns per item, times the walks that counted edges add. */
function wholeCast(
  { flow, loops }: LoopMap,
  outside: Region,
  { perItem, best }: { readonly perItem: readonly number[]; readonly best: Walks },
): Amount {
  const heaviest = best.reduce<number>((most, weight) => Math.max(most, weight ?? 0), 0);
  if (heaviest === Infinity) return null;
  const terms = new Map<string, number>();
  const add = (term: string, count: number): void => {
    if (count > 0) terms.set(term, (terms.get(term) ?? 0) + count);
  };
  add("", heaviest);
  const reached = loops
    .map(({ id }, number) => ({ id, weight: perItem[number] ?? 0, bit: 1n << BigInt(number) }))
    .filter((_, number) => best[flow.sockets.length + number] !== undefined);
  for (const { id, weight } of reached) add(id, weight);
  const leading = reached.length > 0 && outside.counted.length > 0 ? loopsBefore(outside, flow.sockets.length) : [];
  for (const { from, bound, perItemOf } of outside.counted) {
    add(perItemOf, bound * (best[from] ?? 0));
    const before = leading[from] ?? 0n;
    for (const { id, weight, bit } of reached) if ((before & bit) !== 0n) add(product(id, perItemOf), bound * weight);
  }
  const amount: Record<string, number> = {};
  for (const [term, count] of terms) amount[term] = count;
  return amount;
}

function product(loop: string, other: string): string {
  return other === "" ? loop : [loop, other].toSorted().join(" ");
}

/** From which loops a free walk can come to each place, itself included: one bit for each loop. */
function loopsBefore({ free, knots }: Region, firstLoop: number): readonly bigint[] {
  const before = free.map((_, place) => (place < firstLoop ? 0n : 1n << BigInt(place - firstLoop)));
  for (const { places } of knots) {
    let all = 0n;
    for (const at of places) all |= before[at] ?? 0n;
    for (const at of places) {
      before[at] = all;
      for (const to of free[at] ?? []) before[to] = (before[to] ?? 0n) | all;
    }
  }
  return before;
}
