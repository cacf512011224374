import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/model/json.ts";
import { play, playFrom, type PlayedCast, type Script } from "../harness/play.ts";
import {
  after,
  always,
  exited,
  graph,
  items,
  loop,
  notSatisfied,
  refusals,
  seat,
  socket,
  workshop,
} from "../harness/seats.ts";

/** One utility with this result and this assignment. */
function kept(result: Json, assign: object, script: Script = {}): Promise<PlayedCast> {
  const config = graph({ "Socket-1": { ...seat("Tool"), assign } });
  return play(config, { utility: () => exited(JSON.stringify(result)), ...script });
}

it.each<[rule: string, source: string, value: Json]>([
  ["[H14] the whole output", "$", { context: "c", report: { lines: [{ text: "x" }, 2] } }],
  ["[H14] a field", "$.context", "c"],
  ["[H14, H19] a field of the utility's own", "$.report", { lines: [{ text: "x" }, 2] }],
  ["[H14, H19] a path with a place in a list", "$.report.lines.0.text", "x"],
  ["[H14] state", "state.known.deep.0", "s"],
  ["[H14] a value that is false", "state.no", false],
  ["[H14] a value that is null", "state.nothing", null],
])("%s", async (_rule, source, value) => {
  const data = { known: { deep: ["s"] }, no: false, nothing: null };
  const { state } = await kept(
    { context: "c", report: { lines: [{ text: "x" }, 2] } },
    { "put.right.here": source },
    { data },
  );
  expect(state.data).toEqual({ ...data, put: { right: { here: value } } });
});

it("[H14] the item", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": {
        ...seat("Build", always("Socket-2")),
        advance: {},
        assign: { "last.title": "item.title", "last.why": "item.context" },
      },
    },
    { loops: { each: loop(["Socket-2"]) } },
  );
  const { state } = await play(config, { says: { Plan: [items("a", "b")] } });
  expect(state.data).toEqual({ ...items("a", "b"), last: { title: "b", why: "about b" } });
});

it("[H14] a target replaces what stands in its way and nothing beside it", async () => {
  const { state } = await kept({ x: 1 }, { "a.b": "$.x", "c.d": "$.x" }, { data: { a: "text", c: { e: 2 } } });
  expect(state.data).toEqual({ a: { b: 1 }, c: { e: 2, d: 1 } });
});

it("[H14] every source is read before any target is written", async () => {
  const { state } = await kept({}, { a: "state.b", b: "state.a" }, { data: { a: 1, b: 2 } });
  expect(state.data).toEqual({ a: 2, b: 1 });
});

it("[H14] the whole output of a text socket, of any length", async () => {
  const text = "x".repeat(20_000);
  const config = graph({ "Socket-1": { ...seat("Print"), assign: { report: "$" } } });
  const { state } = await play(config, { utility: () => exited(text) });
  expect(JSON.stringify(state.data).length).toBe('{"report":""}'.length + 20_000);
});

it.each<[rule: string, target: string, source: string]>([
  ["[H14] no source", "a", ""],
  ["[H14] a source without a root", "a", "context"],
  ["[H14] state as a whole", "a", "state"],
  ["[H14] the item as a whole", "a", "item"],
  ["[H14] brackets", "a", "$.items[0]"],
  ["[H14] an empty segment", "a", "$..x"],
  ["[H14] a path that ends in a dot", "a", "$."],
  ["[H14] a dollar in a word", "a", "$x"],
  ["[H14] blanks", "a", " $.x"],
  ["[H14] no target", "", "$"],
  ["[H14] a target with an empty segment", "a..b", "$"],
  ["[H14] a target with a dollar", "$.a", "$"],
  ["[H15] __proto__ as target", "__proto__", "$"],
  ["[H15] constructor as target", "constructor", "$"],
  ["[H15] prototype as target", "prototype", "$"],
  ["[H15] __proto__ inside a target", "a.__proto__.b", "$"],
  ["[H15] constructor inside a target", "constructor.prototype.x", "$"],
  ["[H15] prototype inside a target", "a.prototype", "$"],
  ["[H15] __proto__ in the output", "a", "$.__proto__.x"],
  ["[H15] constructor in state", "a", "state.x.constructor"],
  ["[H15] prototype of the item", "a", "item.prototype"],
])("%s is an error", (_rule, target, source) => {
  for (const materia of ["Tool", "Eval"]) {
    const config = graph({
      "Socket-1": { ...seat(materia), assign: JSON.parse(`{${JSON.stringify(target)}:${JSON.stringify(source)}}`) },
    });
    expect(refusals(config)).toEqual([expect.stringMatching(/^bad_assign loadouts\.Main\.sockets\.Socket-1\.assign/)]);
  }
});

it("[H14] item.path is an error outside a loop", () => {
  const config = graph({ "Socket-1": { ...seat("Eval"), assign: { a: "item.title" } } });
  expect(refusals(config)).toEqual(["item_outside_loop loadouts.Main.sockets.Socket-1.assign.a"]);
});

