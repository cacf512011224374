import { expect, it } from "vitest";
import { compiled as linked } from "../harness/build.ts";
import { play, playFrom, reworkOf, startOf } from "../harness/play.ts";
import { always, exit, exited, graph, items, loop, notSatisfied, satisfied, seat } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const yes = { satisfied: true };
const no = (context: string) => ({ satisfied: false, context });

/** Build → Eval, and back while it is not satisfied. */
const pair = graph({
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("end")),
});

it("[R1, R2] an edge brings the context and says where it comes from", async () => {
  const { asked } = await play(pair, { says: { Eval: [no("The test is missing."), yes] } });
  const [first, second] = reworkOf(asked, "Socket-1");
  expect(first).toBe("");
  expect(second).toContain("Eval (Socket-2): The test is missing.");
});

it("[R1] a long context reaches the prompt whole", async () => {
  const context = `first ${"word ".repeat(400)}last`;
  const { asked } = await play(pair, { says: { Eval: [no(context), yes] } });
  expect(asked[2]?.prompt).toContain(context);
});

it("[R1, R2] an exit brings it as well", async () => {
  const config = graph(
    {
      "Socket-3": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Eval", always("Socket-2")), advance: {} },
    },
    {
      loops: {
        each: {
          sockets: ["Socket-2"],
          consumes: { from: "Socket-3", output: "workItems" },
          exits: [exit("Socket-2", "not_satisfied", "Socket-3")],
        },
      },
    },
  );
  const { asked } = await play(config, { says: { Plan: [items("a", "b")], Eval: [no("first"), no("second"), yes] } });
  const [, again = ""] = reworkOf(asked, "Socket-3");
  expect(again).toContain('Eval (Socket-2, item "b"): second');
  expect(again).not.toContain("first");
});

it("[R5] a socket that has not run is not told to do it again, and hears the reason all the same", async () => {
  const config = graph({
    "Socket-1": seat("Eval", notSatisfied("Socket-2"), satisfied("end")),
    "Socket-2": seat("Build"),
  });
  const { asked } = await play(config, { says: { Eval: [no("two tests fail")] } });
  expect(reworkOf(asked, "Socket-2")).toEqual([""]);
  expect(asked[1]?.prompt).toContain("two tests fail");
});

it("[R5] it keeps that reason as an earlier one", async () => {
  const config = graph({
    "Socket-1": seat("Eval", notSatisfied("Socket-2"), satisfied("end")),
    "Socket-2": seat("Build", always("Socket-3")),
    "Socket-3": seat("Eval", notSatisfied("Socket-2"), satisfied("end")),
  });
  const { asked } = await play(config, { says: { "Socket-1": [no("at first")], "Socket-3": [no("still"), yes] } });
  const [first, second = ""] = reworkOf(asked, "Socket-2");
  expect(first).toBe("");
  expect(second).toContain("Reason, from Eval (Socket-3): still");
  expect(second).toContain("Earlier reason, from Eval (Socket-1): at first");
});

it("[R5, G26] the first item of a loop keeps it as well", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Eval", notSatisfied("Socket-3"), satisfied("end")),
      "Socket-3": seat("Build", always("Socket-4")),
      "Socket-4": { ...seat("Eval", notSatisfied("Socket-3"), always("Socket-3")), advance: { when: "satisfied" } },
    },
    { loops: { each: loop(["Socket-3", "Socket-4"]) } },
  );
  const says = { Plan: [items("a")], "Socket-2": [no("at first")], "Socket-4": [no("still"), yes] };
  const { asked } = await play(config, { says });
  const [first, second] = reworkOf(asked, "Socket-3");
  expect(first).toBe("");
  expect(second).toContain("Earlier reason, from Eval (Socket-2): at first");
});

it("[R5] a way that joins two parts of a chain brings none", async () => {
  const { graph: chain } = linked(
    {
      materia: {
        Eval: { prompt: "Judge.", parse: "json" },
        Build: { prompt: "Build." },
      },
      loadouts: {
        First: {
          entry: "Socket-1",
          sockets: { "Socket-1": { materia: "Eval", edges: [{ when: "not_satisfied", to: "end" }] } },
        },
      },
    },
    "First",
    "Build",
  );
  const { asked } = await playFrom(initialState({ ...startOf(graph({ "Socket-1": seat("Build") })), graph: chain }), {
    says: { Eval: [no("two tests fail")] },
  });
  expect(asked.map(({ materia }) => materia)).toEqual(["Eval", "Build"]);
  expect(reworkOf(asked, "Socket-2")).toEqual([""]);
});

