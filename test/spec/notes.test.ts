import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { workItemsText } from "../../src/core/cast/prompt-text.ts";
import { play, type PlayedCast } from "../harness/play.ts";
import { always, exit, exited, graph, items, loop, notSatisfied, satisfied, seat, workshop } from "../harness/seats.ts";

const yes = { satisfied: true };

/** The parts of a prompt by their headings. */
function parts(text = ""): Readonly<Record<string, string>> {
  const titled = text.split(/^## /m).slice(1);
  return Object.fromEntries(
    titled.map((part) => [part.split("\n", 1)[0] ?? "", part.split("\n").slice(2).join("\n").trim()]),
  );
}

function promptOf({ asked }: PlayedCast, id: string, turn = 0): Readonly<Record<string, string>> {
  return parts(asked.filter(({ socket }) => socket === id)[turn]?.prompt);
}

const NOTES = "Notes of Plan (Socket-1) on all items";

it("[P9] what a planner said beside its list reaches every item, at every visit", async () => {
  const says = {
    Plan: [{ ...items("a", "b"), context: "keep the API" }],
    Eval: [{ satisfied: false, context: "no test" }, yes],
  };
  const played = await play(workshop(), { says });
  const told = played.asked.slice(1);
  expect(told.map(({ prompt }) => parts(prompt)[NOTES])).toEqual(told.map(() => "keep the API"));
  // Between what never changes and what does.
  const again = ["Request", NOTES, "Current item", "Your last report", "Do it again"];
  expect(Object.keys(promptOf(played, "Socket-2", 1))).toEqual(again);
});

it("[P9] only a list has notes, without the blanks around them; where nothing was said there are none", async () => {
  const base = workshop();
  const planned = JSON.parse(
    JSON.stringify(base).replace(
      '"prompt":"Plan."',
      '"prompt":"Plan.","assign":{"said":"$.context","all":"$","old":"state.workItems"}',
    ),
  ) as typeof base; // a copy of it
  const notesOf = async (context: string) =>
    (await play(planned, { says: { Plan: [{ ...items("a"), context }], Eval: [yes] }, data: { workItems: [] } })).state
      .notes;
  expect(await notesOf("  keep the API\n")).toEqual({
    workItems: { socket: "Socket-1", materia: "Plan", text: "keep the API" },
  });
  expect(await notesOf(" \n ")).toEqual({});
});

it("[P9] a copy of the list has its notes, until it is replaced", async () => {
  const walk = { ...seat("Build", always("end")), advance: { items: "state.kept.list" } };
  const config = (more: Readonly<Record<string, string>>) =>
    graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { ...seat("Build", always("Socket-3")), assign: { "kept.list": "state.workItems" } },
        "Socket-3": { ...seat("Plan", always("Socket-4")), assign: more },
        "Socket-4": walk,
      },
      { loops: { each: { sockets: ["Socket-4"] } } },
    );
  const says = { Plan: [{ ...items("a"), context: "keep the API" }, items("b")] };
  const told = promptOf(await play(config({}), { says }), "Socket-4");
  expect([told["Current item"], told[NOTES]]).toEqual([expect.stringContaining("a"), "keep the API"]);
  const other = promptOf(await play(config({ "kept.list": "$.workItems" }), { says }), "Socket-4");
  expect([other["Current item"], other[NOTES]]).toEqual([expect.stringContaining("b"), undefined]);
});

it("[P6] a long list is cut between two items, and says how many are left out", () => {
  const long = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ title: `t${index}`, context: "x".repeat(5_991) }));
  const whole = workItemsText(long(9)).length;
  expect(workItemsText(long(9))).not.toContain("[cut");
  expect(workItemsText(long(12))).toMatch(/^… \[cut: 3 more work items\]$/m);
  expect(workItemsText(long(12)).length).toBeLessThan(whole + 60);
  expect(
    workItemsText([
      { title: "a", context: " \n" },
      { title: "b", context: " c " },
    ]),
  ).toBe("Work items:\n1. a\n2. b\n   c");
});

it("[P9] notes have a limit, and a longer context is handed on whole once", async () => {
  const long = `${"x".repeat(2_500)} the end`;
  const played = await play(workshop(), { says: { Plan: [{ ...items("a", "b"), context: long }], Eval: [yes] } });
  const [first, second] = [promptOf(played, "Socket-2"), promptOf(played, "Socket-2", 1)];
  expect(first[NOTES]?.length).toBeLessThanOrEqual(2_000);
  expect(first[NOTES]).toMatch(/\[cut: \d+ more characters\]$/);
  expect(first["Handed on by Plan (Socket-1)"]).toBe(long);
  expect(second[NOTES]).toBe(first[NOTES]);
});

