import { describe, expect, it } from "vitest";
import { matchesCondition } from "../../src/core/compile/graph.ts";
import type { Condition } from "../../src/core/model/loadout.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import {
  always,
  consuming,
  exit,
  items,
  main,
  notSatisfied,
  problems,
  reasonOf,
  satisfied,
  type EdgeInput,
} from "../harness/loadouts.ts";
import { play, playFrom } from "../harness/play.ts";
import { raised } from "../harness/seats.ts";

const YES = { satisfied: true };
const NO = { satisfied: false, context: "not yet" };

describe("[G1, G2, G3] which edge is taken", () => {
  it.each<[rule: string, edges: readonly EdgeInput[], reply: JsonObject, to: string]>([
    ["[G1] the first of two equal guards", [satisfied("Socket-2"), satisfied("Socket-3")], YES, "Socket-2"],
    [
      "[G1] a guard that matches, though an always follows",
      [satisfied("Socket-2"), always("Socket-3")],
      YES,
      "Socket-2",
    ],
    ["[G1] the always behind a guard that does not match", [satisfied("Socket-2"), always("Socket-3")], NO, "Socket-3"],
    ["[G2] always after yes", [always("Socket-2")], YES, "Socket-2"],
    ["[G2] always after no", [always("Socket-2")], NO, "Socket-2"],
    ["[G2] always after no answer", [always("Socket-2")], {}, "Socket-2"],
    ["[G3] false passes satisfied by", [satisfied("Socket-2"), notSatisfied("Socket-3")], NO, "Socket-3"],
    ["[G3] true passes not_satisfied by", [notSatisfied("Socket-2"), satisfied("Socket-3")], YES, "Socket-3"],
  ])("%s", async (_rule, edges, reply, to) => {
    const sockets = {
      "Socket-1": { materia: "Json", edges },
      "Socket-2": { materia: "Text" },
      "Socket-3": { materia: "Text" },
    };
    const { trace } = await play(main(sockets), { says: { Json: [reply] } });
    expect(trace).toEqual(["Socket-1 #1", `-> ${to}`, `${to} #1`, "-> end (none)", "completed"]);
  });

  it.each<[rule: string, when: Condition, answers: readonly [boolean, boolean, boolean]]>([
    ["[G2] always", "always", [true, true, true]],
    ["[G3] satisfied", "satisfied", [true, false, false]],
    ["[G3] not_satisfied", "not_satisfied", [false, true, false]],
  ])("%s matches true, false and absent as it should", (_rule, when, answers) => {
    expect([true, false, undefined].map((answer) => matchesCondition(when, answer))).toEqual(answers);
  });

  it("[G2] always takes plain text, even text that looks like a refusal", async () => {
    const sockets = { "Socket-1": { materia: "Text", edges: [always("Socket-2")] }, "Socket-2": { materia: "Text" } };
    const { trace } = await play(main(sockets), { says: { "Socket-1": ['{"satisfied":false}'] } });
    expect(trace).toEqual(["Socket-1 #1", "-> Socket-2", "Socket-2 #1", "-> end (none)", "completed"]);
  });

  it.each(["true", 1, null, {}])(
    "[G3] %j in place of a boolean takes no edge: it is no valid handoff",
    async (value) => {
      const sockets = { "Socket-1": { materia: "Json", edges: [satisfied("end"), notSatisfied("end")] } };
      const { trace } = await play(main(sockets), { says: { Json: [{ satisfied: value }, YES] } });
      expect(trace).toEqual(["Socket-1 #1", "rejected 1", "-> end", "completed"]);
    },
  );
});

