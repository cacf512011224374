import { expect, it } from "vitest";
import { endOf, live, newPlace, type Scenario } from "./harness/lives.ts";
import { randomScenario } from "./harness/scenarios.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

async function resultOf(scenario: Scenario): Promise<unknown> {
  const place = newPlace(scenario);
  await live(place);
  return endOf(place);
}

it("[V28] items that touch different files give the same state and files at once as one by one", SWEEP, async () => {
  for (let seed = 1; seed <= sweepSize(15, 200); seed += 1) {
    const oneByOne = await resultOf(randomScenario(seed, { lanes: 1, pace: seed, oneByOne: true }));
    const atOnce = await resultOf(randomScenario(seed, { lanes: 1 + (seed % 5), pace: seed * 7 }));
    expect(atOnce, `seed ${seed}`).toEqual(oneByOne);
  }
});

it(
  "[V7] neither the number of lanes nor who is quicker changes what comes of it, conflicts included",
  SWEEP,
  async () => {
    for (let seed = 1; seed <= sweepSize(8, 100); seed += 1) {
      const first = await resultOf(randomScenario(seed, { lanes: 1, pace: 1, shared: true }));
      for (const lanes of [2, 3, 8]) {
        const other = await resultOf(randomScenario(seed, { lanes, pace: seed * lanes, shared: true }));
        expect(other, `seed ${seed}, ${lanes} lanes`).toEqual(first);
      }
    }
  },
);

it("[V12] a kill at any append, written or lost, changes nothing of what comes of it", SWEEP, async () => {
  for (let seed = 1; seed <= sweepSize(1, 10); seed += 1) {
    const make = () => randomScenario(seed, { lanes: 3, pace: seed, shared: true });
    const whole = await resultOf(make());
    for (let at = 1; ; at += 1) {
      let reached = false;
      for (const written of [true, false]) {
        const place = newPlace(make());
        const end = await live(place, { kill: { at, written } });
        reached ||= end === undefined;
        if (end === undefined) await live(place);
        expect(await endOf(place), `seed ${seed}, append ${at}, ${written ? "written" : "lost"}`).toEqual(whole);
      }
      if (!reached) break;
    }
  }
});