it.each<[rule: string, source: string, refused: boolean]>([
  ["[H15] workItems", "$.workItems.0", false],
  ["[H15] satisfied", "$.satisfied", false],
  ["[H15] context", "$.context", false],
  ["[H15] all three", "$", false],
  ["[H15] the state that only a utility has", "$.state.x", true],
  ["[H15] an old name", "$.summary", true],
  ["[H15] a name in another case", "$.Context", true],
])("%s of an agent", (_rule, source, refused) => {
  const config = graph({ "Socket-1": { ...seat("Eval"), assign: { a: source } } });
  expect(refusals(config)).toEqual(refused ? ["bad_assign loadouts.Main.sockets.Socket-1.assign.a"] : []);
});

it("[H15] the materia's own assign follows the same rule", () => {
  const config = graph(
    { "Socket-1": seat("Eval") },
    { materia: { Eval: { prompt: "Judge.", parse: "json", assign: { a: "$.x" } } } },
  );
  expect(refusals(config)).toEqual([expect.stringMatching(/^bad_assign /)]);
});

it.each<[rule: string, materia: string, source: string]>([
  ["[H16] of the output", "Tool", "$.nope"],
  ["[H16] beyond the end of a list", "Tool", "$.list.1"],
  ["[H16] below a text", "Tool", "$.text.length"],
  ["[H16] an inherited name", "Tool", "$.toString"],
  ["[H16] of state", "Tool", "state.nope"],
  ["[H16] of state, to a text utility", "Print", "state.nope"],
  ["[H16] of state, to a text agent", "Build", "state.nope"],
  ["[H16] of the list of an agent", "Eval", "$.workItems.1.title"],
])("%s: a missing source fails the visit", async (_rule, materia, source) => {
  const config = graph({ "Socket-1": { ...seat(materia), assign: { a: source } } });
  const result = JSON.stringify({ context: "c", list: [1], ...items("a") });
  const { end, state } = await play(config, { says: { [materia]: [result] }, utility: () => exited(result) });
  expect([end.kind, state.phase, state.data]).toEqual(["ended", expect.objectContaining({ outcome: "failed" }), {}]);
});

it("[H16] an agent learns what is missing", async () => {
  const config = graph({ "Socket-1": { ...seat("Eval"), assign: { a: "$.workItems.1.title" } } });
  const { asked, state } = await play(config, { says: { Eval: [items("a"), items("a", "b")] } });
  expect(asked[1]?.prompt).toContain("state.a");
  expect(state.data).toEqual({ a: "b" });
});

it("[H14] a socket adds to what its materia assigns, and may say otherwise for a target", async () => {
  const config = {
    materia: { Keep: { prompt: "k", parse: "json", assign: { a: "$.context", b: "$.satisfied" } } },
    loadouts: {
      Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Keep", assign: { b: "$.context", c: "$" } } } },
    },
  };
  const said = { satisfied: true, context: "why" };
  const { state } = await play(config, { says: { Keep: [said] } });
  expect(state.data).toEqual({ a: "why", b: "why", c: said });
});

const before = items("old");
it.each<[rule: string, materia: string, part: object, after: JsonObject]>([
  ["[H17] an agent generator", "Plan", {}, items("new")],
  [
    "[H17] a generator that assigns something else as well",
    "Plan",
    { assign: { first: "$.workItems.0.title" } },
    { ...items("new"), first: "new" },
  ],
  ["[H17] a utility generator", "Sigil", {}, items("new")],
  ["[H17] an agent that is no generator", "Eval", {}, before],
  ["[H17] a utility that is no generator", "Tool", {}, before],
  ["[H17] an agent with such an assign", "Eval", { assign: { workItems: "$.workItems" } }, items("new")],
  ["[H17] a utility with such an assign", "Tool", { assign: { workItems: "$.workItems" } }, items("new")],
])("%s", async (_rule, materia, part, data) => {
  const sigil = { type: "utility", command: ["sigil"], generator: true };
  const config = graph({ "Socket-1": { ...seat(materia), ...part } }, { materia: { Sigil: sigil } });
  const result = items("new");
  const { state } = await play(config, {
    data: before,
    says: { [materia]: [result] },
    utility: () => exited(JSON.stringify(result)),
  });
  expect(state.data).toEqual(data);
});

it("[H17] an item is not read out of the list while the list is replaced", async () => {
  const { trace } = await play(workshop(), {
    says: { Plan: [items("a", "b")], Eval: [{ satisfied: true, ...items("x") }] },
  });
  expect(trace.filter((line) => line.includes("#"))).toEqual([
    "Socket-1 #1",
    "Socket-2 #1 a",
    "Socket-3 #1 a",
    "Socket-2 #2 b",
    "Socket-3 #2 b",
    "Socket-4 #1",
  ]);
});

