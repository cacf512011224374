import { describe, expect, it } from "vitest";
import { graphJson, mermaidText } from "../../src/core/view/graph/export.ts";
import { gridLines } from "../../src/core/view/graph/terminal-grid.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import { compiled as linked } from "../harness/build.ts";
import {
  always,
  consuming,
  exit,
  items,
  main,
  problems,
  reasonOf,
  satisfied,
  type EdgeInput,
} from "../harness/loadouts.ts";
import { compiled, play, playFrom, startOf } from "../harness/play.ts";
import { raised } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const YES = { satisfied: true };
const NO = (context: string) => ({ satisfied: false, context });

function usedUp(to: string, maxTraversals: number, then: string): EdgeInput {
  return { when: "not_satisfied", to, maxTraversals, then };
}

/** Plan → per item: Text → Json (no, at most once → Text, then …) → Text (advance) → Socket-5. */
function shop(then: string, loops = {}) {
  return main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Json", edges: [usedUp("Socket-2", 1, then), satisfied("Socket-4")] },
      "Socket-4": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-5": { materia: "Text" },
    },
    { L: { ...consuming(["Socket-2", "Socket-3", "Socket-4"], exit("Socket-4", "always", "Socket-5")), ...loops } },
  );
}

describe("[G27] then", () => {
  it("[G27, J32] a socket: taken each time once the traversals are used up", async () => {
    const { trace, events } = await play(shop("Socket-4"), {
      says: { Plan: [items("a")], Json: [NO("one"), NO("two"), NO("three")] },
    });
    expect(trace.slice(2)).toEqual([
      "Socket-2 #1 a",
      "-> Socket-3",
      "Socket-3 #1 a",
      "-> Socket-2",
      "Socket-2 #2 a",
      "-> Socket-3",
      "Socket-3 #2 a",
      "-> Socket-4",
      "Socket-4 #1 a",
      "exhausted advance",
      "-> Socket-5 (exit)",
      "Socket-5 #1",
      "-> end (none)",
      "completed",
    ]);
    const taken = events.filter((event) => event.type === "edge_taken" && event.from === "Socket-3");
    expect(taken).toEqual([
      expect.objectContaining({ to: "Socket-2", index: 0, traversal: 1 }),
      expect.objectContaining({ to: "Socket-4", index: 0, traversal: 1, when: "not_satisfied", then: true }),
    ]);
  });

  it("[G27] end: the cast ends, not satisfied, without a limit", async () => {
    const { trace } = await play(shop("end"), { says: { Plan: [items("a")], Json: [NO("one")] } });
    expect(trace.slice(-3)).toEqual(["Socket-3 #2 a", "-> end", "not_satisfied"]);
  });

  it("[G27] the way of then is no counted edge: for ever round it is a cycle without progress", async () => {
    const config = main({
      "Socket-1": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", edges: [usedUp("Socket-2", 1, "Socket-1"), satisfied("end")] },
    });
    const { trace } = await play(config, { says: { Json: [NO("no")] } });
    expect(trace.slice(-2)).toEqual(["limit maxNoAdvanceCycles", "failed"]);
  });
});