it.each<[rule: string, reply: string, reason: string]>([
  ["[R1] without a context", '{"satisfied":false}', '{"satisfied":false}'],
  [
    "[R1] with a blank one",
    'Not yet.\n```json\n{"satisfied":false,"context":" "}\n```',
    'Not yet.\n```json\n{"satisfied":false,"context":" "}\n```',
  ],
  ["[R1] with a dropped field", '{"satisfied":false,"feedback":"secret"}', '{"satisfied":false}'],
  [
    "[R1] with brackets before a dropped field",
    'The test [unit] fails. {"satisfied":false,"feedback":"secret"}',
    "The test [unit] fails.",
  ],
  ["[R1] with a fence before it", 'Not `yet`.\n~~~\n{"satisfied":false,"feedback":"secret"}\n~~~', "Not `yet`."],
])("%s the output itself is the reason why an item is given up", async (_rule, reply, reason) => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": {
        ...seat("Eval", satisfied("end"), { ...always("Socket-2"), maxTraversals: 1, then: "next" }),
        advance: { when: "satisfied" },
      },
    },
    { loops: { each: loop(["Socket-2"]) } },
  );
  const { state } = await play(config, { says: { Plan: [items("a")], Eval: [reply] } });
  expect(state.givenUp.first).toEqual([{ index: 0, title: "a", reason }]);
});

it("[R1] of a long output 900 characters from its beginning", async () => {
  const reply = `${"a".repeat(890)}${"b".repeat(5_000)}{"satisfied":false}`;
  const { state } = await play(graph({ "Socket-1": seat("Eval") }), { says: { Eval: [reply] } });
  expect(state.handed?.reason).toBe(
    `${"a".repeat(890)}${"b".repeat(10)}… [cut: ${reply.length - 900} more characters]`,
  );
});

it.each<[how: string, config: Parameters<typeof play>[0]]>([
  ["an edge", pair],
  [
    "an exit",
    graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { ...seat("Eval", always("Socket-2")), advance: {} },
      },
      { loops: { each: loop(["Socket-2"], exit("Socket-2", "not_satisfied", "Socket-1")) } },
    ),
  ],
])("[H21] a refusal that %s sends back needs a reason, and the repair turn asks for it", async (_how, config) => {
  for (const silent of [{ satisfied: false }, { satisfied: false, context: " \n" }]) {
    const says = { Plan: [items("a")], Eval: [silent, no("The test is missing."), yes] };
    const { trace, asked } = await play(config, { says });
    expect(trace).toContain("rejected 1");
    const repair = asked.find(({ prompt }) => prompt.includes("false without a reason"));
    expect(repair?.prompt).toContain('say in "context" what must change and why');
  }
});

it("[H21] a refusal that sends nothing back needs none", async () => {
  for (const edges of [[always("end")], [satisfied("end"), always("end")]]) {
    const { trace } = await play(graph({ "Socket-1": seat("Eval", ...edges) }), {
      says: { Eval: [{ satisfied: false }] },
    });
    expect(trace).toEqual(["Socket-1 #1", "-> end", "not_satisfied"]);
  }
});

it("[H21, R5] neither does one that only a chain leads on", async () => {
  const { graph: chain } = linked(
    {
      materia: {
        Plan: { prompt: "Plan.", generator: true },
        Eval: { prompt: "Judge.", parse: "json" },
        Build: { prompt: "Build." },
      },
      loadouts: {
        First: {
          entry: "Socket-1",
          sockets: {
            "Socket-1": { materia: "Plan", edges: [{ when: "always" as const, to: "Socket-2" }] },
            "Socket-2": { materia: "Eval", advance: {}, edges: [{ when: "always" as const, to: "Socket-2" }] },
          },
          loops: {
            each: {
              sockets: ["Socket-2"],
              consumes: { from: "Socket-1", output: "workItems" },
              exits: [{ id: "x", from: "Socket-2", condition: "satisfied", targetSocketId: "Socket-1" }],
            },
          },
        },
      },
    },
    "First",
    "Build",
  );
  const { trace } = await playFrom(initialState({ ...startOf(graph({ "Socket-1": seat("Build") })), graph: chain }), {
    says: { Plan: [items("a")], Eval: [{ satisfied: false }] },
  });
  expect(trace.slice(-4)).toEqual(["-> Socket-3 (exit)", "Socket-3 #1", "-> end (none)", "completed"]);
});

it("[H22] an assign of a context that is missing writes empty text", async () => {
  const config = graph({ "Socket-1": { ...seat("Eval", always("end")), assign: { note: "$.context" } } });
  const { trace, state } = await play(config, { says: { Eval: [yes] } });
  expect(trace).toEqual(["Socket-1 #1", "-> end", "completed"]);
  expect(state.data).toEqual({ note: "" });
});

