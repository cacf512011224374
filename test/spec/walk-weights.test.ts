import { expect, it } from "vitest";
import { splitRegion, type Arc, type TraversalLimit } from "../../src/core/compile/worst-case-cycles.ts";
import { measureWalks } from "../../src/core/compile/worst-case.ts";

const free = (from: number, to: number): Arc => ({ from, to, limit: null, after: null });
const limited = (from: number, to: number, limit: TraversalLimit): Arc => ({ from, to, limit, after: null });
const then = (from: number, to: number, after: TraversalLimit): Arc => ({ from, to, limit: null, after });

interface Region {
  readonly size: number;
  readonly arcs: readonly Arc[];
  readonly starts?: readonly number[];
  /** How many of the last places are loops. */
  readonly loops?: number;
}

/** Each visit of a socket weighs 1; a socket may be returned to once. */
function measure({ size, arcs, starts = [0], loops = 0 }: Region) {
  const places = Array.from({ length: size }, (_, place) => place);
  const firstLoop = size - loops;
  const split = splitRegion({ places, starts: new Set(starts), arcs, firstLoop });
  const weights = places.map((place) => (place < firstLoop ? 1 : 0));
  const { upTo, visits } = measureWalks(split, { weights, returns: 1, usesLimited: true });
  return { weight: Math.max(...upTo.values()), visits: places.map((place) => visits.get(place) ?? 1) };
}

const two: TraversalLimit = { bound: 2 };

it.each<[rule: string, region: Region, weight: number, visits: readonly number[]]>([
  [
    "[G23] of two branches the longer one counts",
    { size: 4, arcs: [free(0, 1), free(1, 3), free(0, 2), free(1, 2), free(2, 3)] },
    4,
    [1, 1, 1, 1],
  ],
  [
    "[G8] a limited edge allows its traversals",
    { size: 3, arcs: [free(0, 1), free(1, 2), limited(1, 0, two)] },
    7,
    [3, 3, 1],
  ],
  [
    "[G7] arcs of one edge share its traversals",
    { size: 3, arcs: [free(0, 1), free(1, 2), limited(2, 0, two), limited(2, 0, two)] },
    9,
    [3, 3, 3],
  ],
  ["[G9] an edge without a limit allows the returns", { size: 2, arcs: [free(0, 1), free(1, 0)] }, 4, [2, 2]],
  [
    "[G10] returns count anew after each traversal of a limited edge",
    { size: 3, arcs: [free(0, 1), free(1, 2), free(1, 0), limited(2, 0, two)] },
    18,
    [6, 6, 6],
  ],
  [
    "[G27] a then that leads back is taken after the traversals of its edge",
    { size: 2, arcs: [free(0, 1), limited(1, 0, two), then(1, 0, two)] },
    8,
    [4, 4],
  ],
  [
    "[G23] a cycle inside a cycle is walked anew in each round",
    {
      size: 4,
      arcs: [free(0, 1), free(1, 2), limited(2, 1, { bound: 1 }), free(2, 3), limited(3, 0, two)],
    },
    14,
    [3, 4, 4, 3],
  ],
  [
    "[G23] a walk may enter a cycle at two places",
    { size: 3, starts: [0, 1], arcs: [free(0, 1), free(1, 2), limited(2, 1, two), limited(2, 0, two)] },
    16,
    [4, 6, 6],
  ],
  [
    "[G23] no limit bounds a cycle of loops alone",
    { size: 3, loops: 2, arcs: [free(0, 1), free(1, 2), free(2, 1)] },
    1,
    [1, Infinity, Infinity],
  ],
  [
    "[G23] returns to a socket bound a cycle through a loop",
    { size: 2, loops: 1, arcs: [free(0, 1), free(1, 0)] },
    2,
    [2, 2],
  ],
])("%s", (_rule, region, weight, visits) => {
  expect(measure(region)).toEqual({ weight, visits });
});

/** So many cycles, each around the next: the first half leads on, and the second half back to its mirror, once each. */
function nested(depth: number): Region {
  const size = 2 * depth;
  const onward = Array.from({ length: size - 1 }, (_, from) => free(from, from + 1));
  const back = Array.from({ length: depth }, (_, to) => limited(size - 1 - to, to, { bound: 1 }));
  return { size, loops: 1, arcs: [...onward, ...back] };
}

it.each<[depth: number, visits: readonly number[]]>([
  [25, [2, 3, 26, 2]],
  [26, [54, 54, 54, Infinity]],
])("[G23] %i nested cycles are weighed one by one up to a depth", (depth, expected) => {
  const { visits } = measure(nested(depth));
  expect([0, 1, depth, 2 * depth - 1].map((place) => visits[place])).toEqual(expected);
});
