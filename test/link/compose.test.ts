import { describe, expect, it } from "vitest";
import { compileTargets, socketOrigins } from "../../src/core/compile/targets/compile.ts";
import { always, consuming, exit, notSatisfied, satisfied } from "../harness/loadouts.ts";
import { catalogWith, link, linked, waysOf } from "../harness/chain.ts";

const MATERIA = {
  Text: { prompt: "Write." },
  Json: { prompt: "Judge.", parse: "json", assign: { verdict: "$.context" } },
  Plan: { prompt: "Plan.", generator: true },
};
const loadout = (sockets: Readonly<Record<string, object>>, loops: object = {}) => ({
  entry: Object.keys(sockets)[0] ?? "",
  sockets,
  loops,
});
const seat = (materia: string, ...edges: readonly object[]) => ({ materia, edges });

const config = {
  materia: MATERIA,
  loadouts: {
    Line: loadout({
      "Socket-10": seat("Text", always("Socket-2")),
      "Socket-2": seat("Json", notSatisfied("Socket-10", 2)),
    }),
    Loop: loadout(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": {
          materia: "Json",
          advance: { when: "satisfied" },
          edges: [notSatisfied("Socket-2", 3), always("Socket-2")],
        },
      },
      { each: consuming(["Socket-2"]) },
    ),
    Exits: loadout(
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { materia: "Json", advance: {}, edges: [always("Socket-2")] },
        "Socket-3": seat("Text"),
      },
      { each: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")) },
    ),
    Named: loadout({
      work: seat("Text", always("Socket-3")),
      "Socket-3": seat("Text", always("after")),
      after: seat("Text"),
    }),
    Fork: loadout({
      "Socket-1": seat("Json", satisfied("Socket-2"), always("Socket-3")),
      "Socket-2": seat("Text"),
      "Socket-3": seat("Text"),
    }),
    Round: loadout({ "Socket-1": seat("Text", always("Socket-2")), "Socket-2": seat("Text", always("Socket-1")) }),
    Lost: loadout({ "Socket-1": seat("Text"), "Socket-2": seat("Text") }),
    Faulty: loadout({ "Socket-1": seat("Text", satisfied("end")) }),
  },
};

describe("[L10, L11, L12] the virtual loadout", () => {
  it("[L10] a materia becomes one socket with its own parse and assign", () => {
    const { graph } = linked("Json", config);
    expect(graph.sockets).toMatchObject({
      "Socket-1": { materia: "Json", parse: "json", edges: [], assign: [{ target: ["verdict"], path: ["context"] }] },
    });
  });

  it("[L10, L12] a loadout keeps its graph, and every reference follows the new numbers", () => {
    const { graph } = linked("Text Loop Exits", config);
    expect(graph.entry).toBe("Socket-1");
    expect(waysOf(linked("Text Loop Exits", config))).toEqual([
      "Socket-1 always → Socket-2",
      "Socket-2 always → Socket-3",
      "Socket-3 not_satisfied → Socket-3 x3",
      "Socket-3 always → Socket-3",
      "Socket-4 always → Socket-5",
      "Socket-5 always → Socket-5",
      "Socket-3 exit always → Socket-4",
      "Socket-5 exit always → Socket-6",
    ]);
    expect(graph.loops).toMatchObject({
      "t2-each": { id: "t2-each", sockets: ["Socket-3"], from: "Socket-2", items: ["workItems"] },
      "t3-each": { id: "t3-each", sockets: ["Socket-5"], from: "Socket-4", exits: [{ id: "t3-exit:Socket-2:always" }] },
    });
    expect(graph.sockets["Socket-3"]).toMatchObject({ loop: "t2-each", advance: "satisfied", parse: "json" });
  });

  it("[L12] sockets are numbered by target, then by number, then by name", () => {
    expect(socketOrigins(linked("Named Line", config).graph)).toEqual([
      { socket: "Socket-1", target: 1, name: "Named", source: "Socket-3" },
      { socket: "Socket-2", target: 1, name: "Named", source: "after" },
      { socket: "Socket-3", target: 1, name: "Named", source: "work" },
      { socket: "Socket-4", target: 2, name: "Line", source: "Socket-2" },
      { socket: "Socket-5", target: 2, name: "Line", source: "Socket-10" },
    ]);
  });

  it("[L11] one target keeps its own ids, whether it is cast or linked", () => {
    const cast = compileTargets([{ kind: "loadout", name: "Named" }], catalogWith(config));
    expect(link("Named", config).ok && linked("Named", config).graph).toEqual(cast.ok && cast.value.graph);
    expect(Object.keys(linked("Named", config).graph.sockets)).toEqual(["Socket-3", "after", "work"]);
  });

  it("[L10] targets of one name stand side by side", () => {
    const { graph, id } = linked("Loop Loop", config);
    expect([Object.keys(graph.sockets), Object.keys(graph.loops)]).toEqual([
      ["Socket-1", "Socket-2", "Socket-3", "Socket-4"],
      ["t1-each", "t2-each"],
    ]);
    expect([id, graph.name]).toEqual(["Loop → Loop", "Loop → Loop"]);
  });
});

