import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { play, startOf, type PlayedCast } from "../harness/play.ts";
import {
  after,
  always,
  exit,
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

const yes = { satisfied: true };

/** The parts of a text by their headings; what stands before the first has none. */
function parts(text = ""): Readonly<Record<string, string>> {
  const [lead = "", ...titled] = text.split(/^## /m);
  const named = titled.map((part) => [part.split("\n", 1)[0] ?? "", part.split("\n").slice(2).join("\n").trim()]);
  return Object.fromEntries([...(lead.trim() === "" ? [] : [["", lead.trim()]]), ...named]);
}

function asked(
  { asked: all }: PlayedCast,
  id: string,
  turn = 0,
): { system: Readonly<Record<string, string>>; prompt: Readonly<Record<string, string>> } {
  const request = all.filter((each) => each.socket === id)[turn];
  return { system: parts(request?.system), prompt: parts(request?.prompt) };
}

it("[P1] instructions, output fields, request, item, what was handed on", async () => {
  const played = await play(workshop(), {
    request: "Make it so.",
    says: { Plan: [items("a", "b")], Build: ["built"], Eval: [yes] },
  });
  expect(asked(played, "Socket-3")).toEqual({
    system: { "": "Judge.", "How to answer": expect.stringContaining('"satisfied" (required)') },
    prompt: {
      Request: "Make it so.",
      "Current item": "1 of 2: a\n\nabout a",
      'Handed on by Build (Socket-2, item "a")': "built",
    },
  });
});

it("[P1] rework comes last and does not repeat what was handed on", async () => {
  const played = await play(workshop(), {
    says: { Plan: [items("a")], Eval: [{ satisfied: false, context: "no test" }, yes] },
  });
  expect(asked(played, "Socket-2", 1).prompt).toEqual({
    Request: "do it",
    "Current item": "1 of 1: a\n\nabout a",
    "Your last report": "done",
    "Do it again": expect.stringContaining("Eval (Socket-3): no test"),
  });
});

it("[P1] what has nothing to say is left out", async () => {
  const config = graph({ "Socket-1": seat("Tool", always("Socket-2")), "Socket-2": seat("Build") });
  const played = await play(config, { request: "Go.", utility: () => exited('{"satisfied":true,"context":" "}') });
  expect(asked(played, "Socket-2")).toEqual({ system: { "": "Build." }, prompt: { Request: "Go." } });
});

it("[P1] an interactive agent learns that a person answers", async () => {
  const played = await play(graph({ "Socket-1": seat("Talk") }));
  expect(asked(played, "Socket-1").system[""]).toMatch(/^Talk\.\n\n.*person/);
});

it.each<[rule: string, materia: string, reply: string | JsonObject, label: string, body: string]>([
  ["[P2] the context of a handoff", "Eval", { context: "look here", workItems: [] }, "Eval", "look here"],
  ["[P2] the output of a text agent", "Build", '{"context":"not read"}', "Build", '{"context":"not read"}'],
  ["[P2] the output of a text utility", "Print", " plain\n", "Print", "plain"],
  ["[P2] the context of a utility", "Tool", { context: "found git", branch: "main" }, "Tool", "found git"],
  [
    "[P2] the work items of a generator",
    "Plan",
    items("a", "b"),
    "Plan",
    "Work items:\n1. a\n   about a\n2. b\n   about b",
  ],
])("%s", async (_rule, materia, reply, label, body) => {
  const config = graph({ "Socket-1": seat(materia, always("Socket-2")), "Socket-2": seat("Tell") });
  const text = typeof reply === "string" ? reply : JSON.stringify(reply);
  const played = await play(config, { says: { [materia]: [text] }, utility: () => exited(text) });
  expect(asked(played, "Socket-2").prompt).toEqual({ Request: "do it", [`Handed on by ${label} (Socket-1)`]: body });
});

it("[P2] work items of an agent that is no generator are not listed", async () => {
  const config = graph({ "Socket-1": seat("Eval", always("Socket-2")), "Socket-2": seat("Tell") });
  const played = await play(config, { says: { Eval: [items("a")] } });
  expect(asked(played, "Socket-2").prompt).toEqual({ Request: "do it" });
});

it("[P2] a generator that refines another's list sees it, and the loop that consumes it does not", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Refine", always("Socket-3")),
      "Socket-3": { ...seat("Build", always("Socket-3")), advance: {} },
    },
    {
      materia: { Refine: { prompt: "Refine.", generator: true } },
      loops: { each: { sockets: ["Socket-3"], consumes: { from: "Socket-2", output: "workItems" } } },
    },
  );
  const played = await play(config, { says: { Plan: [items("a")], Refine: [{ ...items("b"), context: "refined" }] } });
  expect(asked(played, "Socket-2").prompt["Handed on by Plan (Socket-1)"]).toBe("Work items:\n1. a\n   about a");
  expect(asked(played, "Socket-3").prompt).toEqual({
    Request: "do it",
    "Notes of Refine (Socket-2) on all items": "refined",
    "Current item": "1 of 1: b\n\nabout b",
  });
});