describe("[G4, G5] the end", () => {
  it.each<[rule: string, edges: readonly EdgeInput[], reply: JsonObject]>([
    ["[G4] no edges", [], {}],
    ["[G4] no guard matches", [notSatisfied("Socket-1")], YES],
  ])("%s: the cast goes to end", async (_rule, edges, reply) => {
    const { events } = await play(main({ "Socket-1": { materia: "Json", edges } }), { says: { Json: [reply] } });
    const taken = events.filter((event) => event.type === "edge_taken");
    expect(taken).toEqual([
      expect.objectContaining({ from: "Socket-1", to: "end", when: null, via: "none", traversal: 1 }),
    ]);
  });

  const toEnd = main({ "Socket-1": { materia: "Json", edges: [satisfied("end"), notSatisfied("end")] } });
  const uncovered = main({ "Socket-1": { materia: "Json", edges: [satisfied("Socket-1")] } });
  const thenText = main({
    "Socket-1": { materia: "Json", edges: [always("Socket-2")] },
    "Socket-2": { materia: "Text" },
  });
  const thenJson = main({
    "Socket-1": { materia: "Json", edges: [always("Socket-2")] },
    "Socket-2": { materia: "Json" },
  });
  const plan = { materia: "Plan", edges: [always("Socket-2")] };
  const exhausted = main(
    { "Socket-1": plan, "Socket-2": { materia: "Json", advance: {}, edges: [always("Socket-2")] } },
    { L: consuming(["Socket-2"]) },
  );
  const tool = main({ "Socket-1": { materia: "Tool" } });

  it.each([
    ["[G5] false over an edge to end", toEnd, { Json: [NO] }, "not_satisfied"],
    ["[G5] true over an edge to end", toEnd, { Json: [YES] }, "completed"],
    ["[G5] false without an edge", uncovered, { Json: [NO] }, "not_satisfied"],
    ["[G5] false, then a text socket", thenText, { Json: [NO] }, "completed"],
    ["[G5] false, then a handoff that says nothing", thenJson, { Json: [NO, {}] }, "completed"],
    ["[G5] true, then false", thenJson, { Json: [YES, NO] }, "not_satisfied"],
    [
      "[G5] false on the last item of a loop without exit",
      exhausted,
      { Plan: [items("a")], Json: [NO] },
      "not_satisfied",
    ],
    ["[G5] false with an empty list, past the loop", exhausted, { Plan: [{ ...items(), ...NO }] }, "not_satisfied"],
    ["[G5] an empty list and no answer", exhausted, { Plan: [items()] }, "completed"],
  ])("%s", async (_rule, config, says, outcome) => {
    const { trace } = await play(config, { says });
    expect(trace.at(-1)).toBe(outcome);
  });

  it("[G5] false from a utility", async () => {
    const { trace } = await play(tool, {
      utility: () => ({ kind: "exited", stdout: '{"satisfied":false}', stdoutCut: false, stderr: "" }),
    });
    expect(trace).toEqual(["Socket-1 #1", "-> end (none)", "not_satisfied"]);
  });
});

