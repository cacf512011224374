import { describe, expect, it } from "vitest";
import { always as onward, consuming, exit as leaving, main, problems } from "../harness/loadouts.ts";
import { play } from "../harness/play.ts";
import { always, exit, graph, items, loop, notSatisfied, satisfied, seat } from "../harness/seats.ts";

const YES = { satisfied: true };
const errorsOf = (config: Parameters<typeof problems>[0]) =>
  problems(config).filter((line) => line.startsWith("error"));

describe("[G10] a limited edge past empty lists", () => {
  const back = (sockets: Parameters<typeof graph>[0], loops: Readonly<Record<string, object>>) =>
    graph(
      { "Socket-1": seat("Plan", { ...always("Socket-2"), maxTraversals: 6, then: "end" }), ...sockets },
      { loops },
    );
  const walker = (next: string) => ({ ...seat("Build", always(next)), advance: {} });

  it("[G10] closes its cycle where the exit of the loop leads, so that its own limit decides", async () => {
    const config = back(
      { "Socket-2": walker("Socket-2") },
      { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-1")) },
    );
    const { trace } = await play(config, { says: { Plan: [items()] } });
    expect(trace.filter((line) => line.startsWith("Socket-1"))).toHaveLength(7);
    expect(trace.at(-1)).toBe("completed");
  });

  it("[G10] closes it behind several of them", async () => {
    const config = back(
      { "Socket-2": walker("Socket-2"), "Socket-3": walker("Socket-3") },
      {
        first: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
        second: loop(["Socket-3"], exit("Socket-3", "always", "Socket-1")),
      },
    );
    const { trace } = await play(config, { says: { Plan: [items()] } });
    expect(trace.at(-1)).toBe("completed");
  });
});

describe("[G39] a loop that is entered again with the same list", () => {
  const pair = (limits: Readonly<Record<string, number>> = {}) =>
    graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
        "Socket-3": { ...seat("Build", always("Socket-3")), advance: {} },
      },
      {
        limits,
        loops: {
          first: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
          second: loop(["Socket-3"], exit("Socket-3", "always", "Socket-2")),
        },
      },
    );

  it("[G39] two loops whose exits lead into each other are a cycle without progress", async () => {
    const { trace, state } = await play(pair(), { says: { Plan: [items("a", "b")] } });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toHaveLength(8);
    expect(trace.at(-1)).toContain("failed");
    expect(state.phase).toMatchObject({ limit: { limit: "maxNoAdvanceCycles", at: "Socket-2" } });
  });

  it("[G39] a limited edge on the way back lets its own limit decide", async () => {
    const config = graph(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { ...seat("Build", always("Socket-2")), advance: {} },
        "Socket-3": seat("Eval", notSatisfied("Socket-2", 7), satisfied("end")),
      },
      { loops: { each: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")) } },
    );
    const { trace } = await play(config, {
      says: {
        Plan: [items("a")],
        Eval: [...Array.from({ length: 7 }, () => ({ satisfied: false, context: "no" })), YES],
      },
    });
    expect(trace.filter((line) => line.startsWith("Socket-2"))).toHaveLength(8);
    expect(trace.at(-1)).toBe("completed");
  });
});

