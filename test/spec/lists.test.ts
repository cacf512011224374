import { describe, expect, it } from "vitest";
import { link, linked } from "../harness/chain.ts";
import {
  MATERIA,
  always,
  consuming,
  exit,
  main,
  problems,
  problemsOf,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";

describe("[O15] a loop over a list that nothing can have made", () => {
  const walk = { materia: "Text", advance: { items: "state.list" }, edges: [always("Socket-2")] };
  const over = (first: SocketInput, more: Readonly<Record<string, SocketInput>> = {}) =>
    problems(main({ "Socket-1": first, "Socket-2": walk, ...more }, { L: { sockets: ["Socket-2"] } })).filter((line) =>
      line.startsWith("error"),
    );
  const to2 = [always("Socket-2")];
  const never = ["error list_never_produced loops.L"];

  it.each<[title: string, first: SocketInput, found: readonly string[]]>([
    ["[O15] is an error", { materia: "Text", edges: to2 }, never],
    ["[O15] a generator makes another one", { materia: "Plan", edges: to2 }, never],
    ["[O15] one that assigns it makes it", { materia: "Plan", assign: { list: "$.workItems" }, edges: to2 }, []],
    ["[O15] so may a program of one's own", { materia: "Tool", edges: to2 }, []],
    ["[O15] but not one that is read as text", { materia: "Tool", parse: "text", edges: to2 }, never],
    ["[O15] nor one that sets another place", { materia: "Plan", assign: { other: "$.workItems" }, edges: to2 }, never],
  ])("%s", (_title, first, found) => {
    expect(over(first)).toEqual(found);
  });

  it("[O15] what runs only behind the loop, or inside it, made nothing before", () => {
    const maker = { materia: "Plan", assign: { list: "$.workItems" }, edges: [always("end")] };
    expect(over({ materia: "Json", edges: to2 }, { "Socket-3": maker })).toEqual(never);
    const inside = { ...walk, materia: "Plan", assign: { list: "$.workItems" } };
    expect(
      problems(
        main({ "Socket-1": { materia: "Text", edges: to2 }, "Socket-2": inside }, { L: { sockets: ["Socket-2"] } }),
      ),
    ).toContain("error list_never_produced loops.L");
  });

  it("[O15] an item that is given up begins no next one where only the loop itself leads into another", () => {
    const sockets = {
      "Socket-1": { materia: "Tool", edges: to2 },
      "Socket-2": {
        materia: "Json",
        edges: [{ when: "not_satisfied", to: "Socket-2", maxTraversals: 1, then: "next" }, always("Socket-5")],
      },
      "Socket-3": { ...walk, edges: [] },
      "Socket-4": { materia: "Plan", edges: to2 },
      "Socket-5": { materia: "Text", advance: {}, edges: [always("Socket-3")] },
    };
    const loops = {
      A: {
        sockets: ["Socket-2", "Socket-3"],
        exits: [exit("Socket-2", "always", "end"), exit("Socket-3", "always", "Socket-4")],
      },
      B: { sockets: ["Socket-5"] },
    };
    expect(problems(main(sockets, loops))).toContain("error list_never_produced loops.B");
  });

  it.each([
    ["[O15] nor where a pass that begins at that entry never gives an item up", "Socket-1", true],
    ["[O15] but it does where the item before began at that entry, too", "Socket-4", false],
  ] as const)("%s", (_title, back, isNever) => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [satisfied("Socket-3"), always("Socket-2")] },
      "Socket-2": { ...walk, edges: to2 },
      "Socket-3": { materia: "Json", edges: [satisfied(back), always("Socket-2")] },
      "Socket-4": {
        materia: "Plan",
        assign: { list: "$.workItems" },
        advance: { when: "not_satisfied" },
        edges: [{ when: "satisfied", to: "Socket-4", maxTraversals: 1, then: "next" }],
      },
      "Socket-5": { materia: "Plan", edges: [always("Socket-4")] },
    };
    const loops = {
      A: { sockets: ["Socket-3", "Socket-4"], exits: [exit("Socket-4", "always", "Socket-5")] },
      B: { sockets: ["Socket-2"] },
    };
    const errors = problems(main(sockets, loops)).filter((line) => line.startsWith("error"));
    expect(errors).toEqual(isNever ? ["error list_never_produced loops.B"] : []);
  });

  it("[O15] no program sets the work items, and a list beside another is not made with it", () => {
    const walking = (items: string, first: SocketInput) => {
      const sockets = { "Socket-1": { edges: to2, ...first }, "Socket-2": { ...walk, advance: { items } } };
      return problemsOf(main(sockets, { L: { sockets: ["Socket-2"] } })).filter(
        ({ code }) => code === "list_never_produced",
      );
    };
    const deep: SocketInput = { materia: "Plan", assign: { "plans.first": "$.workItems" } };
    expect(walking("state.workItems", { materia: "Tool" })).toHaveLength(1);
    expect(walking("state.plans.first", deep)).toEqual([]);
    const [beside] = walking("state.plans.second", deep);
    expect(beside?.message).toContain("makes state.plans.second,");
  });

  it("[O15] a list that only its own members make is there for the loop behind", () => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: to2 },
      "Socket-2": { ...walk, materia: "Plan", assign: { list: "$.workItems" } },
      "Socket-3": { ...walk, edges: [always("Socket-3")] },
    };
    const loops = {
      A: { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] },
      B: { sockets: ["Socket-3"] },
    };
    expect(problems(main(sockets, loops))).toEqual(["error list_never_produced loops.A"]);
  });

  it.each([
    ["Socket-2", "Socket-3"],
    ["Socket-3", "Socket-2"],
  ])("[O15] of %s and %s one that a cast comes to is enough, and it is reported at every such loop", (...members) => {
    const sockets = {
      "Socket-1": { materia: "Text", edges: to2 },
      "Socket-2": walk,
      "Socket-3": { materia: "Text", edges: to2 },
      "Socket-4": { ...walk, edges: [always("Socket-4")] },
    };
    const loops = {
      A: { sockets: members, exits: [exit("Socket-2", "always", "Socket-4")] },
      B: { sockets: ["Socket-4"] },
    };
    expect(problems(main(sockets, loops)).filter((line) => line.startsWith("error"))).toEqual([
      "error list_never_produced loops.A",
      "error list_never_produced loops.B",
    ]);
  });

  it("[O15] it may be made on the way to any member, not only to the first", () => {
    const sockets = {
      "Socket-1": { materia: "Json", edges: [satisfied("Socket-2"), always("Socket-4")] },
      "Socket-2": walk,
      "Socket-3": { ...walk, edges: [always("Socket-3")] },
      "Socket-4": { materia: "Plan", assign: { list: "$.workItems" }, edges: [always("Socket-3")] },
    };
    expect(problems(main(sockets, { L: { sockets: ["Socket-2", "Socket-3"] } }))).toEqual([]);
  });

  it("[O15] in a chain an earlier part may have made it", () => {
    const part = {
      entry: "Socket-1",
      sockets: { "Socket-1": { materia: "Text", advance: {}, edges: [always("Socket-1")] } },
      loops: { L: { sockets: ["Socket-1"] } },
    };
    const config = { materia: MATERIA, loadouts: { Part: part } };
    const alone = link("loadout:Part", config);
    expect(alone.ok ? [] : alone.issues.map(({ code }) => code)).toEqual(["list_never_produced"]);
    expect(Object.keys(linked("Plan loadout:Part", config).graph.sockets)).toEqual(["Socket-1", "Socket-2"]);
    const after = link("Text loadout:Part", config);
    expect(after.ok ? [] : after.issues.map(({ code }) => code)).toEqual(["incompatible_link"]);
    const [joint] = after.ok ? [] : after.issues;
    expect(joint?.message).toContain('at Socket-1 (Text) of "Text" → Socket-1 (Text) of "Part", the parts do not fit');
  });
});