it("[H18] a utility's state is merged at the top level, and control fields in it have no effect", async () => {
  const config = graph({ "Socket-1": { ...seat("Tool"), assign: { copy: "state.vcs.kind" } } });
  const result = '{"state":{"vcs":{"kind":"jj"},"satisfied":false,"workItems":[],"__proto__":{"x":1}}}';
  const data = { vcs: { kind: "git", root: "/r" }, kept: true, ...items("old") };
  const { state, events, trace } = await play(config, { data, utility: () => exited(result) });
  expect(state.data).toEqual({ ...data, vcs: { kind: "jj" }, copy: "jj" });
  expect(trace.at(-1)).toBe("completed");
  expect(events.find((event) => event.type === "handoff_accepted")).toMatchObject({
    dropped: ["state.workItems", "state.satisfied", "state.__proto__"],
    handoff: { state: { vcs: { kind: "jj" } } },
  });
});

it("[H18] graph control beside state has its effect", async () => {
  const config = graph({ "Socket-1": seat("Tool", notSatisfied("Socket-2")), "Socket-2": seat("Tell") });
  const { trace } = await play(config, { utility: () => exited('{"satisfied":false,"state":{"satisfied":true}}') });
  expect(trace).toEqual(["Socket-1 #1", "-> Socket-2", "Socket-2 #1", "-> end (none)", "completed"]);
});

it.each<[rule: string, result: string]>([
  ["[H18] a list as state", '{"state":[1]}'],
  ["[H18] text as state", '{"state":"x"}'],
  ["[H18] null as state", '{"state":null}'],
  ["[H18] satisfied in words", '{"satisfied":"yes"}'],
  ["[H18] an item without context", '{"workItems":[{"title":"a"}]}'],
  ["[H18] state nested beyond reason", `{"state":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`],
])("%s fails the cast", async (_rule, result) => {
  const { trace, state } = await play(graph({ "Socket-1": seat("Tool") }), { utility: () => exited(result) });
  expect([trace, state.data]).toEqual([["Socket-1 #1", "failed"], {}]);
});

it("[H18] an agent has no state to patch", async () => {
  const { state } = await play(graph({ "Socket-1": seat("Eval") }), { says: { Eval: [{ state: { x: 1 } }] } });
  expect(state.data).toEqual({});
});

it("[H19] a field of the utility's own is kept nowhere but where assign puts it", async () => {
  const { state } = await kept({ branch: "main", other: 1 }, { "vcs.branch": "$.branch" });
  expect(state.data).toEqual({ vcs: { branch: "main" } });
});

it.each<[rule: string, materia: string, assign: object, place: string]>([
  ["[H16] state that is not there", "Eval", { kept: "state.nope.deep" }, "state.nope.deep is not there"],
  ["[H16] the same for a text socket", "Build", { kept: "state.nope" }, "state.nope is not there"],
  ["[H16] a target that leads into a list", "Eval", { "list.0.title": "$.context" }, "state.list is a list"],
])("%s fails the cast at once, without asking again", async (_rule, materia, assign, place) => {
  const { asked, events, state } = await play(graph({ "Socket-1": { ...seat(materia), assign } }), {
    says: { Eval: [{ context: "c" }], Build: ["built"] },
    data: { list: [{ title: "a", context: "" }] },
  });
  expect(asked).toHaveLength(1);
  expect(events.find((event) => event.type === "turn_failed")).toMatchObject({
    reason: "state",
    message: expect.stringContaining(place),
  });
  expect(state.data).toEqual({ list: [{ title: "a", context: "" }] });
});

it("[H16] a person's approval of what cannot be kept fails the cast, and asks nobody again", async () => {
  const config = graph({ "Socket-1": { ...seat("Talk"), assign: { kept: "state.nope" } } });
  const first = await play(config, { says: { Talk: [{ context: "c" }] } });
  const place = { socket: socket("Socket-1"), visit: 1 };
  const second = await playFrom(after(first.state, { type: "person_finished", ...place }), {});
  expect([second.asked.length, second.trace]).toEqual([0, ["failed"]]);
});

it("[O4] inside a loop state shows the item and its place to assign and to prompts, and nowhere else", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": {
        ...seat("Show", always("Socket-2")),
        advance: {},
        assign: { title: "state.workItem.title", at: "state.workItemIndex" },
      },
      "Socket-3": seat("Show"),
    },
    {
      materia: { Show: { prompt: "[{{state.workItem.title}}|{{state.workItem.context}}|{{state.workItemIndex}}]" } },
      loops: {
        each: loop(["Socket-2"], { id: "x", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }),
      },
    },
  );
  const { asked, state } = await play(config, { says: { Plan: [items("a", "b")] } });
  expect(asked.slice(1).map(({ system }) => /\[.*\]/.exec(system)?.[0])).toEqual([
    "[a|about a|0]",
    "[b|about b|1]",
    "[||]",
  ]);
  expect(state.data).toMatchObject({ title: "b", at: 1 });
  expect(Object.keys(state.data)).not.toContain("workItem");
});
