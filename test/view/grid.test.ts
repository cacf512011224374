import { describe, expect, it } from "vitest";
import { buildFlow } from "../../src/core/compile/flow.ts";
import type { Graph } from "../../src/core/compile/graph.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";
import { graphJson } from "../../src/core/view/graph/export.ts";
import { gridLines, type GridOptions } from "../../src/core/view/graph/terminal-grid.ts";
import { lineColumns, plainText } from "../../src/core/view/line.ts";
import {
  FULL_AUTO,
  FULL_AUTO_MATERIA,
  compiled,
  emptyGraph,
  fullAuto,
  graphOf,
  type LoadoutInput,
} from "../harness/build.ts";

const LIMITS = { maxNoAdvanceCycles: 3, maxRepairs: 1 };

function drawn(graph: Graph, options: GridOptions = {}): readonly string[] {
  return plainText(gridLines(graph, options)).split("\n");
}

/** The sockets in the order of their rows. */
function order(graph: Graph): readonly string[] {
  return drawn(graph).flatMap((text) => /[●◆] +(\S+)/.exec(text)?.[1] ?? []);
}

function seats(edges: Record<string, NonNullable<LoadoutInput["sockets"][string]["edges"]>>): LoadoutInput["sockets"] {
  return Object.fromEntries(
    Object.entries(edges).map(([materia, list], index) => [
      `Socket-${index + 1}`,
      { materia, ...(list.some(({ when }) => when !== "always") ? { parse: "json" as const } : {}), edges: list },
    ]),
  );
}