describe("another list", () => {
  /** Plan → Tool, which hands a list on → Build for each item. */
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Sort", always("Socket-3")),
      "Socket-3": { ...seat("Build", always("Socket-3")), advance: {} },
    },
    {
      materia: { Sort: { type: "utility", command: ["sort"], generator: true } },
      loops: { each: { sockets: ["Socket-3"], consumes: { from: "Socket-2", output: "workItems" } } },
    },
  );
  const sorted = async (list: JsonObject, context: string) => {
    const says = { Plan: [{ ...items("a", "b"), context: "keep the API" }] };
    const played = await play(config, { says, utility: () => exited(JSON.stringify({ ...list, context })) });
    return Object.keys(promptOf(played, "Socket-3", 1)).filter((title) => title.startsWith("Notes"));
  };

  it("[P9] the same list from a program keeps its notes", async () => {
    expect(await sorted(items("a", "b"), "all titles are good")).toEqual([NOTES]);
  });

  it("[G26] an agent whose assign copies the list onto itself makes no new one", async () => {
    const copying = graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": {
          ...seat("Eval", notSatisfied("Socket-2", 1), always("Socket-3")),
          advance: { when: "satisfied" },
        },
        "Socket-3": { ...seat("Build", always("Socket-2")), assign: { workItems: "state.workItems" } },
      },
      { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
    );
    const no = { satisfied: false, context: "no" };
    const { trace } = await play(copying, { says: { Plan: [items("a")], Eval: [no, yes, no] } });
    // The one traversal of the item was used in the first pass.
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toHaveLength(3);
  });

  it("[G26] a list that a program hands on as it found it is the same list, and goes on with its counts", async () => {
    const back = graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": seat("Sort", always("Socket-3")),
        "Socket-3": {
          ...seat("Eval", notSatisfied("Socket-3", 1), always("Socket-4")),
          advance: { when: "satisfied" },
        },
        "Socket-4": seat("Build", always("Socket-2")),
      },
      {
        materia: { Sort: { type: "utility", command: ["sort"], generator: true } },
        loops: { each: { sockets: ["Socket-3"], consumes: { from: "Socket-2", output: "workItems" } } },
      },
    );
    const no = { satisfied: false, context: "no" };
    const says = { Plan: [items("a", "b")], Eval: [no, yes, no] };
    const stops = async (...lists: readonly JsonObject[]) => {
      const left = [...lists];
      const utility = () => exited(JSON.stringify(left.shift()));
      return (await play(back, { says, utility })).trace.filter((line) => line.startsWith("Socket-3"));
    };
    // The one traversal of the first item was used in the first pass.
    expect(await stops(items("a", "b"), items("a", "b"))).toEqual(["Socket-3 #1 a", "Socket-3 #2 a", "Socket-3 #3 a"]);
    expect(await stops(items("a", "b"), items("b", "a"))).toHaveLength(4);
  });

  it("[P9] another list has the notes that came with it, or none", async () => {
    expect(await sorted(items("b", "c"), "sorted")).toEqual(["Notes of Sort (Socket-2) on all items"]);
    expect(await sorted(items("b", "c"), "")).toEqual([]);
  });
});

it("[P2] an empty list is written as none", async () => {
  const config = graph({ "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": seat("Build") });
  const played = await play(config, { says: { Plan: [items()] } });
  expect(promptOf(played, "Socket-2")["Handed on by Plan (Socket-1)"]).toBe("Work items: none");
});

it("[P2] a list that was made inside a loop over work items is listed there", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Sub", always("Socket-3")),
      "Socket-3": { ...seat("Build", always("Socket-2")), advance: {} },
    },
    {
      materia: { Sub: { prompt: "Split.", generator: true, assign: { parts: "$.workItems" } } },
      loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
    },
  );
  const played = await play(config, { says: { Plan: [items("a")], Sub: [items("half", "other")] } });
  expect(promptOf(played, "Socket-3")['Handed on by Sub (Socket-2, item "a")']).toContain("1. half");
});

it("[R2] a reason that leaves its item names it", async () => {
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Eval", notSatisfied("Socket-1"), satisfied("Socket-2")), advance: { when: "satisfied" } },
    },
    { loops: { each: loop(["Socket-2"]) } },
  );
  const says = { Plan: [items("a", "b")], Eval: [yes, { satisfied: false, context: "too big" }, yes] };
  const prompt = promptOf(await play(config, { says }), "Socket-1", 1);
  expect(prompt["Do it again"]).toContain('Eval (Socket-2, item "b"): too big');
});

it("[P10] a long reason is given once, and whole", async () => {
  const reason = `first ${"x".repeat(3_000)} last`;
  const says = { Plan: [items("a")], Eval: [{ satisfied: false, context: reason }, yes] };
  const prompt = promptOf(await play(workshop(), { says }), "Socket-2", 1);
  expect(Object.keys(prompt)).toEqual(["Request", "Current item", "Your last report", "Do it again"]);
  expect(prompt["Do it again"]).toContain(`Eval (Socket-3): ${reason}`);
});
