import { expect, it } from "vitest";
import { castBothWays } from "./harness/one-by-one.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const CASES = sweepSize(400, 20_000);
/** One case in nine has items that ran at once: others are refused, or end before their loop. */
const LEAST = CASES / 20;

it("[V48, V49, V28] a random loadout gives at once what the same loadout gives without `parallel`", SWEEP, async () => {
  let forked = 0;
  for (let seed = 1; seed <= CASES; seed += 1) {
    const { results, isForked } = await castBothWays(seed);
    if (isForked) forked += 1;
    expect(results?.atOnce, `seed ${seed}`).toEqual(results?.oneByOne);
  }
  expect(forked).toBeGreaterThanOrEqual(LEAST);
});
