import { expect, it } from "vitest";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { play, startOf, type Script, type TestConfig } from "../harness/play.ts";
import {
  after,
  always,
  exited,
  graph,
  items,
  loop,
  notSatisfied,
  said,
  satisfied,
  seat,
  socket,
  workshop,
  world,
} from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const BIG = "word ".repeat(1_000_000);
const LIMIT = 120_000;

function sizeOf({ system, prompt }: TurnRequest): number {
  return system.length + prompt.length;
}

it("[P5] the prompt of item 1,000 is no longer than that of item 1", async () => {
  const titles = Array.from({ length: 1_000 }, (_, index) => `item ${String(index + 1).padStart(4, "0")}`);
  const rounds = titles.flatMap(() => [
    { satisfied: false, context: "not yet" },
    { satisfied: true, context: "done" },
  ]);
  const { asked } = await play(workshop(), { says: { Plan: [items(...titles)], Build: ["built"], Eval: rounds } });
  for (const id of ["Socket-2", "Socket-3"]) {
    const turns = asked.filter((request) => request.socket === id).map(sizeOf);
    const [first = 0, reworked = 0] = turns.slice(2, 4);
    expect(turns.length).toBe(2_000);
    expect(turns.at(-2)).toBeLessThanOrEqual(first * 1.05);
    expect(turns.at(-1)).toBeLessThanOrEqual(reworked * 1.05);
  }
});

it("[P5] the prompt of the hundredth return is no longer than that of the fourth", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", notSatisfied("Socket-1", 200), satisfied("end")),
  });
  const rounds = Array.from({ length: 100 }, () => ({ satisfied: false, context: "the same reason" }));
  const { asked } = await play(config, { says: { Eval: [...rounds, { satisfied: true }] } });
  const builds = asked.filter((request) => request.socket === "Socket-1").map(sizeOf);
  expect([builds.length, builds.at(-1)]).toEqual([101, builds[3]]);
});

const pair = graph({ "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Tell") });
const looped = graph(
  { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} } },
  { loops: { each: loop(["Socket-2"]) } },
);
const back = graph({
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", notSatisfied("Socket-1", 1)),
});
const asks = (prompt: string): TestConfig =>
  graph({ "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": seat("Ask") }, { materia: { Ask: { prompt } } });

it.each<[rule: string, config: TestConfig, script: Script]>([
  ["[P6] the request", graph({ "Socket-1": seat("Build") }), { request: BIG }],
  ["[P6] the output of a text agent", pair, { says: { Build: [BIG] } }],
  [
    "[P6] a context",
    graph({ "Socket-1": seat("Eval", always("Socket-2")), "Socket-2": seat("Tell") }),
    { says: { Eval: [{ context: BIG }] } },
  ],
  [
    "[P6] the context of a utility",
    graph({ "Socket-1": seat("Tool", always("Socket-2")), "Socket-2": seat("Tell") }),
    { utility: () => exited(JSON.stringify({ context: BIG })) },
  ],
  ["[P6] the title of an item", looped, { says: { Plan: [{ workItems: [{ title: BIG, context: "" }] }] } }],
  ["[P6] the context of an item", looped, { says: { Plan: [{ workItems: [{ title: "a", context: BIG }] }] } }],
  [
    "[P6] one item of a generator's list",
    asks("Ask."),
    { says: { Plan: [{ workItems: [{ title: BIG, context: BIG }] }] } },
  ],
  [
    "[P6] a generator's list of 100,000",
    asks("Ask."),
    { says: { Plan: [items(...Array.from({ length: 100_000 }, (_, at) => `item ${at}`))] } },
  ],
  ["[P6] the reason of a rework", back, { says: { Eval: [{ satisfied: false, context: BIG }] } }],
  ["[P6] the instructions", asks(BIG), { says: { Plan: [items()] } }],
  [
    "[P6] a value of state in the instructions",
    asks("{{state.big}}"),
    { data: { big: BIG }, says: { Plan: [items()] } },
  ],
  ["[P6] the request in the instructions", asks("{{request}}"), { request: BIG, says: { Plan: [items()] } }],
  [
    "[P6] the list in the instructions",
    asks("{{workItems}}"),
    { says: { Plan: [{ workItems: [{ title: BIG, context: BIG }] }] } },
  ],
  [
    "[P6] many values in the instructions",
    asks("{{state.big}}".repeat(500)),
    { data: { big: BIG }, says: { Plan: [items()] } },
  ],
])("%s is cut, and the cut is marked", async (_rule, config, script) => {
  const { asked } = await play(config, script);
  expect(Math.max(...asked.map(sizeOf))).toBeLessThanOrEqual(LIMIT);
  expect(asked.map(({ system, prompt }) => `${system}${prompt}`).join("")).toMatch(/\[cut: \d+ more /);
});

it("[P6] what a person writes", async () => {
  const { asked, ...ports } = world(() => said("a plan"));
  const options = { cwd: "/project", signal: new AbortController().signal };
  const { state } = await runCast(initialState(startOf(graph({ "Socket-1": seat("Talk") }))), ports, options);
  await runCast(
    after(state, { type: "person_answered", socket: socket("Socket-1"), visit: 1, text: BIG }),
    ports,
    options,
  );
  expect(asked.at(-1)?.prompt.length).toBeLessThanOrEqual(LIMIT);
  expect(asked.at(-1)?.prompt).toContain("[cut:");
});

it("[P6] a repair turn after 5 MB of faults", async () => {
  const wrong = JSON.stringify({ satisfied: BIG, context: [BIG], workItems: Array.from({ length: 100_000 }, () => 0) });
  const { asked } = await play(graph({ "Socket-1": seat("Eval", satisfied("end")) }), { says: { Eval: [wrong] } });
  expect(asked[1]?.prompt.length).toBeLessThanOrEqual(5_000);
});

it("[P6] a cut never splits a character in two", async () => {
  const { asked } = await play(pair, {
    request: `x${"😀".repeat(20_000)}`,
    says: { Build: [`y${"😀".repeat(20_000)}`] },
  });
  expect(asked.map(({ prompt }) => prompt.isWellFormed())).toEqual([true, true]);
});

it("[P7] of two prompts for one item all but what changed is the same from the start", async () => {
  const says = {
    Plan: [items("a")],
    Build: ["one", "two"],
    Eval: [{ satisfied: false, context: "no" }, { satisfied: true }],
  };
  const { asked } = await play(workshop(), { request: "r".repeat(2_000), says });
  const [first, second] = asked
    .filter((request) => request.socket === "Socket-3")
    .map(({ system, prompt }) => `${system}\n${prompt}`);
  const changed = (first ?? "").split("").findIndex((character, at) => character !== second?.[at]);
  expect(first?.slice(changed)).toBe("one");
});