it("[P2] a member of a loop over another list sees the list that a generator in that loop made", async () => {
  const config = graph(
    {
      "Socket-3": { ...seat("Build", always("Socket-1")), assign: { epics: "state.seed" } },
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build", always("Socket-1")), advance: { items: "state.epics" } },
    },
    { loops: { epics: { sockets: ["Socket-1", "Socket-2"] } } },
  );
  const data = { seed: [{ title: "epic", context: "" }] };
  const played = await play(config, { data, says: { Plan: [items("a")] } });
  expect(asked(played, "Socket-2").prompt['Handed on by Plan (Socket-1, item "epic")']).toBe(
    "Work items:\n1. a\n   about a",
  );
});

it("[P2] after the loop the label names the last item", async () => {
  const played = await play(workshop(), { says: { Plan: [items("a", "b")], Eval: [{ ...yes, context: "fine" }] } });
  expect(asked(played, "Socket-4").prompt).toEqual({
    Request: "do it",
    "Items of this cast": expect.stringContaining("1. a\n   about a\n2. b\n   about b"),
    'Handed on by Eval (Socket-3, item "b")': "fine",
  });
});

it("[P3] a text socket is asked for no fields", async () => {
  const played = await play(graph({ "Socket-1": seat("Build") }));
  expect(asked(played, "Socket-1").system).toEqual({ "": "Build." });
});

const judged = [satisfied("end"), notSatisfied("end")];
it.each<[rule: string, materia: string, edges: typeof judged, fields: readonly string[]]>([
  ["[P3] a generator", "Plan", [], ['"workItems" (required)', '"context" (optional)']],
  [
    "[P3, H21] an evaluator",
    "Eval",
    judged,
    ['"satisfied" (required)', '"context" (required when "satisfied" is false)'],
  ],
  ["[P3] a socket whose way is fixed", "Eval", [always("end")], ['"satisfied" (optional)', '"context" (optional)']],
])("%s learns what it must return and what it may", async (_rule, materia, edges, fields) => {
  const played = await play(graph({ "Socket-1": seat(materia, ...edges) }), { says: { Eval: [yes], Plan: [items()] } });
  const text = asked(played, "Socket-1").system["How to answer"] ?? "";
  expect([...text.matchAll(/^- ("\w+" \([^)]+\))/gm)].map((match) => match[1])).toEqual(fields);
});

it("[P4] other state and other conversations do not appear", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": { ...seat("Eval", always("Socket-3")), assign: { "far.away": "$.context" } },
    "Socket-3": seat("Tell", always("Socket-4")),
    "Socket-4": seat("Tell"),
  });
  const played = await play(config, {
    data: { hidden: "UNSEEN-STATE", previousCastContext: { request: "UNSEEN-CAST" } },
    says: { Build: ["UNSEEN-BUILD"], Eval: [{ context: "UNSEEN-EVAL" }], "Socket-3": ["seen"] },
  });
  expect(asked(played, "Socket-4").prompt).toEqual({ Request: "do it", "Handed on by Tell (Socket-3)": "seen" });
  expect(played.asked.map(({ history }) => history)).toEqual(["fresh", "fresh", "fresh", "fresh"]);
});

it("[P7] the system text of a socket and the request are the same at every visit and come first", async () => {
  const says = { Plan: [items("a", "b", "c")], Eval: [{ satisfied: false, context: "no" }, yes] };
  const { asked: all } = await play(workshop(), { request: "Make it so.", says });
  const builds = all.filter((request) => request.socket === "Socket-2");
  expect(new Set(builds.map(({ system }) => system)).size).toBe(1);
  for (const { prompt } of builds) expect(prompt.indexOf("## Request\n\nMake it so.")).toBe(0);
  const [first, again] = builds.map(({ prompt }) => prompt);
  const item = "## Request\n\nMake it so.\n\n## Current item\n\n1 of 3: a\n\nabout a";
  expect([first?.startsWith(item), again?.startsWith(item)]).toEqual([true, true]);
});