describe("[G6, G7, G8] maxTraversals", () => {
  it.each([0, -1, 1.5, "2", null, true, {}, 1e300])("[G6] %j is an error", (value) => {
    expect(problems(main({ "Socket-1": { materia: "Text", edges: [always("end", value)] } }))).toEqual([
      "error bad_value sockets.Socket-1.edges.0.maxTraversals",
    ]);
  });

  it.each([1, 2, 1000])("[G6] %j is not", (value) => {
    expect(problems(main({ "Socket-1": { materia: "Text", edges: [always("end", value)] } }))).toEqual([]);
  });

  it("[G7] outside loops an edge is counted for the whole cast, and each edge by itself", async () => {
    const config = again(satisfied("Socket-1", 2), notSatisfied("Socket-1", 1));
    const { trace, events } = await play(config, { says: { Json: [YES, NO, YES, NO] } });
    expect(trace.slice(-3)).toEqual(["Socket-1 #4", "limit maxTraversals", "failed"]);
    expect(events.flatMap((event) => (event.type === "edge_taken" ? [event.traversal] : []))).toEqual([1, 1, 2]);
  });

  const perItem = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [notSatisfied("Socket-2", 1), satisfied("Socket-2")],
      },
    },
    { L: consuming(["Socket-2"]) },
  );

  it("[G7] inside a loop a new item starts again at zero", async () => {
    const { trace } = await play(perItem, { says: { Plan: [items("a", "b")], Json: [NO, YES, NO, YES] } });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "-> Socket-2",
      "Socket-2 #2 a",
      "-> Socket-2",
      "Socket-2 #3 b",
      "-> Socket-2",
      "Socket-2 #4 b",
      "exhausted advance",
      "-> end (none)",
      "completed",
    ]);
  });

  it("[G8] N traversals pass, the next fails and says edge, item, count and the last reason", async () => {
    const { trace, events } = await play(perItem, {
      says: { Plan: [items("a", "b")], Json: [YES, NO, { ...NO, context: "still no test" }] },
    });
    expect(trace.slice(-5)).toEqual(["Socket-2 #2 b", "-> Socket-2", "Socket-2 #3 b", "limit maxTraversals", "failed"]);
    expect(events.find((event) => event.type === "limit_reached")).toMatchObject({
      limit: "maxTraversals",
      value: 1,
      where: { socket: "Socket-2", to: "Socket-2", via: "edge", index: 0, taken: 1, item: { index: 1, title: "b" } },
    });
    const reason = reasonOf({ events });
    for (const part of ["Socket-2 → Socket-2", '"b"', "1", "still no test"]) expect(reason).toContain(part);
  });

  it("[G7] an edge that leaves its loop is counted for the whole cast, for all items together", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [notSatisfied("Socket-3", 1), satisfied("Socket-2")],
      },
      "Socket-3": { materia: "Text", edges: [always("Socket-2")] },
    };
    const { trace } = await play(main(sockets, { L: consuming(["Socket-2"]) }), {
      says: { Plan: [items("a", "b")], Json: [NO, YES, NO, YES, NO] },
    });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "-> Socket-3",
      "Socket-3 #1",
      "-> Socket-2",
      "Socket-2 #2 a",
      "-> Socket-2",
      "Socket-2 #3 b",
      "limit maxTraversals",
      "failed",
    ]);
  });

  const reviewed = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [notSatisfied("Socket-2", 1), satisfied("Socket-2")],
      },
      "Socket-3": { materia: "Json", edges: [notSatisfied("Socket-2", 1), satisfied("Socket-1", 1)] },
    },
    { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
  );

  it("[G26] a second pass over the same list goes on counting for each item", async () => {
    const { trace } = await play(reviewed, {
      says: { Plan: [items("a")], "Socket-2": [NO, YES, NO], "Socket-3": [NO] },
    });
    expect(trace.slice(-5)).toEqual(["Socket-3 #1", "-> Socket-2", "Socket-2 #3 a", "limit maxTraversals", "failed"]);
  });

  it("[G26] a list that was made anew begins again at zero, even with the same items", async () => {
    const { trace } = await play(reviewed, {
      says: { Plan: [items("a")], "Socket-2": [NO, YES, NO, YES], "Socket-3": [YES, NO] },
    });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toHaveLength(5);
  });

  it("[G40] a copy brings an earlier list back, with its counts", async () => {
    const restored = main(
      {
        "Socket-1": { materia: "Plan", assign: { kept: "$.workItems" }, edges: [always("Socket-2")] },
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-2", 1), satisfied("Socket-2")],
        },
        "Socket-3": { materia: "Plan", edges: [always("Socket-4")] },
        "Socket-4": { materia: "Json", assign: { workItems: "state.kept" }, edges: [satisfied("Socket-2", 1)] },
      },
      { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
    );
    const { trace } = await play(restored, {
      says: {
        "Socket-1": [items("a")],
        "Socket-2": [NO, YES, NO],
        "Socket-3": [items("other")],
        "Socket-4": [YES],
      },
    });
    expect(trace.slice(-3)).toEqual(["Socket-2 #3 a", "limit maxTraversals", "failed"]);
  });

  it("[G40] a copy brings a list back with its counts, also when the loop has walked another one since", async () => {
    const restored = main(
      {
        "Socket-1": { materia: "Plan", assign: { kept: "$.workItems" }, edges: [always("Socket-2")] },
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-2", 1), satisfied("Socket-2")],
        },
        "Socket-3": { materia: "Json", edges: [satisfied("Socket-4"), notSatisfied("Socket-5", 1)] },
        "Socket-4": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-5": { materia: "Json", assign: { workItems: "state.kept" }, edges: [satisfied("Socket-2", 1)] },
      },
      { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
    );
    const { trace } = await play(restored, {
      says: {
        "Socket-1": [items("a")],
        "Socket-2": [NO, YES, NO, YES, NO],
        "Socket-3": [YES, NO],
        "Socket-4": [items("other")],
        "Socket-5": [YES],
      },
    });
    expect(trace.slice(-3)).toEqual(["Socket-2 #5 a", "limit maxTraversals", "failed"]);
  });

  it("[G8] a further allowance lets that many more pass, for that item only", async () => {
    const first = await play(perItem, { says: { Plan: [items("a", "b")], Json: [NO] } });
    const second = await playFrom(raised(first.state, 1), { says: { Json: [NO, YES, NO, NO] } });
    expect(second.trace).toEqual(["-> Socket-2", "Socket-2 #3 a", "limit maxTraversals", "failed"]);
    const third = await playFrom(raised(second.state, 1), { says: { Json: [YES, NO] } });
    expect(third.trace).toEqual([
      "-> Socket-2",
      "Socket-2 #4 a",
      "-> Socket-2",
      "Socket-2 #5 b",
      "-> Socket-2",
      "Socket-2 #6 b",
      "limit maxTraversals",
      "failed",
    ]);
  });

  it("[G8] the reported count includes what was allowed since", async () => {
    const first = await play(again(notSatisfied("Socket-1", 2)), { says: { Json: [NO] } });
    const second = await playFrom(raised(first.state, 5), { says: { Json: [NO] } });
    expect(reasonOf(second)).toMatch(/\b7\b/);
  });

  it("[G8] an allowance goes to the edge that was refused, not to its neighbour with the same target and limit", async () => {
    const config = again(satisfied("Socket-1", 2), notSatisfied("Socket-1", 2));
    const first = await play(config, { says: { Json: [NO] } });
    const second = await playFrom(raised(first.state, 1), { says: { Json: [NO] } });
    expect(second.trace).toEqual(["-> Socket-1", "Socket-1 #4", "limit maxTraversals", "failed"]);
  });

  it("[G8] an allowance for an edge outside loops outlasts the loops the cast enters after it", async () => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-3": { materia: "Json", edges: [notSatisfied("Socket-1", 1)] },
    };
    const config = main(sockets, { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) });
    const says = { Plan: [items("a")], Json: [NO] };
    const first = await play(config, { says });
    const second = await playFrom(raised(first.state, 2), { says });
    expect(second.trace.filter((line) => line.startsWith("Socket-3"))).toEqual(["Socket-3 #3", "Socket-3 #4"]);
  });
});

function again(...edges: readonly EdgeInput[]) {
  return main({ "Socket-1": { materia: "Json", edges } });
}