describe("[O14] an exit to the end", () => {
  it("[O14] is a way to end in a chain, and leads on like any other", () => {
    const part = {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
        "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      },
      loops: { L: consuming(["Socket-2"], exit("Socket-2", "always", "end")) },
    };
    const { graph, stitches } = linked("loadout:Part Text", { materia: MATERIA, loadouts: { Part: part } });
    expect(stitches).toMatchObject([{ from: "Socket-2", to: "Socket-3" }]);
    expect(graph.loops["t1-L"]?.exits).toMatchObject([{ from: "Socket-2", targetSocketId: "Socket-3" }]);
  });
});

describe("[H20] what can never be assigned", () => {
  const assigning = (materia: string, assign: Readonly<Record<string, string>>) => {
    const sockets = {
      "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
      "Socket-2": { materia, assign, advance: {}, edges: [always("Socket-2")] },
    };
    return problems(main(sockets, { L: consuming(["Socket-2"]) })).filter((line) => line.startsWith("error"));
  };

  it.each([
    "$.context.x",
    "$.satisfied.0",
    "$.workItems.first",
    "$.workItems.a1",
    "$.workItems.1a",
    "$.workItems.0.id",
    "$.workItems.0.title.x",
    "item.id",
    "item.title.x",
  ])("[H20] %s is never there", (source) => {
    for (const materia of ["Json", "Tool"])
      expect(assigning(materia, { a: source })).toEqual(["error bad_assign sockets.Socket-2.assign.a"]);
  });

  it.each(["$.context", "$.workItems.12", "$.workItems.0.title", "state.title.x", "item.title", "item.context"])(
    "[H20] %s may be there",
    (source) => {
      expect(assigning("Json", { a: source })).toEqual([]);
    },
  );

  it("[H13] a text has no fields to take", () => {
    expect(assigning("Text", { a: "$.context" })).toEqual(["error assign_needs_json sockets.Socket-2.assign.a"]);
    expect(assigning("Text", { a: "$" })).toEqual([]);
  });

  it.each([
    ["$.text", "the output of a text socket is handed on automatically"],
    ["$.answer", '"$" for all three'],
  ])("[H15] %s is refused with what to use instead", (source, hint) => {
    const config = main({ "Socket-1": { materia: "Json", assign: { a: source } } });
    expect(problemsOf(config)[0]?.hint).toContain(hint);
  });

  it("[H20] nothing is put into a list", () => {
    const alone = main({ "Socket-1": { materia: "Json", assign: { "workItems.0": "$.context" } } });
    expect(problems(alone)).toEqual(['error bad_assign sockets.Socket-1.assign["workItems.0"]']);
    expect(assigning("Json", { "workItems.0.title": "$.context" })).toEqual([
      'error bad_assign sockets.Socket-2.assign["workItems.0.title"]',
    ]);
    const copied = main({
      "Socket-1": { materia: "Json", assign: { copy: "state.workItems" }, edges: [always("Socket-2")] },
      "Socket-2": { materia: "Json", assign: { "copy.x": "$.context" } },
    });
    expect(problems(copied)).toContain('error bad_assign sockets.Socket-2.assign["copy.x"]');
    const sockets = {
      "Socket-1": { materia: "Plan", assign: { list: "$.workItems" }, edges: [always("Socket-2")] },
      "Socket-2": {
        materia: "Text",
        assign: { said: "$", "list.0": "$" },
        advance: { items: "state.list" },
        edges: [always("Socket-2")],
      },
    };
    expect(
      problems(main(sockets, { L: { sockets: ["Socket-2"] } })).filter((line) => line.startsWith("error")),
    ).toEqual(['error bad_assign sockets.Socket-2.assign["list.0"]']);
  });

  it("[H14] a socket's assign stands over its materia's, key by key", () => {
    const { graph } = linked("loadout:Part", {
      materia: { A: { prompt: "a", parse: "json", assign: { one: "$.context", two: "$.context" } } },
      loadouts: { Part: { entry: "Socket-1", sockets: { "Socket-1": { materia: "A", assign: { two: "$" } } } } },
    });
    expect(graph.sockets["Socket-1"]?.assign).toEqual([
      { target: ["one"], from: "output", path: ["context"] },
      { target: ["two"], from: "output", path: [] },
    ]);
  });
});
