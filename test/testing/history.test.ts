import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart } from "../../src/core/cast/state/state.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { chanceOf } from "../../src/core/testing/chance.ts";
import { factsOf } from "../../src/core/testing/history/facts.ts";
import type { CastFacts, VisitFact } from "../../src/core/testing/history/facts.ts";
import { forecast } from "../../src/core/testing/history/forecast.ts";
import { statsOf } from "../../src/core/testing/history/stats.ts";
import { answerWith } from "../../src/core/testing/fuzz/choice.ts";
import { simulate } from "../../src/core/testing/simulate.ts";
import { castsIn, jsonOf, newPlace, run } from "../harness/cli.ts";
import { catalogOf, compiled } from "../harness/play.ts";

const config = {
  materia: {
    Plan: { prompt: "Plan.", generator: true },
    Build: { prompt: "Build.", model: "some/model" },
    Judge: { prompt: "Judge.", parse: "json" },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", parse: "json", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": {
          materia: "Judge",
          advance: { when: "satisfied" },
          edges: [
            { when: "not_satisfied", to: "Socket-2", maxTraversals: 3 },
            { when: "satisfied", to: "Socket-2" },
          ],
        },
      },
      loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
  },
};
const { graph, flow } = compiled(config);
const castId = "test-cast" as CastId; // of an id's form
const start: CastStart = {
  castId,
  request: "x",
  graph,
  limits: catalogOf(config).settings.limits,
  budget: {},
  data: {},
};

/** A past cast: how much its request weighs decides over lists, returns and tokens. */
function pastCast(seed: number): CastFacts {
  const chance = chanceOf(seed * 7919);
  const weight = 0.5 + 3 * chance.next() ** 2;
  const { events } = simulate(
    start,
    (asked, state) => {
      const choice = { satisfied: chance.next() > 0.15 * weight, items: 1 + chance.below(Math.ceil(2 * weight)) };
      const body = answerWith(choice, asked, state);
      const tokens = Math.round(1_000 * weight * (0.7 + 0.6 * chance.next()));
      return "usage" in body ? { ...body, usage: { input: tokens, output: 0, cost: tokens / 1e6 } } : body;
    },
    1_000,
  );
  return factsOf({ graph, model: null }, events);
}

function tokensIn({ visits }: CastFacts): number {
  return visits.reduce((sum, { tokens }) => sum + tokens, 0);
}

it("[T23] of casts that were held back about half lie under p50, and about nine tenths under p90", () => {
  const casts = Array.from({ length: 400 }, (_, seed) => pastCast(seed + 1));
  const told = forecast(casts.slice(0, 200), { start, flow, runs: 1_000 });
  const held = casts.slice(200).map(tokensIn);
  const under = (limit = 0): number => held.filter((tokens) => tokens <= limit).length / held.length;
  expect(told?.casts).toBe(200);
  expect(under(told?.tokens.p50)).toBeGreaterThan(0.38);
  expect(under(told?.tokens.p50)).toBeLessThan(0.62);
  expect(under(told?.tokens.p90)).toBeGreaterThan(0.82);
  expect(under(told?.tokens.p90)).toBeLessThan(0.97);
});

it("[T23] the same past gives the same forecast, longer lists take more, and no past gives none", () => {
  const past = [pastCast(1), pastCast(2)];
  const of = (items: number) => forecast(past, { start, flow, items });
  expect(of(2)).toEqual(of(2));
  expect(of(6)?.tokens.p50).toBeGreaterThan(of(2)?.tokens.p50 ?? Infinity);
  expect(forecast([], { start, flow })).toBeUndefined();
});

function visit(more: Partial<VisitFact>): VisitFact {
  return {
    socket: "Socket-2",
    materia: "Build",
    model: "a/b",
    item: "WI-1",
    ms: 1_000,
    tokens: 100,
    cost: 0.1,
    turns: 1,
    rejected: 0,
    satisfied: undefined,
    list: undefined,
    because: undefined,
    ...more,
  };
}

