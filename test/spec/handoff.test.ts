import { expect, it } from "vitest";
import { socketOf } from "../../src/core/compile/graph.ts";
import { findObject, type FoundObject } from "../../src/core/handoff/find-object.ts";
import { readHandoff, type HandoffReading } from "../../src/core/handoff/read-handoff.ts";
import { compiled, play } from "../harness/play.ts";
import { always, exited, graph, items, notSatisfied, satisfied, seat, socket } from "../harness/seats.ts";

const YES = { satisfied: true };
type Found = Omit<FoundObject, "words">;
const exact = (object: Found["object"] = YES): Found => ({ object, found: "exact" });
const fenced = (object: Found["object"] = YES): Found => ({ object, found: "fenced" });
const embedded = (object: Found["object"] = YES): Found => ({ object, found: "embedded" });

it.each<[rule: string, reply: string, found: Found | undefined]>([
  ["[H1] the whole reply", '{"satisfied":true}', exact()],
  ["[H1] the empty object", "{}", exact({})],
  ["[H1] white space around it", '\n\t {"satisfied":true}\r\n ', exact()],
  ["[H1] a byte order mark before it", '\ufeff{"satisfied":true}', exact()],
  ["[H1] pretty-printed with CRLF", '{\r\n  "satisfied": true\r\n}\r\n', exact()],
  ["[H1] one fenced block", '```json\n{"satisfied":true}\n```', fenced()],
  ["[H1] a byte order mark before a fence", '\ufeff```json\n{"satisfied":true}\n```', fenced()],
  ["[H1] a fence without a language, in prose", 'Here:\n```\n{"satisfied":true}\n```\nBye.', fenced()],
  ["[H1] a fence with CRLF", 'Here:\r\n```json\r\n{\r\n"satisfied":true\r\n}\r\n```\r\n', fenced()],
  ["[H1] a tilde fence", '~~~json\n{"satisfied":true}\n~~~', fenced()],
  ["[H1] a longer closing fence", '```json\n{"satisfied":true}\n`````', fenced()],
  ["[H1] a fence indented by three blanks", 'So:\n   ```json\n   {"satisfied":true}\n   ```', fenced()],
  ["[H1] an unclosed fence", 'Here:\n```json\n{"satisfied":true}\n', fenced()],
  ["[H1] the last of several blocks", '```\n{"satisfied":false}\n```\n```\n{"satisfied":true}\n```', fenced()],
  ["[H1] the last block that is an object", '```\n{"satisfied":true}\n```\n```sh\nnpm test\n```', fenced()],
  ["[H1] a block of a list is passed over", '```\n{"satisfied":true}\n```\n```\n[{"satisfied":false}]\n```', fenced()],
  ["[H1] a block comes before what stands free", '```\n{"satisfied":true}\n```\nNot {"satisfied":false}', fenced()],
  [
    "[H1] a fence in a longer fence is no block",
    '````md\n```\n{"satisfied":false}\n```\n````\n```\n{"satisfied":true}\n```',
    fenced(),
  ],
  [
    "[H1] inline code at the start of a line opens no block",
    '```npm test``` passes.\n```json\n{"satisfied":true}\n```\nI first thought {"satisfied":false}.',
    fenced(),
  ],
  ["[H1] inline code before a free object", '```npm test``` passes.\n\n{"satisfied":true}', embedded()],
  ["[H1] prose around it", 'I looked at it. {"satisfied":true} That is all.', embedded()],
  ["[H1] the last of several", '{"satisfied":false}\n{"satisfied":true}', embedded()],
  [
    "[H1] the outer object, not one inside",
    'So: {"satisfied":true,"x":{"satisfied":false}}.',
    embedded({ satisfied: true, x: { satisfied: false } }),
  ],
  ["[H1] after apostrophes", `It's done, isn't it: {"satisfied":true}`, embedded()],
  ["[H1] after a lone quotation mark", 'A 3" nail: {"satisfied":true}', embedded()],
  ["[H1] between braces of prose", 'Use {name} or ${x} in { a }: {"satisfied":true} {or not}', embedded()],
  ["[H1] between brackets of prose", '[note] see [1]: {"satisfied":true} [2] [sic', embedded()],
  [
    "[H1] after an object that is not JSON",
    `{'satisfied': false} and {"satisfied": no} or {"satisfied":true}`,
    embedded(),
  ],
  ["[H1] after an object that never ends", 'First {"satisfied": "oh\nThen {"satisfied":true}', embedded()],
  [
    "[H1] after a log whose lines were cut off",
    `${'{"level":"info","message":"a line that was cut\n'.repeat(300)}{"satisfied":true}`,
    embedded(),
  ],
  ["[H1] after a half-open interval", 'For x in [0, 1) it holds: {"satisfied":true}', embedded()],
  ["[H1] after a brace of prose that is never closed", 'Begin with {"key" and go on. {"satisfied":true}', embedded()],
  [
    "[H1] on the line of an object that never ends",
    'First {"satisfied": "oh, then {"satisfied":true}\nBye.',
    embedded(),
  ],
  ["[H1] before a brace that is never closed", 'So {"satisfied":true} and not {"satisfied":', embedded()],
  ["[H1] in a quotation", '> ```json\n> {"satisfied":true}\n> ```', embedded()],
  ["[H2] braces in a string", 'So: {"context":"} { ] [","satisfied":true}', embedded({ context: "} { ] [", ...YES })],
  [
    "[H2] an object in a string",
    'So: {"satisfied":true,"context":"not {\\"satisfied\\":false}"}',
    embedded({ ...YES, context: 'not {"satisfied":false}' }),
  ],
  [
    "[H2] a fence in a string",
    'So: {"satisfied":true,"context":"```json\\n{\\"satisfied\\":false}\\n```"}',
    embedded({ ...YES, context: '```json\n{"satisfied":false}\n```' }),
  ],
  [
    "[H2] a fence in a string in a fence",
    '```json\n{"satisfied":true,"context":\n"```\\n{}\\n```"}\n```',
    fenced({ ...YES, context: "```\n{}\n```" }),
  ],
  [
    "[H2] escaped quotes and backslashes",
    String.raw`So: {"context":"\\\"}\\","satisfied":true}`,
    embedded({ context: '\\"}\\', ...YES }),
  ],
  ["[H3] nothing", "", undefined],
  ["[H3] prose", "All is well.", undefined],
  ["[H3] null", "null", undefined],
  ["[H3] a boolean", "true", undefined],
  ["[H3] a number", "7", undefined],
  ["[H3] a string that holds JSON", '"{\\"satisfied\\":true}"', undefined],
  ["[H3] a list", '[{"satisfied":true}]', undefined],
  ["[H3] a list in prose", 'Both: [{"satisfied":true}, {"satisfied":false}].', undefined],
  ["[H3] a list in a list", 'So: [[{"satisfied":true}]]', undefined],
  ["[H3] a fenced list", '```json\n[{"satisfied":true}]\n```', undefined],
  ["[H3] an object beside a list", '[{"satisfied":false}] but {"satisfied":true} and [{}]', embedded()],
  ["[H3] a list that was cut off", '[{"satisfied":true},{"satisf', undefined],
  ["[H3] a list in an object that was cut off", '{"workItems":[{"title":"a","context":"b"},{"ti', undefined],
  ["[H3] an object in an object that was cut off", '{"why":{"satisfied":true},"context":"an', undefined],
])("%s", (_rule, reply, found) => {
  const { words: _words, ...object } = findObject(reply) ?? { words: "" };
  expect(object).toEqual(found ?? {});
});

