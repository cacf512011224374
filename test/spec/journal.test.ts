import { expect, it } from "vitest";
import type { Ports } from "../../src/shell/ports.ts";
import { NONE, at, cast, completed, one, total } from "../harness/cast.ts";
import {
  TIME,
  USAGE,
  always,
  exit,
  exited,
  graph,
  items,
  loop,
  notSatisfied,
  satisfied,
  seat,
} from "../harness/seats.ts";

const detecting: Ports["runUtility"] = async () => exited('{"vcs":"git","__proto__":{},"state":{"satisfied":true}}');

it("[J3] every event has its number, its time and its type", async () => {
  const { events } = await cast(one, [{}]);
  expect(events.map(({ seq, at: time }) => [seq, time])).toEqual(events.map((_, index) => [index + 1, TIME]));
  expect(events.map((event) => Object.keys(event).slice(0, 3))).toEqual(events.map(() => ["seq", "at", "type"]));
});

it("[J5, J6, J7, J12, J13, J17] one JSON socket", async () => {
  const { bodies } = await cast(one, ['{"context":"c","passed":true}']);
  expect(bodies).toEqual([
    { type: "cast_started", castId: "cast-1", request: "do it", loadout: "Main" },
    { type: "visit_started", ...at("Socket-1"), materia: "Eval", item: null },
    {
      type: "handoff_accepted",
      ...at("Socket-1"),
      handoff: { context: "c" },
      found: "exact",
      dropped: ["passed"],
      hints: ['"passed" is no longer read; use "satisfied"'],
      usage: USAGE,
    },
    completed("Socket-1", 1, 1),
    { type: "edge_taken", from: "Socket-1", to: "end", when: null, via: "none", index: null, traversal: 1 },
    { type: "cast_ended", outcome: "completed", reason: expect.any(String), totals: total(1, 1) },
  ]);
});

it.each<[rule: string, reply: string, found: string]>([
  ["[J7] exact", "{}", "exact"],
  ["[J7] fenced", "```\n{}\n```", "fenced"],
  ["[J7] embedded", "So: {}", "embedded"],
])("%s", async (_rule, reply, found) => {
  const { bodies } = await cast(one, [reply]);
  expect(bodies[2]).toEqual({
    type: "handoff_accepted",
    ...at("Socket-1"),
    handoff: {},
    found,
    dropped: [],
    usage: USAGE,
  });
});

it("[J7, J13] a utility's handoff is written too, and costs nothing", async () => {
  const { bodies } = await cast(graph({ "Socket-1": seat("Tool") }), [], { runUtility: detecting });
  expect(bodies.slice(2, 4)).toEqual([
    {
      type: "handoff_accepted",
      ...at("Socket-1"),
      handoff: { vcs: "git", state: {} },
      found: "exact",
      dropped: ["__proto__", "state.satisfied"],
      usage: NONE,
    },
    { type: "visit_completed", ...at("Socket-1"), usage: NONE, totals: total(1, 0) },
  ]);
});

it.each<[rule: string, text: string, kept: string]>([
  ["[J8] a short text", "built", "built"],
  ["[J8] a text of 1 MB", "x".repeat(1_000_000), `${"x".repeat(6_000)}… [cut: 994000 more characters]`],
])("%s", async (_rule, text, kept) => {
  const { bodies } = await cast(graph({ "Socket-1": seat("Build") }), [text]);
  expect(bodies[2]).toEqual({
    type: "output_accepted",
    ...at("Socket-1"),
    text: kept,
    chars: text.length,
    usage: USAGE,
  });
});

it("[J9, J13, J15] every rejected answer, its cost, and the limit before the end it causes", async () => {
  const { bodies } = await cast(graph({ "Socket-1": seat("Eval", satisfied("end")) }), ["no", '{"satisfied":"no"}']);
  expect(bodies.slice(2)).toEqual([
    {
      type: "handoff_rejected",
      ...at("Socket-1"),
      attempt: 1,
      issues: [expect.stringContaining("no JSON object")],
      usage: USAGE,
    },
    {
      type: "handoff_rejected",
      ...at("Socket-1"),
      attempt: 2,
      issues: [expect.stringContaining('"satisfied"')],
      usage: USAGE,
    },
    { type: "limit_reached", limit: "maxRepairs", value: 1, where: { socket: "Socket-1" } },
    { type: "cast_ended", outcome: "failed", reason: expect.stringContaining("Eval"), totals: total(0, 2) },
  ]);
});