describe("[C18] a graph as text", () => {
  it("rail, loop, exits, entry, end and worst case of Full-Auto", () => {
    const graph = fullAuto();
    expect(drawn(graph, { worst: worstCase(graph, buildFlow(graph), LIMITS) })).toEqual([
      "Full-Auto · 7 sockets, 1 loop",
      "",
      "◆ Ignore-Artifacts  Socket-1 · entry · json",
      "│ → Socket-2 (Detect-VCS)",
      "◆ Detect-VCS        Socket-2 · json",
      "│ → Socket-3 (Auto-Plan)",
      "● Auto-Plan         Socket-3 · Generator",
      "│ → Socket-4 (Build)",
      "┏ Loop workItemIteration over the work items of Socket-3 (Auto-Plan)",
      "┃ ● Build           Socket-4",
      "┃ │ → Socket-5 (Auto-Eval)",
      "┃ ● Auto-Eval       Socket-5 · json",
      "┃ │ ✓ satisfied → Socket-6 (Maintain)",
      "┃ │ ✗ not satisfied → Socket-4 (Build), at most 3 times ↑",
      "┃ ● Maintain        Socket-6 · advance",
      "┃ │ → Socket-4 (Build) ↑",
      "┗ exit · always → Socket-7 (Narrate)",
      "● Narrate           Socket-7",
      "│ → end",
      "○ end",
      "",
      "At most 2 + 9 n turns (n work items); 3 + 13 n with every repair.",
    ]);
  });

  it("branches stand beside the rail, the first edge on it; silent ends are said", () => {
    const sockets = seats({
      Check: [
        { when: "satisfied", to: "Socket-2" },
        { when: "not_satisfied", to: "Socket-3" },
      ],
      Left: [{ when: "always", to: "Socket-4" }],
      Right: [{ when: "always", to: "Socket-4" }],
      Join: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 1 }],
    });
    expect(drawn(graphOf({ entry: "Socket-1", sockets })).slice(2)).toEqual([
      "● Check    Socket-1 · entry · json",
      "│ ✓ satisfied → Socket-2 (Left)",
      "│ ✗ not satisfied → Socket-3 (Right)",
      "● Left     Socket-2",
      "│ → Socket-4 (Join)",
      "│ ● Right  Socket-3",
      "│ │ → Socket-4 (Join)",
      "● Join     Socket-4 · json",
      "│ ✗ not satisfied → Socket-1 (Check), at most once ↑",
      "│ otherwise → end",
      "○ end",
    ]);
  });

  it.each<[string, Parameters<typeof seats>[0], readonly string[]]>([
    [
      "a longer way round pushes a socket down",
      {
        A: [
          { when: "satisfied", to: "Socket-3" },
          { when: "always", to: "Socket-2" },
        ],
        B: [{ when: "always", to: "Socket-3" }],
        C: [],
      },
      ["A", "B", "C"],
    ],
    [
      "numbers do not decide",
      { Last: [], First: [{ when: "always", to: "Socket-3" }], Middle: [{ when: "always", to: "Socket-1" }] },
      ["First", "Middle", "Last"],
    ],
  ])("%s", (_title, edges, expected) => {
    const entry = expected[0] === "First" ? "Socket-2" : "Socket-1";
    expect(order(graphOf({ entry, sockets: seats(edges) }))).toEqual(expected);
  });

  it("what nobody reaches stands at the end under its own words", () => {
    const sockets = { "Socket-1": { materia: "Build" }, "Socket-2": { materia: "Lost" } };
    expect(drawn(graphOf({ entry: "Socket-1", sockets })).slice(2)).toEqual([
      "● Build  Socket-1 · entry",
      "│ → end",
      "○ end",
      "",
      "Not reached from the entry:",
      "● Lost   Socket-2",
      "│ → end",
    ]);
  });

  it("a loop says whose exits they are, what they leave open, and how it advances", () => {
    const graph = graphOf(
      {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": {
            materia: "Try",
            parse: "json",
            advance: { when: "satisfied" },
            edges: [{ when: "always", to: "Socket-3" }],
          },
          "Socket-3": { materia: "Retry", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-4": { materia: "Tell" },
        },
        loops: {
          each: {
            sockets: ["Socket-2", "Socket-3"],
            consumes: { from: "Socket-1", output: "workItems" },
            exits: [{ id: "x", from: "Socket-2", condition: "satisfied", targetSocketId: "Socket-4" }],
          },
        },
      },
      { Plan: { prompt: "Plan.", generator: true, interactive: true, label: "The plan" } },
    );
    expect(drawn(graph).slice(2, -1)).toEqual([
      "● Plan     Socket-1 · entry · Generator · Interactive · “The plan”",
      "│ → Socket-2 (Try)",
      "┏ Loop each over the work items of Socket-1 (Plan)",
      "┃ ● Try    Socket-2 · json · advance when satisfied",
      "┃ │ → Socket-3 (Retry)",
      "┃ ● Retry  Socket-3 · advance",
      "┃ │ → Socket-2 (Try) ↑",
      "┃ exit from Socket-2 · ✓ satisfied → Socket-4 (Tell)",
      "┗ exit from Socket-3 · otherwise → end",
      "● Tell     Socket-4",
      "│ → end",
    ]);
  });

  it("a chain is drawn in bands, with its stitches and their reasons", () => {
    const config = {
      materia: { ...FULL_AUTO_MATERIA, Check: { prompt: "Check." } },
      loadouts: { "Full-Auto": FULL_AUTO },
    };
    const { graph, stitches } = compiled(config, "Check", "Full-Auto");
    const lines = drawn(graph, { stitches });
    expect(lines.slice(2, 6)).toEqual([
      "── 1 · Check",
      "● Check             Socket-1 · entry",
      "│ stitch 1 → Socket-2 (Ignore-Artifacts)",
      "── 2 · Full-Auto",
    ]);
    expect(lines).toContain("◆ Detect-VCS        Socket-3 · json · was Socket-2");
    expect(lines.slice(-3)).toEqual([
      "Stitch 1: Socket-1 (Check) → Socket-2 (Ignore-Artifacts)",
      '  the only socket of "Check" that can end (it has no edges) meets the entry of',
      '  "Full-Auto"',
    ]);
  });

  it("no sockets, and one", () => {
    expect(drawn(emptyGraph(), { worst: { turns: {}, withRepairs: {} } })).toEqual(["Empty · no sockets", ""]);
    const one = graphOf({ entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } });
    expect(drawn(one)).toEqual(["Test · 1 socket", "", "● Build  Socket-1 · entry", "│ → end", "○ end"]);
  });

  it("300 sockets: each once, in order, within the width", () => {
    const graph = graphOf({ entry: "Socket-1", sockets: chain(300) });
    expect(order(graph)).toEqual(Array.from({ length: 300 }, (_, index) => `M${index + 1}`));
    for (const width of [20, 40, 80]) {
      expect(Math.max(...gridLines(graph, { width }).map(lineColumns))).toBeLessThanOrEqual(width);
    }
  });

  it("a long name gives way, what stands behind it stays", () => {
    const sockets = {
      "Socket-1": {
        materia: "N".repeat(100),
        parse: "json" as const,
        edges: [{ when: "not_satisfied" as const, to: "Socket-1", maxTraversals: 3 }],
      },
    };
    const lines = drawn(graphOf({ entry: "Socket-1", sockets }), { width: 60 });
    expect(lines[2]).toMatch(/^● N+…  Socket-1 · entry · json$/);
    expect(lines[3]).toMatch(/^│ ✗ not satisfied → Socket-1 \(N+…, at most 3 times ↑$/);
  });
});

