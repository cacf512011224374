import { describe, expect, it } from "vitest";
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

it.each<[rule: string, at: number, body: object]>([
  ["[J5] the start", 0, { type: "cast_started", castId: "cast-1", request: "do it", loadout: "Main" }],
  ["[J6] the visit", 1, { type: "visit_started", ...at("Socket-1"), materia: "Eval", item: null }],
  [
    "[J7, J31] what was handed over",
    2,
    {
      type: "handoff_accepted",
      ...at("Socket-1"),
      handoff: { context: "c" },
      found: "exact",
      dropped: ["passed"],
      hints: ['"passed" is no longer read; use "satisfied"'],
      model: "test",
      usage: USAGE,
    },
  ],
  ["[J13, J41] the visit's end", 3, completed("Socket-1", 1, 1)],
  [
    "[J12] the way",
    4,
    { type: "edge_taken", from: "Socket-1", to: "end", when: null, via: "none", index: null, traversal: 1 },
  ],
  ["[J17] the end", 5, { type: "cast_ended", outcome: "completed", reason: expect.any(String), totals: total(1, 1) }],
])("%s of a cast of one JSON socket", async (_rule, index, body) => {
  const { bodies } = await cast(one, ['{"context":"c","passed":true}']);
  expect([bodies.length, bodies[index]]).toEqual([6, body]);
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
    model: "test",
    usage: USAGE,
  });
});

it("[J31] a refusal without a context keeps the beginning of the reply", async () => {
  const { bodies } = await cast(one, ['Two tests fail. {"satisfied":false}']);
  expect(bodies[2]).toMatchObject({ type: "handoff_accepted", excerpt: 'Two tests fail. {"satisfied":false}' });
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
    model: "test",
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
    { type: "limit_reached", limit: "maxRepairs", value: 1, where: { socket: "Socket-1", taken: 1 } },
    { type: "cast_ended", outcome: "failed", reason: expect.stringContaining("Eval"), totals: total(0, 2) },
  ]);
});

it("[J13] a visit's usage is that of all its turns", async () => {
  const { bodies } = await cast(one, ["no", {}]);
  const usage = { input: 6, output: 4, cost: 2 };
  expect(bodies).toContainEqual({
    type: "visit_completed",
    ...at("Socket-1"),
    model: "test",
    usage,
    totals: total(1, 2),
  });
});

function typesOf(bodies: readonly unknown[]): readonly unknown[] {
  return bodies.map((body) => (typeof body === "object" && body && "type" in body ? body.type : undefined));
}

describe("a loop of two items", () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
      "Socket-3": seat("Tell"),
    },
    { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
  );
  const way = { type: "edge_taken", when: "always", traversal: 1 };
  const visited = (socket: string, number: number, materia: string) => ({
    type: "visit_started",
    ...at(socket, number),
    materia,
  });

  it.each<[rule: string, type: string, bodies: readonly object[]]>([
    [
      "[J6] every visit has its number and its item",
      "visit_started",
      [
        { ...visited("Socket-1", 1, "Plan"), item: null },
        { ...visited("Socket-2", 1, "Build"), item: { index: 0, key: "WI-1", title: "a" } },
        { ...visited("Socket-2", 2, "Build"), item: { index: 1, key: "WI-2", title: "b" } },
        { ...visited("Socket-3", 1, "Tell"), item: null },
      ],
    ],
    ["[J10] the pass has its size", "loop_entered", [{ type: "loop_entered", loop: "each", size: 2 }]],
    [
      "[J10] the cursor moves item by item",
      "cursor_advanced",
      [1, 2].map((index) => ({ type: "cursor_advanced", loop: "each", index, size: 2 })),
    ],
    ["[J11] the loop is exhausted once", "loop_exhausted", [{ type: "loop_exhausted", loop: "each", by: "advance" }]],
    [
      "[J12, J32] ways by edge, by exit and by none",
      "edge_taken",
      [
        { ...way, from: "Socket-1", to: "Socket-2", via: "edge", index: 0 },
        { ...way, from: "Socket-2", to: "Socket-2", via: "edge", index: 0 },
        { ...way, from: "Socket-2", to: "Socket-3", via: "exit", index: 0, exit: "Socket-2:always" },
        { ...way, from: "Socket-3", to: "end", when: null, via: "none", index: null },
      ],
    ],
    [
      "[J13] the totals rise from visit to visit",
      "visit_completed",
      [
        completed("Socket-1", 1, 1, { totals: total(1, 1) }),
        completed("Socket-2", 2, 2, { totals: total(2, 2, 0, 2) }),
        completed("Socket-2", 3, 3, { visit: 2, totals: total(3, 3, 1, 2) }),
        completed("Socket-3", 4, 4, { totals: total(4, 4, 2, 2) }),
      ],
    ],
  ])("%s", async (_rule, type, expected) => {
    const { bodies } = await cast(config, [items("a", "b"), "built"]);
    expect(bodies.filter((_body, index) => typesOf(bodies)[index] === type)).toEqual(expected);
  });

  it("[J1] they come in the order in which they happened", async () => {
    const { bodies } = await cast(config, [items("a", "b"), "built"]);
    const item = ["visit_started", "output_accepted", "visit_completed", "cursor_advanced"];
    expect(typesOf(bodies).slice(4)).toEqual([
      "edge_taken",
      "loop_entered",
      ...item,
      "edge_taken",
      ...item,
      "loop_exhausted",
      "edge_taken",
      "visit_started",
      "output_accepted",
      "visit_completed",
      "edge_taken",
      "cast_ended",
    ]);
  });
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

it("[J12, J35, J17] each traversal has its number, and one too many fails", async () => {
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
