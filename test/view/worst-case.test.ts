import { describe, expect, it } from "vitest";
import { type TurnFormula, worstCase } from "../../src/core/compile/worst-case.ts";
import { buildFlow } from "../../src/core/compile/flow.ts";
import { worstCaseText } from "../../src/core/view/graph/labels.ts";
import { fullAuto, graphOf } from "../harness/build.ts";

describe("[G23] the worst case in words", () => {
  it.each<[string, TurnFormula, TurnFormula, string]>([
    ["nothing but programs", {}, {}, "at most 0 turns"],
    ["one turn", { "": 1 }, { "": 1 }, "at most 1 turn"],
    ["repairs only where they add something", { "": 7 }, { "": 11 }, "at most 7 turns; 11 with every repair"],
    ["no constant", { a: 9 }, { a: 9 }, "at most 9 n turns (n work items)"],
    [
      "one turn per item",
      { "": 1, a: 1 },
      { "": 1, a: 2 },
      "at most 1 + n turns (n work items); 1 + 2 n with every repair",
    ],
    [
      "several loops",
      { "": 3, a: 9, b: 4 },
      { "": 5, a: 14, b: 8 },
      "at most 3 + 9 n₁ + 4 n₂ turns (n₁ items of the loop a, n₂ items of the loop b); 5 + 14 n₁ + 8 n₂ with every repair",
    ],
    ["a count beyond whole numbers", { "": 2 ** 60 }, { "": 2 ** 60 }, "at most 1.2e18 turns"],
  ])("%s", (_title, turns, withRepairs, text) => {
    expect(worstCaseText(fullAuto(), { turns, withRepairs })).toBe(text);
  });

  it("a list of another name is named", () => {
    const graph = graphOf({
      entry: "Socket-2",
      sockets: {
        "Socket-2": {
          materia: "Auto-Plan",
          parse: "json",
          assign: { tickets: "$.workItems" },
          edges: [{ when: "always", to: "Socket-1" }],
        },
        "Socket-1": {
          materia: "Build",
          advance: { items: "state.tickets" },
          edges: [{ when: "always", to: "Socket-1" }],
        },
      },
      loops: { l: { sockets: ["Socket-1"] } },
    });
    expect(worstCaseText(graph, { turns: { l: 2 }, withRepairs: { l: 2 } })).toBe(
      "at most 2 n turns (n items of state.tickets)",
    );
  });

  it("no bound names the way round that nothing ends", () => {
    const each = (name: string, target: string) => ({
      sockets: [name],
      consumes: { from: "Socket-1", output: "workItems" as const },
      exits: [{ id: "x", from: name, condition: "always" as const, targetSocketId: target }],
    });
    const graph = graphOf(
      {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-3": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-3" }] },
        },
        loops: { make: each("Socket-2", "Socket-3"), test: each("Socket-3", "Socket-2") },
      },
      { Plan: { prompt: "Plan.", generator: true } },
    );
    const worst = worstCase(graph, buildFlow(graph), { maxNoAdvanceCycles: 3, maxRepairs: 1 });
    expect(worst.turns).toBeNull();
    expect(worstCaseText(graph, worst)).toBe(
      "no bound: nothing ends the way round the loop make and the loop test: " +
        "no exit is counted, and each pass begins anew; lead it through a socket outside loops",
    );
  });
});
