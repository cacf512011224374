import { describe, expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { apply } from "../../src/core/cast/apply.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { seededRandom, randomAnswer } from "../../src/core/cast/simulate.ts";
import { runFuzzCast, fuzzSubject } from "../../src/core/testing/fuzz.ts";
import { findDifferences } from "../../src/core/replay/differences.ts";
import { forkCast } from "../../src/core/replay/fork.ts";
import { replayCast } from "../../src/core/replay/replay.ts";
import { lineText } from "../../src/core/view/line.ts";
import { allReplayLines } from "../../src/core/view/report/replay-lines.ts";
import { judgedPair } from "../harness/loadouts.ts";
import { resumeEvents } from "../../src/shell/casting/resume-cast.ts";
import { play, playFrom, startOf, startWith, type TestConfig } from "../harness/play.ts";
import { newPlace, put, run } from "../harness/cli.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const sockets = judgedPair("Build", "Judge", 2);
const judge = { prompt: "Judge.", parse: "json" };
const before: TestConfig = {
  materia: { Build: { prompt: "Build." }, Judge: judge },
  loadouts: { Main: { entry: "Socket-1", sockets } },
};
const says = {
  Build: ["built", "built better"],
  Judge: [{ satisfied: false, context: "louder" }, { satisfied: true }],
};

async function kinds(after: TestConfig): Promise<readonly string[]> {
  const { events } = await play(before, { says });
  const recorded = { start: startOf(before), events };
  const found = findDifferences(recorded, replayCast(recorded, startOf(after)));
  return found.map(({ visit, kind }) => `${visit} ${kind}`);
}

function withSockets(more: object): TestConfig {
  return { ...before, loadouts: { Main: { entry: "Socket-1", sockets: { ...sockets, ...more } } } };
}

describe("[T15] differences", () => {
  it.each<[string, TestConfig, readonly string[]]>([
    ["[T15] an unchanged configuration has none", before, []],
    [
      "[T30] a changed prompt is listed for each of its visits",
      { ...before, materia: { Build: { prompt: "Build well." }, Judge: judge } },
      ["Socket-1#1 prompt", "Socket-1#2 prompt"],
    ],
    [
      "[T30] a changed edge, and all that follows from it",
      withSockets({ "Socket-2": { materia: "Judge", edges: [{ when: "always", to: "end" }] } }),
      ["Socket-2#1 prompt", "Socket-2#1 edge", "Socket-1#2 edge", "Socket-2#1 end"],
    ],
    [
      "[T30] a limit that is reached now",
      withSockets({
        "Socket-2": {
          materia: "Judge",
          edges: [{ ...sockets["Socket-2"].edges[0], maxTraversals: 1 }, sockets["Socket-2"].edges[1]],
        },
      }),
      [],
    ],
    [
      "[T30, T31] a new socket ends the replay: there is no answer for it",
      withSockets({
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
        "Socket-3": { materia: "Judge", edges: [{ when: "satisfied", to: "Socket-2" }] },
      }),
      ["Socket-1#1 edge", "Socket-3#1 socket", "Socket-3#1 edge", "Socket-3#1 end"],
    ],
    [
      "[T30] a field that is missing now",
      withSockets({
        "Socket-1": { materia: "Build", parse: "json", edges: [{ when: "satisfied", to: "Socket-2" }] },
      }),
      ["Socket-1#1 prompt", "Socket-1#1 fields", "Socket-2#1 edge", "Socket-1#1 end"],
    ],
    [
      "[T30] a socket that holds another materia",
      {
        materia: { ...before.materia, Judge2: judge },
        loadouts: {
          Main: {
            entry: "Socket-1",
            sockets: { ...sockets, "Socket-2": { ...sockets["Socket-2"], materia: "Judge2" } },
          },
        },
      },
      ["Socket-2#1 socket", "Socket-1#2 prompt", "Socket-2#2 socket"],
    ],
  ])("%s", async (_title, after, expected) => {
    expect(await kinds(after)).toEqual(expected);
  });

  it("[T30] a limit that stops it now", async () => {
    const no = { satisfied: false, context: "louder" };
    const { events } = await play(before, { says: { ...says, Judge: [no, no, { satisfied: true }] } });
    const recorded = { start: startOf(before), events };
    const [first, second] = sockets["Socket-2"].edges;
    const after = withSockets({ "Socket-2": { materia: "Judge", edges: [{ ...first, maxTraversals: 1 }, second] } });
    const found = findDifferences(recorded, replayCast(recorded, startOf(after)));
    expect(found.map(({ visit, kind }) => `${visit} ${kind}`)).toEqual([
      "Socket-2#2 limit",
      "Socket-1#3 edge",
      "Socket-2#2 end",
    ]);
  });
});

it.each(["accept", "next"] as const)("[T14, R6] a cast with a decision replays and forks: --%s", async (decision) => {
  const config = withPlan();
  const no = { satisfied: false, context: "no" };
  const replies = { Plan: [{ workItems: [{ title: "a", context: "" }] }], Judge: [no, no, { satisfied: true }] };
  const start = startOf(config);
  const first = await play(config, { says: replies });
  const decided = resumeEvents(first.state, { kind: "recast", decision: { kind: decision } }, { by: "test" });
  const resumed = decided.reduce<readonly CastEvent[]>((events, body) => {
    return [...events, { ...body, seq: events.length + 1, at: first.events[0]?.at ?? "" }];
  }, first.events);
  const more = await playFrom(resumed.reduce(apply, initialState(start)), { says: { Tell: ["told"] } });
  const recorded = { start, events: [...resumed, ...more.events] };
  const replay = replayCast(recorded, start);
  expect(findDifferences(recorded, replay)).toEqual([]);
  expect(replay.after.events).toEqual(recorded.events);
  const fork = forkCast(recorded, { now: start, visit: "Socket-4" });
  expect(fork.ok && fork.value.events.at(-1)).toMatchObject({ type: "edge_taken", to: "Socket-4" });
});

/** Plan → per item: Build → Judge (—no, once→ Build) → Tell. */
function withPlan(): TestConfig {
  const loop = { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } };
  const exits = [{ id: "x", from: "Socket-3", condition: "always", targetSocketId: "Socket-4" }];
  const edges = [
    { when: "not_satisfied", to: "Socket-2", maxTraversals: 1 },
    { when: "satisfied", to: "Socket-2" },
  ];
  const sockets = {
    "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": { materia: "Judge", advance: { when: "satisfied" }, edges },
    "Socket-4": { materia: "Tell" },
  };
  return {
    materia: { ...before.materia, Plan: { prompt: "Plan.", generator: true }, Tell: { prompt: "Tell." } },
    loadouts: { Main: { entry: "Socket-1", sockets, loops: { each: { ...loop, exits } } } },
  };
}