function chain(length: number): LoadoutInput["sockets"] {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `Socket-${index + 1}`,
      { materia: `M${index + 1}`, edges: index + 1 === length ? [] : [{ when: "always", to: `Socket-${index + 2}` }] },
    ]),
  );
}

describe("[C18] a graph as data", () => {
  it("edges with separate ids, exits under the id that drawings use", () => {
    const { name, entry, sockets, edges, loops } = graphJson(fullAuto());
    expect([name, entry, sockets.map(({ id }) => id).join(" ")]).toEqual([
      "Full-Auto",
      "Socket-1",
      "Socket-1 Socket-2 Socket-3 Socket-4 Socket-5 Socket-6 Socket-7",
    ]);
    expect(edges.slice(5)).toEqual([
      { id: "edge:Socket-5:2", from: "Socket-5", to: "Socket-4", when: "not_satisfied", via: "edge", maxTraversals: 3 },
      { id: "edge:Socket-6:1", from: "Socket-6", to: "Socket-4", when: "always", via: "edge", maxTraversals: null },
      { id: "edge:Socket-7:1", from: "Socket-7", to: "end", when: "always", via: "edge", maxTraversals: null },
      {
        id: "loop-exit:workItemIteration:done",
        from: "Socket-6",
        to: "Socket-7",
        when: "always",
        via: "exit",
        maxTraversals: null,
        loop: "workItemIteration",
      },
    ]);
    expect(loops).toEqual([
      {
        id: "workItemIteration",
        sockets: ["Socket-4", "Socket-5", "Socket-6"],
        from: "Socket-3",
        items: "workItems",
        emptyTo: null,
      },
    ]);
  });

  it("a socket with all that a drawing needs, and the worst case as formula and words", () => {
    const graph = fullAuto();
    const { sockets, worstCase: worst } = graphJson(graph, { worst: worstCase(graph, buildFlow(graph), LIMITS) });
    expect(sockets[4]).toEqual({
      id: "Socket-5",
      materia: "Auto-Eval",
      type: "agent",
      parse: "json",
      generator: false,
      interactive: false,
      gate: false,
      advance: null,
      loop: "workItemIteration",
      returns: ["satisfied"],
      origin: { target: 1, name: "Full-Auto", socket: "Socket-5" },
    });
    expect(worst).toEqual({
      turns: { "": 2, workItemIteration: 9 },
      withRepairs: { "": 3, workItemIteration: 13 },
      text: "at most 2 + 9 n turns (n work items); 3 + 13 n with every repair",
    });
  });
});
