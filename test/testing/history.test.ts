import { join } from "node:path";
import { expect, it } from "vitest";
import { loadWorkspace } from "../../src/shell/workspace/workspace.ts";
import { billNote } from "../../src/shell/commands/forecast.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { seededRandom, answerEvent, simulateCast } from "../../src/core/cast/simulate.ts";
import { compareCasts } from "../../src/core/history/compare.ts";
import { castFacts, type CastFacts, type VisitFact } from "../../src/core/history/facts.ts";
import { forecastGraph, materiaStats } from "../../src/core/history/forecast.ts";
import { envOf, newPlace, run } from "../harness/cli.ts";
import { writePastCast } from "../harness/past-casts.ts";
import { compiled, startOf } from "../harness/play.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

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
const start = startOf(config);
const { castId } = start;

/** A past cast: how much its request weighs decides over lists, returns and tokens. */
function pastCast(seed: number): CastFacts {
  const chance = seededRandom(seed * 7919);
  const weight = 0.5 + 3 * chance.next() ** 2;
  const { events } = simulateCast(
    start,
    (asked, state) => {
      const choice = { satisfied: chance.next() > 0.15 * weight, items: 1 + chance.below(Math.ceil(2 * weight)) };
      const body = answerEvent(choice, asked, state);
      const tokens = Math.round(1_000 * weight * (0.7 + 0.6 * chance.next()));
      return "usage" in body ? { ...body, usage: { input: tokens, output: 0, cost: tokens / 1e6 } } : body;
    },
    1_000,
  );
  return castFacts({ graph, model: null }, events);
}

function tokensIn({ visits }: CastFacts): number {
  return visits.reduce((sum, { tokens }) => sum + tokens, 0);
}

it("[T41] of other casts about half are under p50, and about nine tenths under p90", () => {
  const casts = Array.from({ length: 400 }, (_, seed) => pastCast(seed + 1));
  const told = forecastGraph(casts.slice(0, 200), { start, flow, runs: 1_000 });
  const held = casts.slice(200).map(tokensIn);
  const under = (limit = 0): number => held.filter((tokens) => tokens <= limit).length / held.length;
  expect(told?.casts).toBe(200);
  expect(under(told?.tokens.p50)).toBeGreaterThan(0.38);
  expect(under(told?.tokens.p50)).toBeLessThan(0.62);
  expect(under(told?.tokens.p90)).toBeGreaterThan(0.82);
  expect(under(told?.tokens.p90)).toBeLessThan(0.97);
});

it("[T41, T43] the same past gives the same forecast, longer lists give more, and no past gives none", () => {
  const past = [pastCast(1), pastCast(2)];
  const of = (items: number) => forecastGraph(past, { start, flow, items });
  expect(of(2)).toEqual(of(2));
  expect(of(6)?.tokens.p50).toBeGreaterThan(of(2)?.tokens.p50 ?? Infinity);
  expect(forecastGraph([], { start, flow })).toBeUndefined();
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
    rejectedByTool: 0,
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
  const rows = new Map(materiaStats([{ visits, itemsDone: 2, outcome: "completed" }]).map((row) => [row.materia, row]));
  expect(rows.get("Stamp")).toMatchObject({ visits: 2, rejected: 1, yes: 2, overturned: 1 });
  expect(rows.get("Judge")).toMatchObject({ reworkCaused: 1, yes: 1, overturned: 0 });
  expect(rows.get("Build")).toMatchObject({ reworkReceived: 1, tokens: 200, items: 2, tokensPerItem: 100, seconds: 2 });
});