describe("[G28] then next", () => {
  it("[G28, G33] the item is given up with its last reason, and the next one begins where the loop was entered", async () => {
    const { trace, events, asked } = await play(shop("next"), {
      says: { Plan: [items("a", "b")], Json: [NO("one"), NO("two"), YES] },
    });
    expect(trace.slice(6)).toEqual([
      "Socket-2 #2 a",
      "-> Socket-3",
      "Socket-3 #2 a",
      "-> Socket-2",
      "Socket-2 #3 b",
      "-> Socket-3",
      "Socket-3 #3 b",
      "-> Socket-4",
      "Socket-4 #1 b",
      "exhausted advance",
      "-> Socket-5 (exit)",
      "Socket-5 #1",
      "-> end (none)",
      "not_satisfied",
    ]);
    expect(events.find((event) => event.type === "item_given_up")).toMatchObject({
      loop: "L",
      index: 0,
      reason: "two",
    });
    expect(asked.at(-4)?.prompt).not.toContain("Do it again");
  });

  it("[G34] after the last item a guarded exit of another member can match", () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Json", edges: [{ when: "always", to: "Socket-3", maxTraversals: 1, then: "next" }] },
        "Socket-3": { materia: "Json", advance: { when: "satisfied" }, edges: [always("Socket-2")] },
        "Socket-4": { materia: "Text" },
      },
      { L: consuming(["Socket-2", "Socket-3"], exit("Socket-3", "not_satisfied", "Socket-4")) },
    );
    expect(problems(config).filter((line) => line.includes("unreachable"))).toEqual([]);
  });

  it("[G28] the next item begins where the loop was entered, wherever the edge led", async () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
        "Socket-3": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [usedUp("Socket-4", 1, "next"), satisfied("Socket-2")],
        },
        "Socket-4": { materia: "Text", edges: [always("Socket-3")] },
      },
      { L: consuming(["Socket-2", "Socket-3", "Socket-4"]) },
    );
    const { trace } = await play(config, { says: { Plan: [items("a", "b")], Json: [NO("one"), NO("two"), YES] } });
    expect(trace.filter((line) => line.startsWith("Socket-")).slice(1)).toEqual([
      "Socket-2 #1 a",
      "Socket-3 #1 a",
      "Socket-4 #1 a",
      "Socket-3 #2 a",
      "Socket-2 #2 b",
      "Socket-3 #3 b",
    ]);
  });

  it("[G34] after the last item the exits apply as after an advance", async () => {
    const { trace } = await play(shop("next"), { says: { Plan: [items("a")], Json: [NO("one")] } });
    expect(trace.slice(-6)).toEqual([
      "Socket-3 #2 a",
      "exhausted advance",
      "-> Socket-5 (exit)",
      "Socket-5 #1",
      "-> end (none)",
      "not_satisfied",
    ]);
  });

  it.each<[title: string, exits: readonly object[], to: string]>([
    [
      "its own exit before another's",
      [exit("Socket-4", "always", "Socket-5"), exit("Socket-3", "always", "Socket-1")],
      "Socket-1",
    ],
    [
      "one that fits the answer before always",
      [exit("Socket-4", "always", "Socket-5"), exit("Socket-4", "not_satisfied", "Socket-1")],
      "Socket-1",
    ],
    ["no exit that fits", [exit("Socket-4", "satisfied", "Socket-5")], "end"],
  ])("[G34] after the last item: %s", async (_title, exits, to) => {
    const { trace } = await play(shop("next", { exits }), {
      says: { Plan: [items("a"), items()], Json: [NO("one")], Text: ["done"] },
    });
    const at = trace.indexOf("exhausted advance");
    expect(trace[at + 1]?.split(" ")[1]).toBe(to);
  });

  it("[G28] each item has its own traversals, and all of them may be given up", async () => {
    const { state, events } = await play(shop("next"), { says: { Plan: [items("a", "b", "c")], Json: [NO("never")] } });
    expect(
      events.filter((event) => event.type === "item_given_up").map((event) => "index" in event && event.index),
    ).toEqual([0, 1, 2]);
    expect(state.done).toMatchObject({ itemsDone: 0, items: 3, itemsGivenUp: 3 });
  });

  it("[G33] a visit that has already advanced gives nothing up", async () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Json", advance: {}, edges: [usedUp("Socket-2", 1, "next"), satisfied("Socket-2")] },
      },
      { L: consuming(["Socket-2"]) },
    );
    const says = { Plan: [items("a", "b", "c", "d")], Json: [NO("one"), NO("two"), NO("three"), YES] };
    const { state, events } = await play(config, { says });
    expect(state.givenUp.count).toBe(0);
    expect(state.done.itemsDone).toBe(4);
    expect(events.some(({ type }) => type === "item_given_up")).toBe(false);
  });

  it("[L15, G34] the member that gives up the last item is no terminal of its part", () => {
    const { stitches } = linked(shop("next") as Parameters<typeof linked>[0], "Main", "Text");
    expect(stitches.map(({ from, to }) => `${from} ${to}`)).toEqual(["Socket-5 Socket-6"]);
  });

  it("[G35] a cast with a given-up item ends not satisfied and names it", async () => {
    const played = await play(shop("next"), { says: { Plan: [items("a", "b")], Json: [YES, NO("no test")] } });
    expect(played.trace.at(-1)).toBe("not_satisfied");
    expect(reasonOf(played)).toBe('1 item was given up: WI-2 "b" (no test)');
  });

  it("[G35] a hundred given-up items are counted, and the first are named", async () => {
    const titles = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const played = await play(shop("next"), { says: { Plan: [items(...titles)], Json: [NO("never")] } });
    expect(reasonOf(played)).toMatch(/^100 items were given up: WI-1 "t0" .* and 80 more$/);
  });

  it("[G34] a linked part continues after its last item, given up or not", async () => {
    const config = shop("next", { exits: [] });
    const { graph } = linked(config as Parameters<typeof linked>[0], "Main", "Text");
    const { trace } = await playFrom(initialState({ ...startOf(config), graph }), {
      says: { Plan: [items("a")], Json: [NO("one")] },
    });
    expect(trace.slice(-4)).toEqual(["-> Socket-6 (exit)", "Socket-6 #1", "-> end (none)", "not_satisfied"]);
  });

  it("[G34, L20] after the last item a linked part takes the same exit as alone", async () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
        "Socket-3": { materia: "Json", advance: { when: "satisfied" }, edges: [usedUp("Socket-3", 1, "next")] },
      },
      { L: consuming(["Socket-2", "Socket-3"], exit("Socket-2", "not_satisfied", "Socket-1")) },
    );
    const says = { Plan: [items("a"), items()], Json: [NO("one")] };
    const { graph } = linked(config as Parameters<typeof linked>[0], "Main", "Text");
    const chain = await playFrom(initialState({ ...startOf(config), graph }), { says });
    const alone = await play(config, { says });
    expect(alone.trace.slice(-3, -1)).toEqual(["exhausted empty", "-> end (none)"]);
    expect(chain.trace.slice(0, alone.trace.length - 2)).toEqual(alone.trace.slice(0, -2));
  });

  it("[G28] an item that begins after an advance gets no reason of the one before", async () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Json", advance: {}, edges: [usedUp("Socket-1", 1, "next"), satisfied("Socket-2")] },
      },
      { L: consuming(["Socket-2"]) },
    );
    const { asked } = await play(config, { says: { Plan: [items("a", "b")], Json: [NO("one"), NO("two"), YES] } });
    expect(asked.map(({ socket }) => socket)).toEqual(["Socket-1", "Socket-2", "Socket-1", "Socket-2", "Socket-2"]);
    expect(asked.at(-1)?.prompt).not.toContain("Do it again");
  });
});

