import { describe, expect, it } from "vitest";
import {
  allowedTurns,
  always,
  consuming,
  exit,
  formulas,
  items,
  main,
  notSatisfied,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";
import { play, type Said, type TestConfig } from "../harness/play.ts";

const YES = { satisfied: true };
const NO = { satisfied: false, context: "not yet" };

const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const last: SocketInput = { materia: "Text" };

/** Plan, then per item build, judge and tidy with `reworks` ways back, then one more turn. */
const workflow = (reworks: number) =>
  main(
    {
      "Socket-1": plan,
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Json", edges: [notSatisfied("Socket-2", reworks), satisfied("Socket-4")] },
      "Socket-4": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-5": last,
    },
    { L: consuming(["Socket-2", "Socket-3", "Socket-4"], exit("Socket-4", "always", "Socket-5")) },
  );

const round = (edge: object, limits: Readonly<Record<string, number>> = {}) =>
  main(
    { "Socket-1": { materia: "Json", edges: [{ when: "not_satisfied", to: "Socket-1", ...edge }] } },
    {},
    { limits },
  );

/** Plan, a loop of one socket, and a judge who may send everything back to the plan. */
const planned = (edge: object) =>
  main(
    {
      "Socket-1": plan,
      "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      "Socket-3": { materia: "Json", edges: [{ when: "not_satisfied", to: "Socket-1", ...edge }] },
    },
    { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
  );

describe("[G23] the formula", () => {
  it.each([
    ["[G23] one socket", main({ "Socket-1": last }), { "": 1 }],
    ["[G23] a chain", main({ "Socket-1": { ...last, edges: [always("Socket-2")] }, "Socket-2": last }), { "": 2 }],
    [
      "[G23] utilities have no turns",
      main({ "Socket-1": { materia: "Tool", edges: [always("Socket-2")] }, "Socket-2": last }),
      { "": 1 },
    ],
    [
      "[G23] the longer of two branches",
      main({ "Socket-1": { materia: "Json", edges: [satisfied("Socket-2"), always("end")] }, "Socket-2": last }),
      { "": 2 },
    ],
    ["[G23] sockets that nobody reaches", main({ "Socket-1": last, "Socket-2": last }), { "": 1 }],
    ["[G23] a counted way back", round({ maxTraversals: 5 }), { "": 6 }],
    ["[G23] a way back that nothing counts", round({}), { "": 4 }],
    ["[G23] with another limit of returns", round({}, { maxNoAdvanceCycles: 0 }), { "": 1 }],
    ["[G23] a loop with reworks", workflow(3), { "": 2, L: 9 }],
    ["[G23] a plan made anew, counted", planned({ maxTraversals: 2 }), { "": 6, L: 3 }],
    ["[G23] a plan made anew, uncounted", planned({}), { "": 8, L: 4 }],
  ])("%s", (_rule, config, turns) => {
    expect(formulas(config).turns).toEqual(turns);
  });

  it("[G23] repairs add to sockets that hand over JSON, and to no others", () => {
    expect(formulas({ ...workflow(1), limits: { maxRepairs: 2 } })).toEqual({
      turns: { "": 2, L: 5 },
      withRepairs: { "": 4, L: 9 },
    });
  });

  it.each<[rule: string, materia: string, back: string, ofItems: number]>([
    ["[G26] the same list again: its reworks are used up once", "Plan", "Socket-5", 3 * 2 + 4],
    ["[G26] an agent's list made anew: its reworks begin again", "Plan", "Socket-1", 3 * (2 + 4)],
    ["[G26] so do those of a list that a program may have made", "Tool", "Socket-1", 3 * (2 + 4)],
  ])("%s", (_rule, materia, back, ofItems) => {
    const sockets = {
      "Socket-1": { materia, edges: [always("Socket-5")] },
      "Socket-5": { materia: "Text", edges: [always("Socket-2")] },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": {
        materia: "Json",
        advance: { when: "satisfied", ...(materia === "Tool" ? { items: "state.list" } : {}) },
        edges: [notSatisfied("Socket-2", 2), satisfied("Socket-2")],
      },
      "Socket-4": { materia: "Json", edges: [notSatisfied(back, 2)] },
    };
    const loop = { sockets: ["Socket-2", "Socket-3"], exits: [exit("Socket-3", "always", "Socket-4")] };
    const from = materia === "Plan" ? { consumes: { from: "Socket-1", output: "workItems" } } : {};
    expect(formulas(main(sockets, { L: { ...loop, ...from } })).turns?.["L"]).toBe(ofItems);
  });

  it.each(["toString", "valueOf"])("[G23] a loop named %s counts like any other", (id) => {
    const sockets = { "Socket-1": plan, "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] } };
    expect(formulas(main(sockets, { [id]: consuming(["Socket-2"]) })).turns).toEqual({ "": 1, [id]: 1 });
  });
});

describe("[G24] no cast takes more turns than its formula", () => {
  it.each<[rule: string, config: TestConfig, says: Readonly<Record<string, readonly Said[]>>]>([
    [
      "[G24] every rework of every item",
      workflow(3),
      { Plan: [items("a", "b")], Json: [NO, NO, NO, YES, NO, NO, NO, YES] },
    ],
    ["[G24] a counted way back", round({ maxTraversals: 5 }), { Json: [NO] }],
    ["[G24] a way back that nothing counts", round({}), { Json: [NO] }],
    [
      "[G24] a plan made anew, as often as it may be",
      planned({ maxTraversals: 2 }),
      { Plan: [items("a", "b")], Json: [NO] },
    ],
  ])("%s: it takes exactly as many", async (_rule, config, says) => {
    const played = await play(config, { says });
    expect(played.asked).toHaveLength(allowedTurns(formulas(config).turns, played));
  });

  it("[G24] a plan made anew with more items is bounded by the longest list", async () => {
    const config = planned({ maxTraversals: 1 });
    const played = await play(config, { says: { Plan: [items("a"), items("a", "b", "c")], Json: [NO, YES] } });
    expect(played.asked.length).toBeLessThanOrEqual(allowedTurns(formulas(config).turns, played));
  });

  it("[G24] a counted edge out of a loop that leads to a new plan", async () => {
    const config = main(
      {
        "Socket-1": plan,
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-1", 1), satisfied("Socket-2")],
        },
      },
      { L: consuming(["Socket-2"]) },
    );
    const refusals = Array.from({ length: 100 }, () => NO);
    const played = await play(config, { says: { Plan: [items("a")], Json: [...refusals, YES] } });
    expect(played.asked.length).toBeLessThanOrEqual(allowedTurns(formulas(config).turns, played));
  });

  it("[G24] a counted edge out of a loop whose plan is made anew elsewhere", async () => {
    const config = main(
      {
        "Socket-1": plan,
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-3", 1), satisfied("Socket-2")],
        },
        "Socket-3": { materia: "Text", edges: [always("Socket-2")] },
        "Socket-4": { materia: "Json", edges: [notSatisfied("Socket-1", 3)] },
      },
      { L: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-4")) },
    );
    const says = {
      Plan: [items("a")],
      "Socket-2": Array.from({ length: 20 }, (_, turn) => (turn % 2 === 0 ? NO : YES)),
      "Socket-4": [NO],
    };
    const played = await play(config, { says });
    expect(played.asked.length).toBeLessThanOrEqual(allowedTurns(formulas(config).turns, played));
  });

  it("[G24] a loop that an empty one leads into at another member", async () => {
    const config = main(
      {
        "Socket-7": { materia: "Tool", edges: [always("Socket-1")] },
        "Socket-1": plan,
        "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
        "Socket-3": { materia: "Text", advance: { items: "state.none" }, edges: [always("Socket-2")] },
        "Socket-4": { materia: "Text", advance: {}, edges: [always("Socket-4")] },
        "Socket-5": { materia: "Text", edges: [always("Socket-6")] },
        "Socket-6": { materia: "Text", edges: [always("Socket-4")] },
      },
      {
        A: {
          sockets: ["Socket-2", "Socket-3"],
          exits: [exit("Socket-2", "always", "Socket-5"), exit("Socket-3", "always", "Socket-4")],
        },
        B: consuming(["Socket-4", "Socket-5", "Socket-6"]),
      },
    );
    const played = await play(config, { says: { Plan: [items("a")], Tool: ["{}"] } });
    expect(played.asked.length).toBeLessThanOrEqual(allowedTurns(formulas(config).turns, played));
  });

  it("[G36] with repairs, a text socket that assigns may repeat, and an interactive socket has one more turn", () => {
    const one = (socket: object, materia: object, maxRepairs: number) =>
      formulas(
        main(
          { "Socket-1": { materia: "M", ...socket } },
          {},
          { materia: { M: { prompt: "x", ...materia } }, limits: { maxRepairs } },
        ),
      ).withRepairs;
    expect(one({}, {}, 2)).toEqual({ "": 1 });
    expect(one({ assign: { workItems: "$" } }, {}, 2)).toEqual({ "": 3 });
    expect(one({}, { parse: "json", interactive: true }, 2)).toEqual({ "": 4 });
    expect(one({}, { parse: "json", interactive: true }, 0)).toEqual({ "": 2 });
    expect(one({}, { interactive: true }, 2)).toEqual({ "": 1 });
  });

  it("[G23] what nothing leads to is not counted", () => {
    const sockets = {
      "Socket-1": { materia: "Text" },
      "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
      "Socket-3": { materia: "Text", edges: [always("Socket-2", 4)] },
    };
    expect(formulas(main(sockets)).turns).toEqual({ "": 1 });
  });
});

it("[G37] loops that lead to each other have no bound, also when a program can replace their lists", () => {
  const around = (materia: string, id: string, to: string): [string, SocketInput] => [
    id,
    { materia, advance: { items: "state.plans" }, edges: [always(to)] },
  ];
  const config = main(
    {
      "Socket-1": { materia: "Json", assign: { plans: "$.workItems" }, edges: [always("Socket-2")] },
      ...Object.fromEntries([around("Text", "Socket-2", "Socket-2"), around("Tool", "Socket-3", "Socket-3")]),
    },
    {
      A: { sockets: ["Socket-2"], exits: [exit("Socket-2", "always", "Socket-3")] },
      B: { sockets: ["Socket-3"], exits: [exit("Socket-3", "always", "Socket-2")] },
    },
  );
  expect(formulas(config)).toEqual({ turns: null, withRepairs: null });
});
