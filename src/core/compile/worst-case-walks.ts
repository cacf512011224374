import { stronglyConnectedComponents, filledArray, type Digraph } from "./digraph.ts";
import { totalTraversals, buildLevels, type Arc } from "./worst-case-levels.ts";
import type { WalkRegion } from "./worst-case-regions.ts";
import {
  maxWeight,
  weighCycle,
  type WalkCycle,
  type WeighingOptions,
  type WeighingState,
} from "./worst-case-cycles.ts";

/** What the walks through a region weigh at most. */
export interface WalkWeights {
  /** The heaviest walk up to each place, every way round before it included; less than nothing where no walk comes. */
  readonly upTo: readonly number[];
  /** What each way round adds to a walk, noted at one of its places. */
  readonly added: readonly number[];
  /** How often a walk comes by each place. */
  readonly visits: readonly number[];
}

/** A region as walks come by it, taken apart once however often it is weighed. */
export interface WalkOrder {
  readonly arcs: Digraph;
  readonly firstLoop: number;
  readonly isStart: readonly number[];
  /** Only what a walk reaches, each after what leads to it: a place, or places that lead round. */
  readonly stages: readonly (number | WalkCycle)[];
  /** Lists for one weighing after the other to note segments in. */
  readonly scratch: Pick<WeighingState, "upTo" | "arriving">;
}

export function orderRegion(region: WalkRegion): WalkOrder {
  const { arcs, isStart, firstLoop } = region;
  const size = isStart.length;
  const found = stronglyConnectedComponents(arcs);
  const isDoor = isStart.slice();
  const scratch = { componentAt: filledArray(size, -1), localOf: filledArray(size, 0) };
  const stages: (number | WalkCycle)[] = [];
  for (let number = found.length - 1; number >= 0; number -= 1) {
    const places = found[number] ?? [];
    // Most places lead round to nothing.
    if (typeof places === "number") {
      if (isDoor[places] !== 1) continue;
      stages.push(places);
      for (let arc = arcs.first[places] ?? -1; arc !== -1; arc = arcs.behind[arc] ?? -1) isDoor[arcs.to[arc] ?? -1] = 1;
      continue;
    }
    const doors = new Set(places.filter((place) => isDoor[place] === 1));
    if (doors.size === 0) continue;
    const circle = buildCycle(region, places, doors, { number, ...scratch });
    for (let index = 0; index < circle.onward.length; index += 1) isDoor[circle.onward[index] ?? -1] = 1;
    stages.push(circle);
  }
  const lists = { upTo: filledArray(size, 0), arriving: filledArray(size, 0) };
  return { arcs, firstLoop, isStart, stages, scratch: lists };
}

interface CircleScratch {
  readonly number: number;
  /** The circle that each place was last seen in, by its number. */
  readonly componentAt: number[];
  readonly localOf: number[];
}

function buildCycle(
  { arcs, limits, firstLoop }: WalkRegion,
  places: readonly number[],
  doors: ReadonlySet<number>,
  { number, componentAt, localOf }: CircleScratch,
): WalkCycle {
  for (let index = 0; index < places.length; index += 1) componentAt[places[index] ?? -1] = number;
  const within: Arc[] = [];
  const onward: number[] = [];
  for (let index = 0; index < places.length; index += 1) {
    const from = places[index] ?? -1;
    for (let arc = arcs.first[from] ?? -1; arc !== -1; arc = arcs.behind[arc] ?? -1) {
      const to = arcs.to[arc] ?? -1;
      const { limit, after } = limits.get(arc) ?? NO_ARC_LIMIT;
      if (componentAt[to] === number) within.push({ from, to, limit, after });
      else onward.push(to);
    }
  }
  return {
    places,
    bound: totalTraversals(within),
    level: buildLevels({ places, doors, arcs: within }, firstLoop, localOf),
    onward,
  };
}

const NO_ARC_LIMIT = { limit: null, after: null };

export function weighWalks(
  { arcs, firstLoop, isStart, stages, scratch }: WalkOrder,
  scales: WeighingOptions,
): WalkWeights {
  const size = isStart.length;
  const upTo = isStart.map((isOne) => isOne - 1);
  const added = filledArray(size, 0);
  const visits = filledArray(size, 1);
  const weighing = { ...scales, ...scratch, firstLoop, visits };
  for (let number = 0; number < stages.length; number += 1) {
    const stage = stages[number] ?? -1;
    if (typeof stage === "number") {
      const total = (upTo[stage] ?? 0) + (scales.weights[stage] ?? 0);
      upTo[stage] = total;
      for (let arc = arcs.first[stage] ?? -1; arc !== -1; arc = arcs.behind[arc] ?? -1)
        raiseWeight(upTo, arcs.to[arc] ?? -1, total);
      continue;
    }
    const { places, onward } = stage;
    const round = weighCycle(stage, weighing);
    added[places[0] ?? -1] = round.extra;
    const total = maxWeight(places, upTo) + round.once + round.extra;
    for (let index = 0; index < places.length; index += 1) upTo[places[index] ?? -1] = total;
    for (let index = 0; index < onward.length; index += 1) raiseWeight(upTo, onward[index] ?? -1, total);
  }
  return { upTo, added, visits };
}

function raiseWeight(upTo: number[], to: number, weight: number): void {
  if (weight > (upTo[to] ?? 0)) upTo[to] = weight;
}