describe("lists and items", () => {
  it("[O15] a maker that only the loop itself leads to has made nothing when it is entered", () => {
    const config = main(
      {
        "Socket-1": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [{ when: "not_satisfied", to: "Socket-2", maxTraversals: 3 }, onward("Socket-1")],
        },
        "Socket-2": { materia: "Plan", edges: [onward("Socket-1")] },
      },
      { L: { sockets: ["Socket-1"] } },
    );
    expect(errorsOf(config)).toEqual(["error list_never_produced loops.L"]);
  });

  it("[O15] but not one that the empty list leads to", () => {
    const config = main(
      {
        "Socket-1": { materia: "Text", advance: {}, edges: [onward("Socket-1")] },
        "Socket-2": { materia: "Plan", edges: [onward("Socket-1")] },
      },
      { L: { sockets: ["Socket-1"], exits: [leaving("Socket-1", "always", "Socket-2")] } },
    );
    expect(errorsOf(config)).toEqual([]);
  });

  it("[H14] a loop that walks no list has no item", () => {
    const sockets = { "Socket-1": { materia: "Text", assign: { k: "item.title" }, edges: [onward("end")] } };
    expect(errorsOf(main(sockets, { L: { sockets: ["Socket-1"] } }))).toEqual([
      "error item_outside_loop sockets.Socket-1.assign.k",
    ]);
  });

  it("[H16] state that is no list fails the cast at once as work items, without a repair turn", async () => {
    const config = graph({
      "Socket-1": { ...seat("Build", always("Socket-2")), assign: { saved: "$" } },
      "Socket-2": { ...seat("Eval"), assign: { workItems: "state.saved" } },
    });
    const { trace, state } = await play(config, { says: { Build: ["ok"], Eval: [YES] } });
    expect(trace).not.toContain("rejected 1");
    const reason = expect.stringContaining("state.saved cannot be put into state.workItems") as string;
    expect(state.phase).toMatchObject({ kind: "ended", reason });
  });

  it.each<[what: string, first: Readonly<Record<string, string>>, second: Readonly<Record<string, string>>]>([
    ["a copy of the work items", { k: "$.workItems" }, { "k.x": "$" }],
    ["a copy of a copy", { k: "$.workItems", j: "state.k" }, { "j.0": "$" }],
    ["the list of a whole handoff", { all: "$" }, { "all.workItems.0": "$" }],
  ])("[H20] no target leads into %s", (_what, first, second) => {
    const sockets = {
      "Socket-1": { materia: "Plan", assign: first, edges: [onward("Socket-2")] },
      "Socket-2": { materia: "Text", assign: second },
    };
    expect(errorsOf(main(sockets))).toEqual([`error bad_assign sockets.Socket-2.assign["${Object.keys(second)[0]}"]`]);
  });

  it("[O16, O8] the exit that an empty list takes is taken, also of a member that never advances", () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", edges: [onward("Socket-2")] },
        "Socket-2": { materia: "Text", edges: [onward("Socket-3")] },
        "Socket-3": { materia: "Text", advance: {}, edges: [onward("Socket-2")] },
        "Socket-4": { materia: "Text" },
      },
      { L: { ...consuming(["Socket-2", "Socket-3"]), exits: [leaving("Socket-2", "always", "Socket-4")] } },
    );
    expect(problems(config).filter((line) => line.includes("exit_never_taken"))).toEqual([]);
  });
});

describe("[G16] every problem at once", () => {
  it("[G16] beside an unknown entry", () => {
    const sockets = { "Socket-1": { materia: "Text", edges: [onward("end"), onward("Socket-1")] } };
    const config = main(sockets);
    const { Main } = config.loadouts as { readonly Main: object };
    expect(errorsOf({ ...config, loadouts: { Main: { ...Main, entry: "nope" } } })).toEqual([
      "error unknown_socket entry",
      "error edge_after_always sockets.Socket-1.edges.1",
    ]);
  });

  it("[G16] beside an assign to a forbidden name", () => {
    const config = main(
      {
        "Socket-1": { materia: "Plan", assign: { constructor: "$" }, edges: [onward("Socket-2")] },
        "Socket-2": { materia: "Text", advance: {}, edges: [onward("Socket-2")] },
        "Socket-3": { materia: "Text" },
      },
      { L: { ...consuming(["Socket-2"]), exits: [leaving("Socket-3", "always", "Socket-3")] } },
    );
    expect(errorsOf(config)).toEqual([
      "error bad_assign sockets.Socket-1.assign.constructor",
      "error exit_not_from_member loops.L.exits.0.from",
    ]);
  });
});