it("[T40] the model that answered counts, else the one that was asked for, and what a fork shares counts once", () => {
  const visited = (socket: string, materia: string, seq: number, more: object = {}): CastEvent[] =>
    [
      { type: "visit_started", socket, visit: 1, materia, item: null, seq, at: "2026-01-01T00:00:00.000Z" },
      {
        type: "visit_completed",
        socket,
        visit: 1,
        usage: { input: 1, output: 1, cost: 0 },
        totals: { visits: 1, itemsDone: 0, items: 0, tokens: 2, cost: 0 },
        seq: seq + 1,
        at: "2026-01-01T00:00:02.000Z",
        ...more,
      },
    ] as CastEvent[]; // sockets of the graph above
  const forkedFrom = { castId, visit: "Socket-2#1" };
  const first: CastEvent = { type: "cast_started", castId, request: "x", loadout: "Main", forkedFrom, seq: 1, at: "" };
  const { visits } = castFacts({ graph, model: null }, [
    first,
    ...visited("Socket-1", "Plan", 2),
    ...visited("Socket-2", "Build", 4),
    ...visited("Socket-3", "Judge", 6),
    ...visited("Socket-2", "Build", 8, { model: "other/model" }),
  ]);
  expect(visits.map(({ materia, model, ms }) => [materia, model, ms])).toEqual([
    ["Build", "some/model", 2_000],
    ["Judge", "not recorded", 2_000],
    ["Build", "other/model", 2_000],
  ]);
});

const plain = { ...config, materia: { ...config.materia, Build: { prompt: "Build." } } };
/** The judge says no once; all others, and all that is asked later, say yes. */
const oneNo = (at: number) => ({ satisfied: at !== 2 });

it("[T22, T23, T43] the commands tell of casts with a model, and leave rehearsals out", async () => {
  const replies = { Plan: [{ json: { workItems: [] } }] };
  const cwd = newPlace({ "c.json": plain, "r.json": { replies } });
  const named = ["--config", "c.json"];
  await run(["cast", ...named, "--loadout", "Main", "--rehearse", "r.json", "x"], { cwd });
  const only = await run(["stats"], { cwd });
  expect([only.code, only.stdout]).toEqual([0, expect.stringMatching(/No figures yet[^]*1\s+rehearsal/)]);
  const none = await run(["forecast", "Main", ...named], { cwd });
  expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/No estimate yet[^]*1\s+rehearsal\s+left\s+out/)]);
  await writePastCast(cwd, plain, { choose: oneNo });
  expect(JSON.parse((await run(["stats", "--json"], { cwd })).stdout)).toMatchObject({
    casts: 1,
    rehearsed: 1,
    materia: expect.arrayContaining([expect.objectContaining({ materia: "Judge", reworkCaused: 1 })]),
  });
  const made = await run(["forecast", "Main", "--items", "2", ...named, "--json"], { cwd });
  expect(JSON.parse(made.stdout)).toMatchObject({ casts: 1, items: 2, turns: { worst: expect.any(Number) } });
});

it("[T42] casts with the same model count, and others only without them", async () => {
  const cwd = newPlace({ "c.json": plain });
  const usage = (cost: number) => ({ input: 10, output: 5, cost });
  await writePastCast(cwd, plain, { usage: usage(1), model: "dear/one" });
  await writePastCast(cwd, plain, { usage: usage(0.01), model: "cheap/one" });
  const told = async (...more: readonly string[]) =>
    JSON.parse((await run(["forecast", "Main", "--config", "c.json", "--json", ...more], { cwd })).stdout) as {
      readonly cost: { readonly p90: number };
      readonly otherModel: readonly string[];
    };
  expect((await told("--model", "dear/one")).cost.p90).toBe(3);
  expect((await told("--model", "cheap/one")).cost.p90).toBeCloseTo(0.03);
  expect((await told("--model", "new/one")).otherModel).toEqual(["Plan", "Build", "Judge"]);
});