const bundled = mergeLayers([bundledLayer()]);

it.each(sampleCases([...bundledLayer().loadouts.keys()], 2))(
  "[T14] random casts of %s replay to their own journals",
  SWEEP,
  (name) => {
    const target = compileTargets([{ kind: "loadout", name }], bundled);
    if (!target.ok) throw new Error("a bundled loadout is sound");
    const { graph, flow } = target.value;
    const start = startWith(graph, bundled);
    for (let seed = 0; seed < 200; seed += 1) {
      const chance = seededRandom(seed);
      const { cast } = runFuzzCast(fuzzSubject(start, flow), () => randomAnswer(chance, 3));
      const recorded = { start, events: cast?.events ?? [] };
      const replay = replayCast(recorded, start);
      expect(replay.after.events).toEqual(recorded.events);
      expect(findDifferences(recorded, replay)).toEqual([]);
    }
  },
);

/** Longer than what a journal keeps of a text. */
const LONG = `${"Thinking aloud. ".repeat(500)}{"satisfied":true,"context":"ok"}`;

describe("[T16] every cast", () => {
  const config = (prompt: string) => ({
    materia: { Build: { prompt } },
    loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
  });

  it("[T15, T16] the command says which would go differently, and runs nothing", async () => {
    const cwd = newPlace({ "c.json": config("Build."), "r.json": { replies: { Build: [{ text: "ok" }] } } });
    const cast = ["cast", "--config", "c.json", "--loadout", "Main", "--rehearse", "r.json", "x"];
    await run(cast, { cwd });
    await run(cast, { cwd });
    const same = await run(["replay", "--config", "c.json", "--json"], { cwd });
    expect([same.code, JSON.parse(same.stdout)]).toMatchObject([0, { same: true, differences: [] }]);
    put(cwd, { "c.json": config("Build it.") });
    const one = await run(["replay", "last", "--config", "c.json"], { cwd });
    expect([one.code, one.stdout]).toEqual([3, expect.stringContaining('Instructions was "Build.", is "Build it."')]);
    const all = await run(["replay", "--all", "--config", "c.json", "--json"], { cwd });
    expect([all.code, JSON.parse(all.stdout)]).toMatchObject([
      3,
      { casts: 2, same: 0, different: [{}, {}], refused: [] },
    ]);
    const gone = await run(["replay", "--all", "--json"], { cwd });
    expect([gone.code, JSON.parse(gone.stdout)]).toMatchObject([3, { casts: 2, refused: [{}, {}] }]);
    expect((await run(["replay", "x", "--all"], { cwd })).code).toBe(2);
  });

  it("[T16] a cast with several differences shows the first, and how many there are", () => {
    const difference = { visit: "Socket-1#1", kind: "prompt", message: "other" } as const;
    const lines = allReplayLines([{ castId: "c", visits: 2, differences: [difference, difference] }], [], 80);
    expect(lines.map(lineText)[0]).toBe("≠ c  the first of 2 differences");
  });

  it("[T14] a reply that is read in another way now is read from its transcript", async () => {
    const cwd = newPlace({
      "c.json": config("Build."),
      "r.json": { replies: { Build: [{ text: LONG }] } },
    });
    await run(["cast", "--config", "c.json", "--loadout", "Main", "--rehearse", "r.json", "x"], { cwd });
    const loadouts = {
      Main: {
        entry: "Socket-1",
        sockets: { "Socket-1": { materia: "Build", parse: "json", edges: [{ when: "satisfied", to: "end" }] } },
      },
    };
    put(cwd, { "c.json": { ...config("Build."), loadouts } });
    const { stdout } = await run(["replay", "--config", "c.json", "--json"], { cwd });
    const { differences } = JSON.parse(stdout) as { readonly differences: readonly { readonly kind: string }[] };
    expect(differences.map(({ kind }) => kind)).toEqual(["prompt", "handoff", "edge"]);
  });
});