describe("stitching", () => {
  /** A first part, and the ways that lead from it to the `LineText` behind it. */
  it.each<[title: string, sockets: Readonly<Record<string, object>>, loops: object, onward: readonly string[]]>([
    ["[L15] a socket without edges", { "Socket-1": seat("Text") }, {}, ["Socket-1 always"]],
    ["[L15] an edge to end", { "Socket-1": seat("Text", always("end", 1)) }, {}, ["Socket-1 always x1"]],
    [
      "[L15, L16] several ways of one socket are one terminal, and all lead on",
      { "Socket-1": seat("Json", satisfied("end"), notSatisfied("end", 2)) },
      {},
      ["Socket-1 satisfied", "Socket-1 not_satisfied x2", "Socket-1 always"],
    ],
    [
      "[L15] an answer without an edge",
      { "Socket-1": seat("Json", notSatisfied("Socket-1", 2)) },
      {},
      ["Socket-1 always"],
    ],
    [
      "[L15] a loop that it exhausts without an exit",
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { materia: "Text", advance: {}, edges: [always("Socket-2")] },
      },
      { each: consuming(["Socket-2"]) },
      ["Socket-2 exit always"],
    ],
    [
      "[L15, L16] a loop with an exit for one outcome, and the answer is asked for as before",
      {
        "Socket-1": seat("Plan", always("Socket-2")),
        "Socket-2": { materia: "Json", advance: {}, edges: [always("Socket-2")] },
        "Socket-3": seat("Text", always("Socket-1", 1)),
      },
      { each: consuming(["Socket-2"], exit("Socket-2", "not_satisfied", "Socket-3")) },
      ["Socket-2 exit satisfied"],
    ],
  ])("%s", (_title, sockets, loops, onward) => {
    const chain = linked("First Text", { materia: MATERIA, loadouts: { First: loadout(sockets, loops) } });
    const next = `Socket-${Object.keys(sockets).length + 1}`;
    const leading = waysOf(chain).flatMap((way) => (way.includes(`→ ${next}`) ? [way.replace(` → ${next}`, "")] : []));
    expect(leading).toEqual(onward);
    expect(waysOf(chain).some((way) => way.endsWith("→ end"))).toBe(false);
    expect(chain.stitches).toMatchObject([{ from: onward[0]?.split(" ")[0], to: next }]);
  });

  it("[L15] a socket that nothing reaches is no terminal", () => {
    expect(linked("Lost Text", config).stitches).toMatchObject([{ from: "Socket-1", to: "Socket-3" }]);
  });

  /** A loop whose second member only a socket leads to that nothing reaches. */
  const locked = (...edges: readonly object[]) => ({
    materia: MATERIA,
    loadouts: {
      First: loadout(
        {
          "Socket-1": seat("Plan", always("Socket-2")),
          "Socket-2": seat("Json", { ...notSatisfied("Socket-2", 1), then: "next" }, ...edges),
          "Socket-3": { materia: "Text", advance: {}, edges: [] },
          "Socket-4": seat("Text", always("Socket-3")),
        },
        { each: consuming(["Socket-2", "Socket-3"]) },
      ),
    },
  });

  it("[L15, G28] what nothing reaches opens no door to a loop, so a member behind it is no terminal", () => {
    expect(linked("First Text", locked()).stitches).toMatchObject([{ from: "Socket-2" }]);
    const endless = link("First Text", locked(always("Socket-2")));
    expect(endless.ok ? [] : endless.issues).toMatchObject([{ code: "missing_terminal" }]);
  });

  it("[O11, G28] the item after one that was given up begins at the entry of its pass, not at another", () => {
    const sockets = {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Json", { ...satisfied("Socket-2", 1), then: "next" }),
      "Socket-3": { materia: "Json", advance: {}, edges: [] },
      "Socket-4": seat("Plan", notSatisfied("Socket-3")),
      "Socket-5": { materia: "Text", advance: {}, edges: [] },
    };
    const each = {
      sockets: ["Socket-2", "Socket-3"],
      exits: [exit("Socket-2", "always", "Socket-4"), exit("Socket-3", "always", "Socket-5")],
    };
    const last = { sockets: ["Socket-5"], consumes: { from: "Socket-4", output: "workItems" } };
    expect(link("First", { materia: MATERIA, loadouts: { First: loadout(sockets, { each, last }) } }).ok).toBe(true);
  });

  it("[L16] an empty list that would have ended the cast leads on", () => {
    expect(linked("Loop Text", config).graph.loops["t1-each"]).toMatchObject({ emptyTo: "Socket-3" });
  });

  it("[L17] the last target may end wherever it likes, or nowhere", () => {
    expect(waysOf(linked("Text Fork", config))).toContain("Socket-2 satisfied → Socket-3");
    expect(link("Text Fork", config).ok).toBe(true);
    expect(link("Text Round", config).ok).toBe(true);
  });

  it.each<[title: string, typed: string, code: string, said: readonly string[]]>([
    [
      "[L18] several terminals",
      "Text Fork Named",
      "ambiguous_terminal",
      ['"Fork" can end at 2 sockets', "Socket-2 (Text)", "Socket-3 (Text)", 'work (Text) of "Named"'],
    ],
    ["[L18] no terminal", "Text Round Loop", "missing_terminal", ['"Round" never ends', 'Socket-1 (Plan) of "Loop"']],
  ])("%s: named as the user named them", (_title, typed, code, said) => {
    const result = link(typed, config);
    const [issue] = result.ok ? [] : result.issues;
    expect(issue).toMatchObject({ code, hint: expect.stringContaining("the sockets to join cannot be named yet") });
    for (const part of said) expect(issue?.message).toContain(part);
  });

  it("[L18] every bad seam at once", () => {
    const result = link("Fork Round Fork Text", config);
    const codes = result.ok ? [] : result.issues.map(({ code }) => code);
    expect(codes.toSorted()).toEqual(["ambiguous_terminal", "ambiguous_terminal", "missing_terminal"]);
  });

  it("[L19] a fault of a target is refused with its place in the user's file, also beside other targets", () => {
    const result = link("Text Faulty", config);
    expect(result.ok ? [] : result.issues).toMatchObject([
      { code: "guard_needs_json", file: "test.json", path: ["loadouts", "Faulty", "sockets", "Socket-1", "edges", 0] },
    ]);
  });
});