/** Read by one socket of this materia. */
function read(reply: unknown, materia = "Eval", part: object = {}): HandoffReading {
  const { graph: made } = compiled(graph({ "Socket-1": { ...seat(materia), ...part } }));
  const text = typeof reply === "string" ? reply : JSON.stringify(reply);
  return readHandoff(made, socketOf(made, socket("Socket-1")), text, { data: {}, item: null });
}

function accepted(handoff: object, dropped: readonly string[] = [], hints: readonly string[] = []): unknown {
  return { ok: true, handoff, found: "exact", words: "", dropped, hints };
}

it("[H4] the three fields are kept as they are", () => {
  const handoff = { ...items("a", "b"), satisfied: false, context: "" };
  expect(read(handoff)).toEqual(accepted(handoff));
});

it("[H5] other fields, and other keys of an item, are dropped and named", () => {
  const reply =
    '{"context":"c","x":1,"__proto__":{"satisfied":true},"workItems":[{"title":"a","context":"","id":"WI-9","__proto__":{}}]}';
  const handoff = { context: "c", workItems: [{ title: "a", context: "" }] };
  expect(read(reply)).toEqual(accepted(handoff, ["x", "__proto__", "workItems[].id", "workItems[].__proto__"]));
});

it("[H5] what was dropped reaches no route, no state and no prompt", async () => {
  const config = graph({
    "Socket-1": { ...seat("Eval", satisfied("Socket-2"), notSatisfied("end")), assign: { all: "$" } },
    "Socket-2": seat("Tell"),
  });
  const reply = {
    satisfied: true,
    passed: false,
    state: { x: "UNSEEN" },
    workItems: [{ title: "a", context: "b", id: "UNSEEN" }],
  };
  const { trace, state, asked } = await play(config, { says: { Eval: [reply] } });
  expect(trace).toEqual(["Socket-1 #1", "-> Socket-2", "Socket-2 #1", "-> end (none)", "completed"]);
  expect(state.data).toEqual({ all: { satisfied: true, workItems: [{ title: "a", context: "b" }] } });
  expect(asked.filter(({ prompt, system }) => `${system}${prompt}`.includes("UNSEEN"))).toEqual([]);
});