it("[T22] a yes that somebody overturns, rework on both sides, and cost per item", () => {
  const visits = [
    visit({}),
    visit({ materia: "Stamp", satisfied: true, rejected: 1 }),
    visit({ materia: "Judge", satisfied: false }),
    visit({ because: "Judge" }),
    visit({ materia: "Stamp", satisfied: true }),
    visit({ materia: "Judge", satisfied: true }),
  ];
  const rows = new Map(statsOf([{ visits, itemsDone: 2, outcome: "completed" }]).map((row) => [row.materia, row]));
  expect(rows.get("Stamp")).toMatchObject({ visits: 2, rejected: 1, yes: 2, overturned: 1 });
  expect(rows.get("Judge")).toMatchObject({ reworkCaused: 1, yes: 1, overturned: 0 });
  expect(rows.get("Build")).toMatchObject({ reworkReceived: 1, tokens: 200, items: 2, tokensPerItem: 100, seconds: 2 });
});

it("[T22] the model that was asked for is told, and what a fork shares counts once", () => {
  const visited = (socket: string, seq: number): CastEvent[] =>
    [
      { type: "visit_started", socket, visit: 1, materia: "", item: null, seq, at: "2026-01-01T00:00:00.000Z" },
      {
        type: "visit_completed",
        socket,
        visit: 1,
        usage: { input: 1, output: 1, cost: 0 },
        totals: { visits: 1, itemsDone: 0, items: 0, tokens: 2, cost: 0 },
        seq: seq + 1,
        at: "2026-01-01T00:00:02.000Z",
      },
    ] as CastEvent[]; // sockets of the graph above
  const forkedFrom = { castId, visit: "Socket-2#1" };
  const first: CastEvent = { type: "cast_started", castId, request: "x", loadout: "Main", forkedFrom, seq: 1, at: "" };
  const { visits } = factsOf({ graph, model: null }, [first, ...visited("Socket-1", 2), ...visited("Socket-2", 4)]);
  expect(visits.map(({ materia, model, ms }) => [materia, model, ms])).toEqual([["Build", "some/model", 2_000]]);
});

it("[T22, T24, T25] the commands tell of casts that happened, and refuse what is too dear", async () => {
  const replies = {
    Plan: [{ json: { workItems: [{ title: "a", context: "" }] } }],
    Build: [{ text: "one", usage: { input: 10, output: 5 } }, { text: "two" }],
    Judge: [{ json: { satisfied: false, context: "no" } }, { json: { satisfied: true } }],
  };
  const materia = { ...config.materia, Build: { prompt: "Build." } };
  const cwd = newPlace({ "c.json": { ...config, materia }, "r.json": { replies } });
  const cast = ["cast", "--config", "c.json", "--loadout", "Main", "--rehearse", "r.json"];
  expect((await run(["stats"], { cwd })).code).toBe(2);
  const none = await run(["forecast", "Main", "--config", "c.json"], { cwd });
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("No past cast")]);
  await run([...cast, "x"], { cwd });
  const told = JSON.parse((await run(["stats", "--json"], { cwd })).stdout) as { readonly casts: number };
  expect(told).toMatchObject({
    casts: 1,
    materia: expect.arrayContaining([expect.objectContaining({ materia: "Judge", reworkCaused: 1 })]),
  });
  const made = await run(["forecast", "Main", "--items", "2", "--config", "c.json", "--json"], { cwd });
  expect(JSON.parse(made.stdout)).toMatchObject({ casts: 1, items: 2, turns: { worst: expect.any(Number) } });
  expect((await run([...cast, "--max-forecast", "1", "x"], { cwd })).code).toBe(0);
  // A cast of the first format, whose lines carry no digest: what it cost can be made up.
  const fixture = fileURLToPath(new URL("../fixtures/format-1/completed", import.meta.url));
  const { castId: dearId } = jsonOf(join(fixture, "cast.json")) as { readonly castId: string };
  const dear = join(cwd, ".pi/pi-materia", dearId);
  mkdirSync(dear);
  copyFileSync(join(fixture, "cast.json"), join(dear, "cast.json"));
  const journal = readFileSync(join(fixture, "journal.jsonl"), "utf8").replaceAll('"cost":0', '"cost":1');
  writeFileSync(join(dear, "journal.jsonl"), journal);
  const refused = await run(["cast", "--loadout", "Full-Auto", "--rehearse", "r.json", "--max-forecast", "0.5", "x"], {
    cwd,
  });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("forecast_too_high")]);
  rmSync(dear, { recursive: true });
  const [a = "", b = ""] = castsIn(cwd);
  const both = JSON.parse((await run(["compare", a, b, "--json"], { cwd })).stdout) as {
    readonly visits: readonly { readonly same: boolean }[];
  };
  expect(both.visits.map(({ same }) => same)).toEqual([true, true, true, true, true]);
  expect((await run(["compare", a], { cwd })).code).toBe(2);
});