it("[J13] a visit's usage is that of all its turns", async () => {
  const { bodies } = await cast(one, ["no", {}]);
  const usage = { input: 6, output: 4, cost: 2 };
  expect(bodies).toContainEqual({ type: "visit_completed", ...at("Socket-1"), usage, totals: total(1, 2) });
});

it("[J6, J10, J11, J12, J13] a loop, item by item", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
      "Socket-3": seat("Tell"),
    },
    { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
  );
  const { bodies } = await cast(config, [items("a", "b"), "built"]);
  const built = { type: "output_accepted", text: "built", chars: 5, usage: USAGE };
  expect(bodies.slice(4)).toEqual([
    { type: "edge_taken", from: "Socket-1", to: "Socket-2", when: "always", via: "edge", index: 0, traversal: 1 },
    { type: "loop_entered", loop: "each", size: 2 },
    { type: "visit_started", ...at("Socket-2", 1), materia: "Build", item: { index: 0, key: "WI-1", title: "a" } },
    { ...built, ...at("Socket-2", 1) },
    completed("Socket-2", 2, 2, { totals: total(2, 2, 0, 2) }),
    { type: "cursor_advanced", loop: "each", index: 1, size: 2 },
    { type: "edge_taken", from: "Socket-2", to: "Socket-2", when: "always", via: "edge", index: 0, traversal: 1 },
    { type: "visit_started", ...at("Socket-2", 2), materia: "Build", item: { index: 1, key: "WI-2", title: "b" } },
    { ...built, ...at("Socket-2", 2) },
    completed("Socket-2", 3, 3, { visit: 2, totals: total(3, 3, 1, 2) }),
    { type: "cursor_advanced", loop: "each", index: 2, size: 2 },
    { type: "loop_exhausted", loop: "each", by: "advance" },
    {
      type: "edge_taken",
      from: "Socket-2",
      to: "Socket-3",
      when: "always",
      via: "exit",
      index: 0,
      traversal: 1,
      exit: "Socket-2:always",
    },
    { type: "visit_started", ...at("Socket-3"), materia: "Tell", item: null },
    { ...built, ...at("Socket-3") },
    completed("Socket-3", 4, 4, { totals: total(4, 4, 2, 2) }),
    { type: "edge_taken", from: "Socket-3", to: "end", when: null, via: "none", index: null, traversal: 1 },
    { type: "cast_ended", outcome: "completed", reason: expect.any(String), totals: total(4, 4, 2, 2) },
  ]);
});

it("[J10, J11, J12] an empty list", async () => {
  const config = graph(
    { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": { ...seat("Build"), advance: {} } },
    { loops: { each: loop(["Socket-2"]) } },
  );
  const { bodies } = await cast(config, [items()]);
  expect(bodies.slice(5)).toEqual([
    { type: "loop_entered", loop: "each", size: 0 },
    { type: "loop_exhausted", loop: "each", by: "empty" },
    { type: "edge_taken", from: "Socket-2", to: "end", when: null, via: "none", index: null, traversal: 1 },
    { type: "cast_ended", outcome: "completed", reason: expect.any(String), totals: total(1, 1) },
  ]);
});

it("[J12, J15, J17] each traversal has its number, and one too many fails", async () => {
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1", 2), satisfied("end")) });
  const { bodies } = await cast(config, [{ satisfied: false, context: "again" }]);
  const taken = { type: "edge_taken", from: "Socket-1", to: "Socket-1", when: "not_satisfied", via: "edge", index: 0 };
  expect(bodies.filter((body) => /edge_taken|limit|ended/.test(JSON.stringify(body)))).toEqual([
    { ...taken, traversal: 1 },
    { ...taken, traversal: 2 },
    {
      type: "limit_reached",
      limit: "maxTraversals",
      value: 2,
      where: { socket: "Socket-1", to: "Socket-1", via: "edge", index: 0, when: "not_satisfied", taken: 2 },
    },
    { type: "cast_ended", outcome: "failed", reason: expect.stringContaining("again"), totals: total(3, 3) },
  ]);
});
