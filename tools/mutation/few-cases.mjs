/** The laws of the suite with a few random cases of each, for faults that every example of a rule misses. */
import { expect, it } from "vitest";
import { startState } from "../../src/core/cast/state/state.ts";
import { compile } from "../../src/core/compile/targets/compile.ts";
import { evaluate, worstCase } from "../../src/core/compile/worst-case.ts";
import { mostTurns } from "../../test/harness/explore.ts";
import { catalogOf, startWith } from "../../test/harness/play.ts";
import { chanceOf } from "../../test/harness/random-graph.ts";
import { structuredConfig } from "../../test/harness/structured.ts";
import { compare } from "../../test/interpreter/against/compare.ts";
import { withParallelLoops } from "../../test/interpreter/random/lanes.ts";
import { randomCase } from "../../test/interpreter/random/worlds.ts";
import { endOf, live, newPlace } from "../../test/parallel/harness/lives.ts";
import { randomScenario } from "../../test/parallel/harness/scenarios.ts";

const counted = (length) => Array.from({ length }, (_, index) => index);

it.each(counted(6))("the engine goes as the interpreter says", (batch) => {
  for (const seed of counted(25)) expect(compare(randomCase(batch * 25 + seed + 1)).difference).toBeUndefined();
});

/** Beside the first ones some where the two once differed. */
const IN_LANES = [...counted(200), 273, 461, 737, 941, 2_304, 2_492, 2_615, 4_278];
it.each(counted(13))("so it does with several items at once", (batch) => {
  for (const seed of IN_LANES.slice(batch * 16, batch * 16 + 16))
    expect(compare(withParallelLoops(randomCase(seed))).difference).toBeUndefined();
});

it.each([1, 3, 4, 10, 11])("no answers make a cast longer than its formula", (seed) => {
  const catalog = catalogOf(structuredConfig(chanceOf(seed)));
  const { graph, flow } = compile([{ kind: "loadout", name: "Main" }], catalog).value;
  const formulas = worstCase(graph, flow, catalog.settings.limits);
  const start = startState(startWith(graph, catalog));
  for (const items of counted(3))
    for (const invalid of [false, true]) {
      const truth = mostTurns(start, { items, invalid, most: 800 }) ?? 0;
      const formula = invalid ? formulas.withRepairs : formulas.turns;
      expect(truth).toBeLessThanOrEqual(evaluate(formula, () => items));
    }
});

const resultOf = async (scenario) => {
  const place = newPlace(scenario);
  await live(place);
  return endOf(place);
};

it.each(counted(20))(
  "items at once come to what they come to one after another, and killed ones too",
  async (index) => {
    const seed = index + 1;
    const oneByOne = await resultOf(randomScenario(seed, { lanes: 1, pace: seed, oneByOne: true }));
    expect(await resultOf(randomScenario(seed, { lanes: 3, pace: seed * 7 }))).toEqual(oneByOne);
    const make = () => randomScenario(seed, { lanes: 3, pace: seed, shared: true });
    const whole = await resultOf(make());
    for (const at of [4, 7]) {
      const place = newPlace(make());
      const end = await live(place, { kill: { at, written: at % 2 === 0 } });
      if (end === undefined) await live(place);
      expect(await endOf(place)).toEqual(whole);
    }
  },
);