it.each<[rule: string, old: string, now: string]>([
  ["[H6] passed", "passed", "satisfied"],
  ["[H6] tasks", "tasks", "workItems"],
  ["[H6] task", "task", "workItems"],
  ["[H6] work", "work", "workItems"],
  ["[H6] feedback", "feedback", "context"],
  ["[H6] reason", "reason", "context"],
  ["[H6] failure", "failure", "context"],
  ["[H6] rework", "rework", "context"],
  ["[H6] missing", "missing", "context"],
  ["[H6] summary", "summary", "context"],
  ["[H6] guidance", "guidance", "context"],
  ["[H6] decisions", "decisions", "context"],
  ["[H6] risks", "risks", "context"],
])("%s", (_rule, old, now) => {
  const hint = `"${old}" is no longer read; use "${now}"`;
  expect(read({ [old]: "x", toString: 1 })).toEqual(accepted({}, [old, "toString"], [hint]));
});

it("[H7] 100,000 work items are read", () => {
  const list = items(...Array.from({ length: 100_000 }, (_, index) => `item ${index}`));
  expect(read(list, "Plan")).toEqual(accepted(list));
});

it.each<[rule: string, reply: unknown, named: readonly string[]]>([
  ["[H8] no text", "", ["the reply is empty"]],
  ["[H8] no object", "All is well.", ["no JSON object"]],
  ["[H8] a list", [{ satisfied: true }], ["no JSON object"]],
  ["[H8] satisfied in words", { satisfied: "true" }, ['"satisfied"']],
  ["[H8] satisfied as a number", { satisfied: 1 }, ['"satisfied"']],
  ["[H8] satisfied without a value", { satisfied: null }, ['"satisfied"']],
  ["[H8] context as an object", { context: { why: "x" } }, ['"context"']],
  ["[H8] context without a value", { context: null }, ['"context"']],
  ["[H8] workItems as an object", { workItems: { a: 1 } }, ['"workItems"']],
  ["[H8] workItems as text", { workItems: "a, b" }, ['"workItems"']],
  ["[H8] workItems without a value", { workItems: null }, ['"workItems"']],
  ["[H8] an item as text", { workItems: ["a"] }, ["workItems[0]"]],
  ["[H8] an item as null", { workItems: [{ title: "", context: "" }, null] }, ["workItems[1]"]],
  ["[H8] an item without a title", { workItems: [{ context: "a" }] }, ["workItems[0]"]],
  ["[H8] an item without a context", { workItems: [{ title: "a" }] }, ["workItems[0]"]],
  ["[H8] an item with a nested context", { workItems: [{ title: "a", context: {} }] }, ["workItems[0]"]],
  ["[H8] an item with a number as title", { workItems: [{ title: 7, context: "a" }] }, ["workItems[0]"]],
  [
    "[H8] an item whose fields are inherited",
    '{"workItems":[{"__proto__":{"title":"a","context":"b"}}]}',
    ["workItems[0]"],
  ],
  ["[H8] everything at once", { satisfied: 0, context: 0, workItems: 0 }, ['"satisfied"', '"context"', '"workItems"']],
])("%s", (_rule, reply, named) => {
  expect(read(reply)).toEqual({
    ok: false,
    blame: "reply",
    problems: named.map((name) => expect.stringContaining(name)),
  });
});