describe("[G29] what the check says", () => {
  it.each<[edge: EdgeInput, problem: string]>([
    [{ when: "always", to: "end", then: "Socket-1" }, "error then_without_limit sockets.Socket-1.edges.0.then"],
    [
      { when: "always", to: "end", maxTraversals: 1, then: "next" },
      "error next_outside_loop sockets.Socket-1.edges.0.then",
    ],
    [
      { when: "always", to: "end", maxTraversals: 1, then: "Socket-9" },
      "error unknown_socket sockets.Socket-1.edges.0.then",
    ],
    [
      { when: "always", to: "end", maxTraversals: 1, then: "not a socket" },
      "error bad_value sockets.Socket-1.edges.0.then",
    ],
  ])("[G29] %j", (edge, problem) => {
    expect(problems(main({ "Socket-1": { materia: "Text", edges: [edge] } }))).toContain(problem);
  });

  it("[G29] a socket that only then leads to is reached", () => {
    expect(problems(shop("Socket-5")).filter((text) => text.includes("unreachable"))).toEqual([]);
  });
});

it("[G34] the check does not warn about an exit that only a given-up item takes", () => {
  const exits = [exit("Socket-4", "always", "Socket-5"), { ...exit("Socket-3", "always", "Socket-5"), id: "lost" }];
  const told = (then: string) => problems(shop(then, { exits })).join("\n");
  expect(told("next")).not.toContain("exit_never_taken");
  expect(told("end")).toContain("exit_never_taken");
});

describe("[G30] then is seen", () => {
  it("[G30] in the grid, as text, as a chart and as data", () => {
    const { graph } = compiled(shop("next"));
    expect(plainText(gridLines(graph))).toContain("at most once, then the next item");
    expect(mermaidText(graph)).toContain("then the next item");
    expect(graphJson(graph).edges).toContainEqual(expect.objectContaining({ from: "Socket-3", then: "next" }));
    const toEnd = compiled(shop("end")).graph;
    expect(plainText(gridLines(toEnd))).toContain("used up → end");
    expect(graphJson(toEnd).edges.filter(({ from }) => from === "Socket-3")).toHaveLength(2);
  });

  it("[G30] in the story of a cast", async () => {
    const config = shop("next");
    const { events } = await play(config, { says: { Plan: [items("a", "b")], Json: [NO("one"), NO("two"), YES] } });
    const story = plainText(storyLines(startOf(config), events));
    expect(story).toContain('item 1 of 2 given up, "a": two');
    expect(story).toContain("1 item was given up");
  });
});

it("[G8] what was allowed for a used-up edge is not asked for: then comes without a limit", async () => {
  const { state } = await play(shop("next"), { says: { Plan: [items("a")], Json: [NO("one")] } });
  expect(() => raised(state, 1)).toThrow(/cannot follow the end/);
});