it.each<[rule: string, template: string, filled: string]>([
  ["[P8] the request", "<{{request}}>", "<do {{state.text}} $& it>"],
  ["[P8] the item", "<{{item.title}}|{{item.context}}>", "<a|about a>"],
  ["[P8] text of state, as it is", "<{{state.text}}>", "< {{request}} $1 >"],
  ["[P8] blanks in the braces", "<{{ state.deep.list.1.x }}>", "<y>"],
  ["[P8] a number", "<{{state.number}}>", "<0>"],
  ["[P8] a boolean", "<{{state.no}}>", "<false>"],
  ["[P8] null", "<{{state.nothing}}>", "<null>"],
  ["[P8] a missing value", "<{{state.nope.x}}>", "<>"],
  ["[P8] an inherited name", "<{{state.constructor}}{{state.text.length}}>", "<>"],
  ["[P8] what is no variable at all", "<{{nope}}>", "<>"],
  ["[P8] single braces", "<{request}>", "<{request}>"],
])("%s", async (_rule, template, filled) => {
  const config = graph(
    { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": { ...seat("Ask", always("Socket-2")), advance: {} } },
    { materia: { Ask: { prompt: template } }, loops: { each: loop(["Socket-2"]) } },
  );
  const data = { text: " {{request}} $1 ", deep: { list: [0, { x: "y" }] }, number: 0, no: false, nothing: null };
  const played = await play(config, { data, request: "do {{state.text}} $& it", says: { Plan: [items("a")] } });
  expect(asked(played, "Socket-2").system).toEqual({ "": filled });
});

it.each<[rule: string, variable: string, value: unknown]>([
  ["[P8] the work items as JSON", "workItems", items("a", "b")["workItems"]],
  ["[P8] an object of state as JSON", "state.deep", { list: [0, { x: "y" }] }],
  ["[P8] an earlier cast", "state.previousCastContext", { castId: "c-1", artifacts: [] }],
])("%s", async (_rule, variable, value) => {
  const config = graph({ "Socket-1": seat("Ask") }, { materia: { Ask: { prompt: `{{${variable}}}` } } });
  const data = {
    deep: { list: [0, { x: "y" }] },
    previousCastContext: { castId: "c-1", artifacts: [] },
    ...items("a", "b"),
  };
  const { asked: all } = await play(config, { data });
  expect(JSON.parse(all[0]?.system ?? "")).toEqual(value);
});

it("[P8] outside a loop there is no item to insert", async () => {
  const config = graph({ "Socket-1": seat("Ask") }, { materia: { Ask: { prompt: "<{{item.title}}{{workItems}}>" } } });
  expect(asked(await play(config), "Socket-1").system).toEqual({ "": "<>" });
});

it("[P1, P3] a person's words go on as they are, and the hand-over asks for the fields", async () => {
  const config = graph({ "Socket-1": seat("Talk", satisfied("end"), always("end")) });
  const { asked: all, ...ports } = world(() => said("not yet"));
  const options = { cwd: "/project", signal: new AbortController().signal };
  const place = { socket: socket("Socket-1"), visit: 1 };
  const first = await runCast(initialState(startOf(config)), ports, options);
  const second = await runCast(
    after(first.state, { type: "person_answered", ...place, text: "Use {{state.x}}." }),
    ports,
    options,
  );
  await runCast(after(second.state, { type: "person_finished", ...place }), ports, options);
  expect(all.slice(1, 3).map(({ prompt, history }) => [prompt, history])).toEqual([
    ["Use {{state.x}}.", "continued"],
    [expect.stringContaining('"satisfied" (required)'), "continued"],
  ]);
});

it("[P2] what a loop with an empty list is passed by with comes from the socket before it", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build"), advance: {} },
      "Socket-3": seat("Tell"),
    },
    { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
  );
  const played = await play(config, { says: { Plan: [{ workItems: [], context: "nothing to do" }] } });
  expect(asked(played, "Socket-3").prompt).toEqual({
    Request: "do it",
    "Handed on by Plan (Socket-1)": expect.stringContaining("nothing to do"),
  });
});