it.each<[rule: string, handoff: object]>([
  ["[H8] an empty object", {}],
  ["[H8] an empty context", { context: "" }],
  ["[H8] an item with empty texts", { workItems: [{ title: "", context: "" }] }],
  ["[H8] an empty list", { workItems: [] }],
])("%s is valid", (_rule, handoff) => {
  expect(read(handoff)).toEqual(accepted(handoff));
});

it.each<[rule: string, limits: Readonly<Record<string, number>>, trace: readonly string[]]>([
  ["[H11] once unless set", {}, ["rejected 1", "rejected 2", "limit maxRepairs"]],
  ["[H11] never", { maxRepairs: 0 }, ["rejected 1", "limit maxRepairs"]],
  [
    "[H11] three times",
    { maxRepairs: 3 },
    ["rejected 1", "rejected 2", "rejected 3", "rejected 4", "limit maxRepairs"],
  ],
])("%s", async (_rule, limits, trace) => {
  const config = graph({ "Socket-1": seat("Eval", satisfied("end")) }, { limits });
  const played = await play(config, { says: { Eval: ["no"] } });
  expect(played.trace).toEqual(["Socket-1 #1", ...trace, "failed"]);
});

it("[H11] a repair turn goes on in the same conversation and states every problem", async () => {
  const config = graph({ "Socket-1": seat("Eval", satisfied("end"), notSatisfied("end")) });
  const wrong = { context: 5, workItems: ["a"] };
  const { asked, trace } = await play(config, { says: { Eval: [wrong, { satisfied: true }] } });
  expect(asked.map(({ history, visit }) => [history, visit])).toEqual([
    ["fresh", 1],
    ["continued", 1],
  ]);
  for (const named of ['"context"', "workItems[0]", '"satisfied" is missing'])
    expect(asked[1]?.prompt).toContain(named);
  expect(trace).toEqual(["Socket-1 #1", "rejected 1", "-> end", "completed"]);
});

it("[H11] each visit has its own repairs", async () => {
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1"), satisfied("end")) });
  const { trace } = await play(config, {
    says: { Eval: ["no", { satisfied: false, context: "why" }, "no", { satisfied: true }] },
  });
  expect(trace).toEqual([
    "Socket-1 #1",
    "rejected 1",
    "-> Socket-1",
    "Socket-1 #2",
    "rejected 1",
    "-> end",
    "completed",
  ]);
});

it("[H12] a utility is not asked twice", async () => {
  const config = graph({ "Socket-1": seat("Tool", satisfied("end")) });
  const { trace, state } = await play(config);
  expect(trace).toEqual(["Socket-1 #1", "failed"]);
  expect(state.phase).toMatchObject({ reason: expect.stringContaining('"satisfied" is missing') });
});

it("[H13] JSON in the output of a text socket routes nothing and assigns nothing", async () => {
  const config = graph({ "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Tell") });
  const reply = { satisfied: false, ...items("a") };
  const { trace, state, asked } = await play(config, { says: { Build: [reply], Tell: ["told"] } });
  expect(trace).toEqual(["Socket-1 #1", "-> Socket-2", "Socket-2 #1", "-> end (none)", "completed"]);
  expect(state.data).toEqual({});
  expect(asked[1]?.prompt).toContain(JSON.stringify(reply));
});

it("[H13] a text utility that prints nothing leaves what was handed on before it", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Print", always("Socket-3")),
    "Socket-3": seat("Tell"),
  });
  const says = { Build: ["built it"], Tell: ["told"] };
  const { asked } = await play(config, { says, utility: () => exited(" \n") });
  expect(asked[1]?.prompt).toContain("Handed on by Build (Socket-1)");
});
