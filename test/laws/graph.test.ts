import * as fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { compileTargets, type CompiledChain } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import type { CastLimits } from "../../src/core/model/config.ts";
import { deepFreeze } from "../harness/deep-freeze.ts";
import { allowedTurns } from "../harness/loadouts.ts";
import { catalogOf, startWith } from "../harness/play.ts";
import { chanceOf, randomConfig, simulate, type Chance } from "../harness/random-graph.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const MAIN = { kind: "loadout", name: "Main" } as const;
const seeds = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 8 }));

interface Drawn {
  readonly compiled: CompiledChain;
  readonly limits: CastLimits;
  readonly start: CastState;
  readonly chance: Chance;
}

/** A random graph ready to be cast, or nothing where it does not compile. */
function draw([seed, size]: readonly [number, number]): Drawn | undefined {
  const chance = chanceOf(seed);
  const catalog = catalogOf(randomConfig(chance, size));
  const result = compileTargets([MAIN], catalog);
  if (!result.ok) return undefined;
  const start = initialState(startWith(result.value.graph, catalog));
  return { compiled: result.value, limits: catalog.settings.limits, start, chance };
}

it("[G17] most random graphs compile, many of them with loops, and few without a bound", () => {
  const drawn = fc.sample(seeds, { seed: 1, numRuns: 500 }).map(draw);
  const graphs = drawn.flatMap((each) => (each ? [each] : []));
  const bounded = graphs.filter(
    ({ compiled, limits }) => worstCase(compiled.graph, compiled.flow, limits).turns !== null,
  );
  expect(graphs.length).toBeGreaterThan(400);
  expect(graphs.filter(({ compiled }) => Object.keys(compiled.graph.loops).length > 0).length).toBeGreaterThan(200);
  expect(bounded.length).toBeGreaterThan(300);
});

it("[G25] compiling twice gives the same graph, byte for byte", () => {
  fc.assert(
    fc.property(seeds, ([seed, size]) => {
      const [first, second] = [1, 2].map(() =>
        JSON.stringify(compileTargets([MAIN], catalogOf(randomConfig(chanceOf(seed), size)))),
      );
      expect(first).toBe(second);
    }),
    { seed: 2, numRuns: 300 },
  );
});

it("[G24] every cast of a bounded graph ends within its formula, for any replies", SWEEP, () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const drawn = draw(seed);
      if (!drawn) return;
      const { compiled, limits, start, chance } = drawn;
      const { turns, withRepairs } = worstCase(compiled.graph, compiled.flow, limits);
      if (turns === null) return;
      for (let cast = 0; cast < 4; cast += 1) {
        const simulated = simulate(start, chance, 3_000);
        expect(simulated.state.phase.kind).toBe("ended");
        expect(simulated.turns).toBeLessThanOrEqual(allowedTurns(withRepairs, simulated));
        expect(agentVisits(simulated.events, compiled)).toBeLessThanOrEqual(allowedTurns(turns, simulated));
      }
    }),
    { seed: 3, numRuns: sweepSize(80, 1_500) },
  );
});

it("[J1] folding what was written gives the live state, for every graph and every reply", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const drawn = draw(seed);
      if (!drawn) return;
      const { events, state } = simulate(drawn.start, drawn.chance, 500);
      const written = JSON.parse(JSON.stringify(events)) as readonly CastEvent[]; // as it was put in
      expect(JSON.stringify(written.reduce(apply, drawn.start))).toBe(JSON.stringify(state));
    }),
    { seed: 4, numRuns: 500 },
  );
});

it("[J1] no event changes the state before it, which others may still hold", () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const drawn = draw(seed);
      if (!drawn) return;
      const { events, state } = simulate(drawn.start, drawn.chance, 300);
      const folded = events.reduce((before, event) => apply(deepFreeze(before), deepFreeze(event)), drawn.start);
      expect(folded).toEqual(state);
    }),
    { seed: 5, numRuns: 200 },
  );
});

function agentVisits(events: readonly CastEvent[], { graph }: CompiledChain): number {
  return events.filter((event) => event.type === "visit_started" && graph.materia[event.materia]?.type === "agent")
    .length;
}