it("[T24] what is too dear is refused, casts and links alike, and nothing known is said", async () => {
  const cwd = newPlace({ "c.json": plain, "r.json": { replies: { Plan: [{ json: { workItems: [] } }] } } });
  const typed = (...words: readonly string[]) => run([...words, "--config", "c.json", "--rehearse", "r.json"], { cwd });
  const cast = ["cast", "x", "--loadout", "Main", "--max-forecast", "0.5"];
  const unknown = await typed(...cast);
  expect([unknown.code, unknown.stderr]).toEqual([0, expect.stringContaining("note: --max-forecast had no effect")]);
  await writePastCast(cwd, plain, { usage: { input: 1, output: 1, cost: 1 } });
  const dear = await typed(...cast);
  expect([dear.code, dear.stderr]).toEqual([2, expect.stringContaining("Main may cost $3.00, more than $0.50")]);
  const link = ["link", "--config", "c.json", "--rehearse", "r.json", "--max-forecast", "0.5", "Plan", "Build"];
  const linked = await run([...link, "--", "x"], { cwd });
  expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining("Plan → Build may cost $2.00")]);
  expect((await typed("cast", "x", "--loadout", "Main", "--max-forecast", "5")).code).toBe(0);
});

it("[T25] two casts side by side", async () => {
  const cwd = newPlace({});
  const [a, b] = [await writePastCast(cwd, plain), await writePastCast(cwd, plain, { choose: oneNo })];
  const rows = async (first: string, second: string) =>
    (
      JSON.parse((await run(["compare", first, second, "--json"], { cwd })).stdout) as {
        readonly visits: readonly { readonly same: boolean }[];
      }
    ).visits.map(({ same }) => same);
  expect(await rows(a, a)).toEqual([true, true, true]);
  expect(await rows(a, b)).toEqual([true, true, false, false, false]);
  expect((await run(["compare", a], { cwd })).code).toBe(2);
});

it("[T44] visits of the same sockets stand beside each other, also after one that only one side has", () => {
  const state = initialState({ ...start, castId });
  const at = "2026-01-01T00:00:00.000Z";
  const usage = { input: 0, output: 0, cost: 0 };
  const side = (sockets: readonly string[], handed: readonly (string | null)[]) => ({
    castId,
    state,
    file: { loadout: { name: "Main" } },
    workedMs: 0,
    events: sockets.flatMap(
      (socket, index) =>
        [
          { type: "visit_started", socket, visit: index + 1, materia: socket, item: null, seq: 0, at },
          ...(handed[index] === null
            ? []
            : [{ type: "output_accepted", text: handed[index], chars: 0, usage, seq: 0, at }]),
        ].map((event) => event as unknown as CastEvent), // only what is compared
    ),
  });
  const { visits } = compareCasts(side(["a", "b", "c"], ["x", null, "z"]), side(["a", "c"], ["x", "other"]));
  expect(visits).toEqual([
    {
      left: { visit: "a#1", materia: "a", handed: null },
      right: { visit: "a#1", materia: "a", handed: null },
      same: true,
    },
    { left: { visit: "b#2", materia: "b", handed: null }, right: null, same: false },
    {
      left: { visit: "c#3", materia: "c", handed: "z" },
      right: { visit: "c#2", materia: "c", handed: "other" },
      same: false,
    },
  ]);
});

it("[T27] before a cast its bill is shown, with past casts as its basis where there are some", async () => {
  const cwd = newPlace({ "c.json": plain });
  const workspace = loadWorkspace({ cwd, env: envOf(cwd), explicitFile: join(cwd, "c.json") });
  expect(workspace.ok).toBe(true);
  const what = { targets: [{ kind: "loadout" as const, name: "Main" }], model: "local/small" };
  const note = async () => (workspace.ok ? billNote(workspace.value, what) : undefined);
  expect(await note()).toContain("no history: typical sizes");
  await writePastCast(cwd, plain, { usage: { input: 900, output: 100, cost: 0.5 } });
  expect(await note()).toMatch(
    /^Main .*\nat most 1 \+ 8 N turns .*likely \$1\.50 \(1 past cast\)[^]*models: local\/small/,
  );
});
