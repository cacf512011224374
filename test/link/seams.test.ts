import { expect, it } from "vitest";
import { authoredLayout } from "../../src/core/compile/targets/compile.ts";
import { linked } from "../harness/chain.ts";
import { MATERIA, always, consuming, exit, notSatisfied, satisfied } from "../harness/loadouts.ts";

const loadout = (sockets: Readonly<Record<string, object>>, loops: object = {}) => ({
  entry: Object.keys(sockets)[0] ?? "",
  sockets,
  loops,
});
const seat = (materia: string, ...edges: readonly object[]) => ({ materia, edges });

it("[L16] the seam says why", () => {
  expect(linked("loadout:Planning-Consult loadout:Full-Auto").stitches).toEqual([
    {
      from: "Socket-2",
      to: "Socket-3",
      reason:
        'the only socket of "Planning-Consult" that can end (it exhausts its loop without a matching exit) meets the entry of "Full-Auto"',
    },
  ]);
});

it.each<[why: string, sockets: Readonly<Record<string, object>>]>([
  ["it has no edges", { "Socket-1": seat("Text") }],
  ["an answer has no edge", { "Socket-1": seat("Json", notSatisfied("Socket-1", 2)) }],
  ['its "always" edge leads to end', { "Socket-1": seat("Text", always("end")) }],
  [
    'its "not_satisfied" edge leads to end when it is used up',
    {
      "Socket-1": seat(
        "Json",
        satisfied("Socket-1", 1),
        { ...notSatisfied("Socket-1", 1), then: "end" },
        always("Socket-1"),
      ),
    },
  ],
])("[L16] the seam says why: %s", (why, sockets) => {
  const chain = linked("First Text", { materia: MATERIA, loadouts: { First: loadout(sockets) } });
  expect(chain.stitches[0]?.reason).toContain(`(${why})`);
});

it("[L16] a seam changes the ways to the end, and no loop that does not lead there", () => {
  const walk = (id: string) => ({ materia: "Text", advance: {}, edges: [always(id)] });
  const sockets = {
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": walk("Socket-2"),
    "Socket-3": seat("Text", always("Socket-4")),
    "Socket-4": walk("Socket-4"),
  };
  const loops = {
    first: consuming(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
    region: { sockets: ["Socket-3"] },
    last: consuming(["Socket-4"], exit("Socket-4", "always", "end")),
  };
  const { graph, stitches } = linked("First Text", {
    materia: MATERIA,
    loadouts: { First: loadout(sockets, loops) },
  });
  expect(stitches[0]?.reason).toContain("(an exit of its loop leads to end)");
  expect(graph.loops["t1-first"]?.exits).toEqual([
    { id: "t1-exit:Socket-2:always", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" },
  ]);
  expect(graph.loops["t1-region"]).not.toHaveProperty("emptyTo");
  expect(graph.loops["t1-last"]?.exits).toEqual([
    { id: "t1-exit:Socket-4:always", from: "Socket-4", condition: "always", targetSocketId: "Socket-5" },
  ]);
  expect([graph.sockets["Socket-1"]?.loop, graph.loops["t1-region"]?.from]).toEqual([null, null]);
});

it("[L16] a member that leaves its loop by an edge, without advancing, gets no exit", () => {
  const sockets = {
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": seat("Json", satisfied("Socket-3"), always("end")),
    "Socket-3": { materia: "Json", advance: {}, edges: [always("Socket-2")] },
    "Socket-4": seat("Text", always("Socket-1", 1)),
  };
  const each = consuming(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-4"));
  const { graph } = linked("First Text", { materia: MATERIA, loadouts: { First: loadout(sockets, { each }) } });
  expect(graph.loops["t1-each"]?.exits).toHaveLength(1);
});

it("[L12] what follows the last traversal is renamed with its socket", () => {
  const ending = { ...notSatisfied("Socket-10", 1), then: "Socket-10" };
  const first = loadout({ "Socket-10": seat("Json", ending, always("Socket-2")), "Socket-2": seat("Text") });
  const { graph } = linked("Text First", { materia: MATERIA, loadouts: { First: first } });
  expect(graph.sockets["Socket-3"]?.edges).toEqual([
    { when: "not_satisfied", to: "Socket-3", maxTraversals: 1, then: "Socket-3" },
    { when: "always", to: "Socket-2" },
  ]);
});

it("[W39] sockets have the places that the authors of their loadouts gave, in a chain under their new ids", () => {
  const layout = { "Socket-1": { x: 1, y: 2 } };
  const placed = { materia: MATERIA, loadouts: { Placed: { ...loadout({ "Socket-1": seat("Text") }), layout } } };
  const layouts = ["Placed", "Text", "Text Placed"].map((typed) => authoredLayout(linked(typed, placed)));
  expect(layouts).toEqual([layout, {}, { "Socket-2": { x: 1, y: 2 } }]);
});
