import { expect, it } from "vitest";
import type { Kind } from "../interpreter/random/kinds.ts";
import { castBothWays } from "./harness/one-by-one.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const CASES = sweepSize(150, 20_000);
/** What shows that counts of a second pass are lost, or that items run at once although an edge counts for the next. */
const TELLING = [753, 995, 4_034];
/** One case in nine has items that ran at once: others are refused, or end before their loop. */
const LEAST = CASES / 20;

it("[V48, V49, V11] a random loadout gives at once, at any speed, what it gives one by one", SWEEP, async () => {
  let forked = 0;
  for (const seed of [...Array.from({ length: CASES }, (_, at) => at + 1), ...TELLING]) {
    const { results } = await castBothWays(seed);
    if (results) forked += 1;
    for (const atOnce of results?.atOnce ?? []) expect(atOnce, `seed ${seed}`).toEqual(results?.oneByOne);
  }
  expect(forked).toBeGreaterThanOrEqual(LEAST);
});

/** As people write them, with lists through several hands, and in chains; least of 1,000 that have run items at once. */
const OTHERS: readonly (readonly [kind: Kind, least: number])[] = [
  ["shapes", 200],
  ["plans", 60],
  ["chains", 100],
];

it.each(OTHERS)(
  "[V48] a random loadout of the kind %s gives at once what it gives one by one",
  SWEEP,
  async (kind, least) => {
    const cases = sweepSize(30, 3_000);
    let forked = 0;
    for (let seed = 80_000_001; seed <= 80_000_000 + cases; seed += 1) {
      const { results } = await castBothWays(seed, kind);
      if (results) forked += 1;
      for (const atOnce of results?.atOnce ?? []) expect(atOnce, `seed ${seed}`).toEqual(results?.oneByOne);
    }
    expect(forked).toBeGreaterThanOrEqual(Math.floor((least * cases) / 2_000));
  },
);
