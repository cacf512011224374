import { expect, it } from "vitest";
import { evaluateFormula, worstCase } from "../../src/core/compile/worst-case.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { mostTurns } from "../harness/explore.ts";
import { catalogOf, startWith } from "../harness/play.ts";
import { chanceOf } from "../harness/random-graph.ts";
import { structuredConfig } from "../harness/structured.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

interface Case {
  readonly title: string;
  readonly items: number;
  readonly truth: number;
  readonly formula: number;
}

const cases = Array.from({ length: 80 }, (_, seed) => explored(seed)).flat();

/** Plain and with repairs, for no item, one and two. */
function explored(seed: number): readonly Case[] {
  const config = structuredConfig(chanceOf(seed));
  const catalog = catalogOf(config);
  const result = compileTargets([{ kind: "loadout", name: "Main" }], catalog);
  if (!result.ok) return [];
  const { graph, flow } = result.value;
  const formulas = worstCase(graph, flow, catalog.settings.limits);
  const start = initialState(startWith(graph, catalog));
  return [0, 1, 2].flatMap((items) =>
    [false, true].flatMap((invalid) => {
      const truth = mostTurns(start, { items, invalid, most: 800 });
      const formula = evaluateFormula(invalid ? formulas.withRepairs : formulas.turns, () => items);
      const title = `seed ${seed}, ${items} items${invalid ? ", with repairs" : ""}`;
      return truth === undefined ? [] : [{ title, items, truth, formula }];
    }),
  );
}

it("[G24] no answers make a cast longer than its formula, however they are chosen", () => {
  expect(cases.length).toBeGreaterThan(250);
  expect(cases.filter(({ truth, formula }) => truth > formula)).toEqual([]);
});

it("[G23] with something to walk the formula is at most twice the longest cast", () => {
  expect(cases.filter(({ items, truth, formula }) => items > 0 && formula > 2 * truth)).toEqual([]);
});
