import { expect, it } from "vitest";
import { createDigraph, addArc } from "../../src/core/compile/digraph.ts";
import type { ArcLimit, TraversalLimit, WalkRegion } from "../../src/core/compile/worst-case-regions.ts";
import { orderRegion, weighWalks } from "../../src/core/compile/worst-case-walks.ts";
import { weighPlainly, type PlainArc, type PlainRegion } from "../harness/plain-weigh.ts";
import { chanceOf, type Chance } from "../harness/random-graph.ts";

const counted = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

/** The same arcs, as the engine draws them. */
function drawn({ size, firstLoop, starts, arcs }: PlainRegion): WalkRegion {
  const numbers = createDigraph(size);
  const limits = new Map<number, ArcLimit>();
  for (const { from, to, limit, after } of arcs) {
    const number = addArc(numbers, from, to);
    if (limit || after) limits.set(number, { limit, after });
  }
  return { arcs: numbers, limits, firstLoop, isStart: counted(size).map((place) => (starts.includes(place) ? 1 : 0)) };
}

/** Ways onward and back; some are counted, some the `then` of those, some share their traversals. */
function randomArcs(chance: Chance, size: number): readonly PlainArc[] {
  const free = { limit: null, after: null };
  return counted(size).flatMap((from): readonly PlainArc[] => {
    const anywhere = (): number => chance.count(0, size - 1);
    const near = (): number => Math.max(0, Math.min(size - 1, from + chance.count(-3, 1)));
    const onward = chance.happens(0.8) && from < size - 1 ? [{ from, to: from + 1, ...free }] : [];
    const way = (): readonly PlainArc[] => {
      const to = chance.happens(0.3) ? anywhere() : near();
      if (chance.happens(0.4)) return [{ from, to, ...free }];
      const limit: TraversalLimit = { bound: chance.count(1, 3) };
      const shared = chance.happens(0.2) ? [{ from, to: anywhere(), limit, after: null }] : [];
      const then = chance.happens(0.3) ? [{ from, to: near(), limit: null, after: limit }] : [];
      return [{ from, to, limit, after: null }, ...shared, ...then];
    };
    return [...onward, ...counted(chance.pick(0, 0, 1, 1, 2)).flatMap(way)];
  });
}

function randomRegion(chance: Chance): PlainRegion {
  const size = chance.count(1, 8);
  const firstLoop = chance.pick(size, size, size - 1, chance.count(0, size));
  const first = chance.pick(0, 0, 0, size - 1, chance.count(0, size - 1));
  const starts = counted(size).filter((place) => place === first || chance.happens(0.1));
  return { size, firstLoop, starts, arcs: randomArcs(chance, size) };
}

it.each(counted(10))("[G23] walks weigh what sets and recursion say, batch %i", (batch) => {
  const chance = chanceOf(100 + batch);
  for (const _ of counted(60)) {
    const region = randomRegion(chance);
    const course = orderRegion(drawn(region));
    const weights = counted(region.size).map((place) => (place < region.firstLoop ? chance.pick(0, 1, 1, 2, 3) : 0));
    const returns = chance.count(0, 2);
    for (const counts of [true, false]) {
      const scales = { weights, returns, counts };
      expect({ region, scales, weighed: weighWalks(course, scales) }).toEqual({
        region,
        scales,
        weighed: weighPlainly(region, scales),
      });
    }
  }
});

/** So many rounds, each around the next: the first half leads on, and the second half back to its mirror, once each. */
function nested(depth: number): PlainRegion {
  const size = 2 * depth;
  const onward = counted(size - 1).map((from) => ({ from, to: from + 1, limit: null, after: null }));
  const back = counted(depth).map((to) => ({ from: size - 1 - to, to, limit: { bound: 1 }, after: null }));
  return { size, firstLoop: size - 1, starts: [0], arcs: [...onward, ...back] };
}

it.each<[depth: number, visits: readonly number[], weight: number]>([
  [25, [2, 3, 26, 2], 50 + 25 * 26],
  [26, [54, 54, 54, Infinity], 54 * 52],
])("[G23] %i rounds, each around the next, are told apart up to a depth", (depth, visits, weight) => {
  const region = nested(depth);
  const scales = { weights: counted(region.size).map(() => 1), returns: 1, counts: true };
  const weighed = weighWalks(orderRegion(drawn(region)), scales);
  expect([0, 1, depth, region.size - 1].map((place) => weighed.visits[place])).toEqual(visits);
  expect(weighed.upTo.at(-1)).toBe(weight);
});
