import { expect, it } from "vitest";
import {
  always,
  consuming,
  exit,
  formulas,
  main,
  notSatisfied,
  satisfied,
  type SocketInput,
} from "../harness/loadouts.ts";

const text = (to: string): SocketInput => ({ materia: "Text", edges: [always(to)] });
const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const walks = (id: string, list = {}): SocketInput => ({ materia: "Text", advance: list, edges: [always(id)] });
const judges = (back: string, times?: number): SocketInput => ({
  materia: "Json",
  edges: [notSatisfied(back, times), satisfied("end")],
});
const out = (from: string, to: string) => exit(from, "always", to);
const BUILT = { "Socket-2": text("Socket-3") };

/** Builds and judges an item, with two ways back. */
const judged = (list = {}): SocketInput => ({
  materia: "Json",
  advance: { when: "satisfied", ...list },
  edges: [notSatisfied("Socket-2", 2), satisfied("Socket-2")],
});

it.each([
  ["[G23] programs alone take no turns", main({ "Socket-1": { materia: "Tool" } }), {}],
  [
    "[G23] a loop without a list is weighed as its sockets are",
    main(
      { "Socket-1": text("Socket-2"), "Socket-2": judges("Socket-1", 2) },
      { L: { sockets: ["Socket-1", "Socket-2"] } },
    ),
    { "": 6 },
  ],
  [
    "[G23] a loop that nobody was asked before",
    main(
      {
        "Socket-1": { materia: "Tool", edges: [always("Socket-2")] },
        "Socket-2": walks("Socket-2", { items: "state.list" }),
      },
      { L: { sockets: ["Socket-2"] } },
    ),
    { L: 1 },
  ],
  [
    "[G23] of two loops the second is passed three times, the first once",
    main(
      {
        "Socket-1": { materia: "Plan", edges: [always("Socket-6")] },
        "Socket-5": text("Socket-3"),
        "Socket-3": walks("Socket-3"),
        "Socket-4": judges("Socket-5", 2),
        "Socket-6": walks("Socket-6"),
      },
      {
        A: consuming(["Socket-6"], out("Socket-6", "Socket-5")),
        B: consuming(["Socket-3"], out("Socket-3", "Socket-4")),
      },
    ),
    { "": 7, A: 1, B: 3 },
  ],
  [
    "[G23] what nothing reaches makes no item longer",
    main(
      { "Socket-1": plan, ...BUILT, "Socket-3": judged(), "Socket-4": text("Socket-3") },
      { L: consuming(["Socket-2", "Socket-3"]) },
    ),
    { "": 1, L: 6 },
  ],
  [
    "[G23] an item that leads into another loop",
    main(
      {
        "Socket-1": plan,
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-3"), satisfied("Socket-2")],
        },
        "Socket-3": walks("Socket-3"),
      },
      { A: consuming(["Socket-2"]), B: consuming(["Socket-3"]) },
    ),
    { "": 1, A: 1, B: 1 },
  ],
])("%s", (_rule, config, turns) => {
  expect(formulas(config).turns).toEqual(turns);
});

it("[G23] an empty loop that leads back into an item makes no item longer", () => {
  const config = main(
    {
      "Socket-1": plan,
      "Socket-2": {
        materia: "Json",
        advance: { when: "satisfied" },
        edges: [notSatisfied("Socket-3", 1), satisfied("Socket-2")],
      },
      "Socket-3": walks("Socket-3"),
    },
    { A: consuming(["Socket-2"]), B: consuming(["Socket-3"], out("Socket-3", "Socket-2")) },
  );
  expect(formulas(config).turns?.["A"]).toBe(2);
});

it("[G37] a loop that an empty loop of another list leads back into has no bound", () => {
  const rounds = (list: string) => {
    const config = main(
      {
        "Socket-1": { ...plan, assign: { list: "$.workItems" } },
        "Socket-2": { ...walks("Socket-2"), materia: "Plan" },
        "Socket-3": text("Socket-4"),
        "Socket-4": { materia: "Tool", advance: { items: list }, edges: [] },
      },
      {
        A: { sockets: ["Socket-2"], exits: [out("Socket-2", "Socket-4")] },
        B: { sockets: ["Socket-3", "Socket-4"], exits: [out("Socket-3", "Socket-2")] },
      },
    );
    return formulas(config).turns;
  };
  expect([rounds("state.list"), rounds("state.workItems")]).toEqual([null, { "": 1, A: 1 }]);
});

it("[G26] what an item does freely again is done in every pass, what is counted once for its list", () => {
  const config = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-5")] },
      "Socket-5": text("Socket-2"),
      "Socket-2": { materia: "Json", edges: [notSatisfied("Socket-2"), satisfied("Socket-3")] },
      "Socket-3": judged(),
      "Socket-4": judges("Socket-5", 2),
    },
    { L: consuming(["Socket-2", "Socket-3"], out("Socket-3", "Socket-4")) },
    { limits: { maxNoAdvanceCycles: 1 } },
  );
  const ofItems = formulas(config).turns?.["L"] ?? 0;
  expect(ofItems).toBeGreaterThanOrEqual(3 * 3 + 6);
  expect(ofItems).toBeLessThanOrEqual(3 * 3 + 8);
});

/** A list that is walked three times, and who may make it. */
const again = (first: SocketInput, items: string) =>
  main(
    {
      "Socket-1": first,
      "Socket-5": { materia: "Json", assign: { other: "$.workItems" }, edges: [always("Socket-2")] },
      ...BUILT,
      "Socket-3": judged({ items }),
      "Socket-4": judges("Socket-5", 2),
    },
    { L: { sockets: ["Socket-2", "Socket-3"], exits: [out("Socket-3", "Socket-4")] } },
  );

it.each([
  ["[G26] who makes another list does not make this one anew", "state.list", 3 * 2 + 4],
  [
    "[G26] what an earlier cast left is one list, and what a program may make of it another",
    "state.previousCastContext.list",
    3 * 2 + 2 * 4,
  ],
])("%s", (_rule, items, ofItems) => {
  const tool: SocketInput = { materia: "Tool", edges: [always("Socket-5")] };
  expect(formulas(again(tool, items)).turns?.["L"]).toBe(ofItems);
});

it("[G26] a list that the items of another loop make may be another one in every pass", () => {
  const config = main(
    {
      "Socket-1": { materia: "Plan", edges: [always("Socket-6")] },
      "Socket-6": { materia: "Tool", advance: {}, edges: [always("Socket-6")] },
      ...BUILT,
      "Socket-3": judged({ items: "state.list" }),
      "Socket-7": text("Socket-2"),
      "Socket-4": judges("Socket-7", 2),
    },
    {
      A: consuming(["Socket-6"], out("Socket-6", "Socket-7")),
      B: { sockets: ["Socket-2", "Socket-3"], exits: [out("Socket-3", "Socket-4")] },
    },
  );
  expect(formulas(config).turns?.["B"]).toBe(3 * (2 + 4));
});