it("[R1] a utility's output serves as well as an agent's", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Tool", notSatisfied("Socket-1", 1), satisfied("end")),
  });
  const { asked } = await play(config, { utility: () => exited('{"satisfied":false,"failures":3}') });
  expect(reworkOf(asked, "Socket-1")).toEqual([
    "",
    expect.stringContaining('Tool (Socket-2): {"satisfied":false,"failures":3}'),
  ]);
});

it("[R2] an always edge brings no reason, for any handoff", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", satisfied("end"), always("Socket-1")),
  });
  const { asked } = await play(config, { says: { Eval: [no("again"), yes] } });
  expect(reworkOf(asked, "Socket-1")).toEqual(["", ""]);
});

it("[R2] only the visit at the end of the route gets it", async () => {
  const { asked } = await play(pair, { says: { Eval: [no("again"), yes] } });
  expect(reworkOf(asked, "Socket-2")).toEqual(["", ""]);
});

it("[R2] a socket may send itself back", async () => {
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1"), satisfied("end")) });
  const { asked } = await play(config, { says: { Eval: [no("once more"), yes] } });
  expect(reworkOf(asked, "Socket-1")).toEqual(["", expect.stringContaining("Eval (Socket-1): once more")]);
});

it("[R2] a review after the loop sends its reason back into it", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
      "Socket-3": seat("Eval", notSatisfied("Socket-2"), satisfied("end")),
    },
    { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
  );
  const { asked, trace } = await play(config, {
    says: { Plan: [items("a", "b")], Eval: [no("The names differ."), yes] },
  });
  expect(trace.filter((line) => line.startsWith("Socket-2"))).toEqual([
    "Socket-2 #1 a",
    "Socket-2 #2 b",
    "Socket-2 #3 a",
    "Socket-2 #4 b",
  ]);
  expect(reworkOf(asked, "Socket-2")).toEqual([
    "",
    "",
    expect.stringContaining("Eval (Socket-3): The names differ."),
    "",
  ]);
});

it("[R2] a repair turn of a reworked visit is about the repair", async () => {
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1"), satisfied("end")) });
  const { asked } = await play(config, { says: { Eval: [no("once more"), "oops", yes] } });
  expect(reworkOf(asked, "Socket-1").map((text) => text !== "")).toEqual([false, true, false]);
});

it("[R3] two older reasons stand below the newest", async () => {
  const { asked } = await play(pair, { says: { Eval: [no("one"), no("two"), no("three"), no("four"), yes] } });
  const shown = reworkOf(asked, "Socket-1").map((text) =>
    [...text.matchAll(/Eval \(Socket-2\): (\w+)/g)].map((match) => match[1]),
  );
  expect(shown).toEqual([[], ["one"], ["two", "one"], ["three", "two", "one"], ["four", "three", "two"]]);
});

it("[R3] reasons of different sockets stand together", async () => {
  const config = graph({
    "Socket-1": seat("Build", always("Socket-2")),
    "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("Socket-3")),
    "Socket-3": seat("Eval", notSatisfied("Socket-1"), satisfied("end")),
  });
  const { asked } = await play(config, { says: { "Socket-2": [no("style"), yes], "Socket-3": [no("tests"), yes] } });
  const [, , third = ""] = reworkOf(asked, "Socket-1");
  expect([...third.matchAll(/Eval \(Socket-\d\): \w+/g)].map(([text]) => text)).toEqual([
    "Eval (Socket-3): tests",
    "Eval (Socket-2): style",
  ]);
});

it("[R3] the newest reason is whole, and the earlier ones together take at most 2,400 characters", async () => {
  const { asked } = await play(pair, {
    says: { Eval: [no("a".repeat(3_000)), no("b".repeat(3_000)), no("c".repeat(3_000)), yes] },
  });
  const last = reworkOf(asked, "Socket-1")[3] ?? "";
  const reasons = [...last.matchAll(/Eval \(Socket-2\): .*/g)].map(([text]) => text);
  expect(reasons.map((text) => /: (.)/.exec(text)?.[1])).toEqual(["c", "b", "a"]);
  const [newest = "", ...earlier] = reasons;
  expect(newest.length).toBeGreaterThan(3_000);
  expect(earlier.join("").length).toBeLessThanOrEqual(2_400);
  expect(earlier.map((text) => (/b+|a{9,}/.exec(text)?.[0].length ?? 0) >= 900)).toEqual([true, true]);
});
