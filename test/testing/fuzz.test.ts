import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { randomAnswer, seededRandom, SIMPLEST_ANSWER } from "../../src/core/cast/simulate.ts";
import { fuzzedCastToTest, fuzzGraph, fuzzSubject, runFuzzCast, type FuzzedCast } from "../../src/core/testing/fuzz.ts";
import { newPlace, run } from "../harness/cli.ts";
import { judgedPair } from "../harness/loadouts.ts";
import { compiled, startOf, type TestConfig } from "../harness/play.ts";

const judge = { prompt: "Judge.", parse: "json" };

function fuzzed(config: TestConfig, casts = 3_000) {
  return fuzzGraph(fuzzSubject(startOf(config), compiled(config).flow), { casts, seed: 7, items: 3 });
}

function typesIn({ cast }: FuzzedCast): readonly string[] {
  return cast?.events.map(({ type }) => type) ?? [];
}

const config = {
  materia: { Build: { prompt: "Build." }, Judge: judge },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: judgedPair("Build", "Judge", 1),
    },
  },
};

it("[T17] limits are found, everything is reached, and nothing is beyond the worst case", () => {
  const { findings, missing, mostTurns } = fuzzed(config);
  expect(findings.map(({ what, fault }) => `${what} ${fault}`).toSorted()).toEqual([
    "limit maxRepairs at Socket-2 false",
    "limit maxTraversals at Socket-2 → Socket-1 false",
  ]);
  expect([missing, mostTurns <= 6]).toEqual([[], true]);
});

it("[T17] sockets that no cast reached are named, also those that nothing leads to", async () => {
  const sockets = {
    "Socket-1": { materia: "Build" },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": { materia: "Build" },
  };
  const lonely = { ...config, loadouts: { Main: { entry: "Socket-1", sockets } } };
  const cwd = newPlace({ ".pi/pi-materia.json": lonely });
  const { stdout } = await run(["fuzz", "Main", "--casts", "20"], { cwd });
  expect(stdout).toMatch(/never +Socket-2 +nothing leads there\n +never +Socket-3 +nothing leads there/);
  const json = await run(["fuzz", "Main", "--casts", "20", "--json"], { cwd });
  const unreachable = ["Socket-2", "Socket-3"];
  expect(JSON.parse(json.stdout)).toMatchObject({ missing: unreachable, unreachable });
});

it("[T17, Z3] refusals of providers are made up, and change nothing of the way", () => {
  const subject = fuzzSubject(startOf(config), compiled(config).flow);
  const chance = seededRandom(1);
  const resets = new Set(Array.from({ length: 500 }, () => randomAnswer(chance, 3).resetMs));
  expect(resets).toEqual(new Set([undefined, 1_000, 7_200_000]));
  const plain = runFuzzCast(subject, () => SIMPLEST_ANSWER);
  const slept = runFuzzCast(subject, (at) => ({ ...SIMPLEST_ANSWER, ...(at < 2 ? { resetMs: 7_200_000 } : {}) }));
  expect(typesIn(slept).filter((type) => type === "cast_sleeping")).toHaveLength(2);
  expect(typesIn(slept).filter((type) => type !== "cast_sleeping" && type !== "cast_woken")).toEqual(typesIn(plain));
  expect([slept.turns, slept.findings]).toEqual([plain.turns, []]);
  expect(fuzzedCastToTest(slept, subject.start.graph)).toEqual(fuzzedCastToTest(plain, subject.start.graph));
});

it("[T33] the same seed gives the same casts", () => {
  expect(fuzzed(config, 50)).toEqual(fuzzed(config, 50));
});

it("[T33] missing state is a fault", () => {
  const sockets = {
    "Socket-1": {
      materia: "Judge",
      edges: [
        { when: "satisfied", to: "Socket-2" },
        { when: "not_satisfied", to: "Socket-3" },
      ],
    },
    "Socket-2": { materia: "Build", assign: { kept: "$" }, edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": { materia: "Build", assign: { again: "state.kept" } },
  };
  const { findings } = fuzzed({ ...config, loadouts: { Main: { entry: "Socket-1", sockets } } });
  const [first] = findings;
  expect(first).toMatchObject({ fault: true, what: expect.stringContaining("state at Socket-3") });
  expect(first?.smallest.choices.map(({ socket }) => socket)).toEqual(["Socket-1", "Socket-3"]);
});

it("[T18] the smallest cases are tests that pass", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": config });
  const ran = await run(["fuzz", "Main", "--casts", "3000", "--out", "found", "--json"], { cwd });
  const { findings } = JSON.parse(ran.stdout) as { readonly findings: readonly { readonly test: unknown }[] };
  expect([ran.code, findings.length, readdirSync(join(cwd, "found")).length]).toEqual([0, 2, 2]);
  const tested = await run(["test", "found", "--trust"], { cwd });
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining("2 passed")]);
});

it("[T17] a loadout that is not there, or a seed that is no number, is refused", async () => {
  const cwd = newPlace();
  expect((await run(["fuzz", "Nobody"], { cwd })).code).toBe(2);
  expect((await run(["fuzz", "Full-Auto", "--seed", "x"], { cwd })).code).toBe(2);
});
