import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Graph } from "../../src/core/compile/graph.ts";
import {
  type Box,
  type GraphDrawing,
  type PlacedEdge,
  type Point,
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
  withItemLineRoom,
} from "../../src/core/view/layout/drawing.ts";
import { layoutGraph } from "../../src/core/view/layout/layout.ts";
import { FULL_AUTO, FULL_AUTO_MATERIA, compiled, emptyGraph, fullAuto } from "../harness/build.ts";
import { collisions, drawable, wordy } from "../harness/drawn.ts";
import { always, consuming, exit, main, notSatisfied, satisfied } from "../harness/loadouts.ts";
import { chanceOf, randomConfig } from "../harness/random-graph.ts";

function edgeOf({ edges }: GraphDrawing, id: string): PlacedEdge {
  const edge = edges.find(({ way }) => way.id === id);
  if (!edge) throw new Error(`no edge ${id} among ${edges.map(({ way }) => way.id).join(", ")}`);
  return edge;
}

function boxOf({ sockets }: GraphDrawing, id: string): Box {
  const socket = sockets.find((each) => each.id === id);
  if (!socket) throw new Error(`no socket ${id}`);
  return socket.box;
}

/** Where a route leaves a socket. */
function sideOf(drawing: GraphDrawing, id: string): string {
  const { points, way } = edgeOf(drawing, id);
  const box = boxOf(drawing, way.from);
  const [start] = points;
  return start?.y === box.y + box.height ? "bottom" : start?.x === box.x ? "left" : "right";
}

function holds(box: Box, { x, y }: Point): boolean {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}

const forked = main({
  "Socket-1": { materia: "Json", edges: [satisfied("Socket-2"), notSatisfied("Socket-3")] },
  "Socket-2": { materia: "Text", edges: [always("Socket-4")] },
  "Socket-3": { materia: "Text", edges: [always("Socket-4")] },
  "Socket-4": { materia: "Text" },
});

describe("a drawn graph", () => {
  it("[W1] rows follow the order of the graph, not the numbers of sockets", () => {
    const { sockets } = layoutGraph(fullAuto());
    expect(sockets.map(({ id, row, column }) => `${id} ${row} ${column}`)).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => `Socket-${number} ${number - 1} 0`),
    );
    expect(new Set(sockets.map(({ box }) => box.x)).size).toBe(1);
  });

  it("[W1] a branch stands beside the rail, the first edge stays on it", () => {
    const { sockets } = layoutGraph(drawable(forked));
    expect(sockets.map(({ id, row, column }) => [id, row, column])).toEqual([
      ["Socket-1", 0, 0],
      ["Socket-2", 1, 0],
      ["Socket-3", 1, 1],
      ["Socket-4", 2, 0],
    ]);
  });

  it("[W1] the same graph is drawn the same, and nothing is drawn of nothing", () => {
    expect(layoutGraph(fullAuto(), { longestLabelOf: wordy })).toEqual(
      layoutGraph(fullAuto(), { longestLabelOf: wordy }),
    );
    expect(layoutGraph(emptyGraph())).toMatchObject({ sockets: [], edges: [], loops: [], end: null });
  });

  it.each<[rule: string, id: string, side: string]>([
    ["[W2] on goes down", "edge:Socket-4:1", "bottom"],
    ["[W2] satisfied goes down as well", "edge:Socket-5:1", "bottom"],
    ["[W2] rework goes round the right", "edge:Socket-5:2", "right"],
    ["[W2] a return goes round the left", "edge:Socket-6:1", "left"],
    ["[W2] an exit of the last member goes down", "loop-exit:workItemIteration:done", "bottom"],
  ])("%s", (_rule, id, side) => {
    expect(sideOf(layoutGraph(fullAuto()), id)).toBe(side);
  });

  it("[W2] ways that skip a row run on the right, and every route of a side has a separate lane", () => {
    const drawing = layoutGraph(
      drawable(
        main({
          "Socket-1": { materia: "Json", edges: [satisfied("Socket-2"), notSatisfied("Socket-3"), always("Socket-4")] },
          "Socket-2": { materia: "Text", edges: [always("Socket-3")] },
          "Socket-3": { materia: "Text", edges: [always("Socket-4")] },
          "Socket-4": { materia: "Text" },
        }),
      ),
    );
    const lanes = ["edge:Socket-1:2", "edge:Socket-1:3"].map((id) => edgeOf(drawing, id).points[1]?.x ?? 0);
    expect(sideOf(drawing, "edge:Socket-1:2")).toBe("right");
    expect(lanes[1]).toBeGreaterThan(lanes[0] ?? 0);
  });

  it("[W3] a loop holds its members and all its lanes", () => {
    const drawing = layoutGraph(fullAuto(), { longestLabelOf: wordy });
    const [loop] = drawing.loops;
    const inside = ["edge:Socket-4:1", "edge:Socket-5:1", "edge:Socket-5:2", "edge:Socket-6:1"].map((id) =>
      edgeOf(drawing, id),
    );
    const corners = inside.flatMap(({ points, label }) => [
      ...points,
      ...(label ? [label, { x: label.x + label.width, y: label.y + label.height }] : []),
    ]);
    expect(corners.filter((point) => !loop || !holds(loop.box, point))).toEqual([]);
  });

  it("[W3] an exit has a bar on the border, work items end on top of the block", () => {
    const drawing = layoutGraph(fullAuto());
    const box = drawing.loops[0]?.box ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(edgeOf(drawing, "loop-exit:workItemIteration:done").bar).toMatchObject({
      y: box.y + box.height,
      lies: "flat",
    });
    const end = edgeOf(drawing, "items:workItemIteration").points.at(-1);
    expect(end).toMatchObject({ y: box.y });
    expect(end && holds(box, end)).toBe(true);
  });

  it("[W3] an exit of another member leaves by the side", () => {
    const graph = drawable(
      main(
        {
          "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
          "Socket-2": { materia: "Json", advance: { when: "satisfied" }, edges: [always("Socket-3")] },
          "Socket-3": { materia: "Json", advance: {}, edges: [always("Socket-2")] },
          "Socket-4": { materia: "Text" },
        },
        { loop: consuming(["Socket-2", "Socket-3"], exit("Socket-2", "satisfied", "Socket-4")) },
      ),
    );
    const { bar } = edgeOf(layoutGraph(graph), "loop-exit:loop:exit:Socket-2:satisfied");
    expect(bar?.lies).toBe("upright");
  });

  it("[W5] a chain has a band per target and numbered stitches", () => {
    const { graph, stitches } = compiled(
      { materia: FULL_AUTO_MATERIA, loadouts: { "Full-Auto": FULL_AUTO } },
      "Narrate",
      "Full-Auto",
      "Build",
    );
    const drawing = layoutGraph(graph, { stitches, longestLabelOf: wordy });
    expect(drawing.bands.map(({ target, name }) => `${target} ${name}`)).toEqual([
      "1 Narrate",
      "2 Full-Auto",
      "3 Build",
    ]);
    expect(drawing.edges.flatMap(({ stitch }) => stitch ?? [])).toEqual([1, 2]);
    for (const socket of Object.values(graph.sockets)) {
      const band = drawing.bands.find(({ target }) => target === socket.origin.target);
      expect(band && holds(band.box, boxOf(drawing, socket.id))).toBe(true);
    }
    expect(collisions(drawing)).toEqual([]);
  });

  it.each([REGULAR_METRICS, COMPACT_METRICS, scaleMetrics(REGULAR_METRICS, 2)])(
    "[W39] the parts of a chain stand as their authors put them",
    (metrics) => {
      const { graph, stitches } = compiled(
        { materia: FULL_AUTO_MATERIA, loadouts: { "Full-Auto": FULL_AUTO } },
        "Full-Auto",
        "Build",
        "Full-Auto",
        "Narrate",
      );
      // The first one beside the others of its part, and the last part upside down.
      const apart = { "Socket-1": { x: 700, y: 300 } };
      const turned = Object.fromEntries(
        [9, 10, 11, 12, 13, 14, 15].map((id) => [`Socket-${id}`, { x: id * 10, y: 2000 - id * 100 }]),
      );
      const plain = layoutGraph(graph, { metrics, stitches, longestLabelOf: wordy });
      const drawing = layoutGraph(graph, { metrics, stitches, longestLabelOf: wordy, layout: { ...apart, ...turned } });
      const scale = metrics.label.letter / REGULAR_METRICS.label.letter;
      const [low, high] = [boxOf(drawing, "Socket-9"), boxOf(drawing, "Socket-15")];
      expect([high.x - low.x, high.y - low.y]).toEqual([60 * scale, -600 * scale]);
      expect(boxOf(drawing, "Socket-1").x).toBeGreaterThan(boxOf(drawing, "Socket-2").x + metrics.socket.width);
      for (const socket of Object.values(graph.sockets)) {
        const band = drawing.bands.find(({ target }) => target === socket.origin.target);
        const box = boxOf(drawing, socket.id);
        expect(band && holds(band.box, box) && holds(band.box, { x: box.x + box.width, y: box.y + box.height })).toBe(
          true,
        );
      }
      const tops = drawing.bands.map(({ box }) => [box.y, box.y + box.height]).flat();
      expect(tops).toEqual(tops.toSorted((a, b) => a - b));
      expect(collisions(drawing).filter((found) => !/label/.test(found))).toEqual([]);
      expect(layoutGraph(graph, { metrics, stitches, longestLabelOf: wordy, layout: {} })).toEqual(plain);
    },
  );

  it("[W4] the end is whole at any size", () => {
    for (const metrics of [
      REGULAR_METRICS,
      COMPACT_METRICS,
      scaleMetrics(REGULAR_METRICS, 2),
      scaleMetrics(COMPACT_METRICS, 2),
    ])
      expect(layoutGraph(fullAuto(), { metrics }).end?.x).toBeGreaterThan(0);
    const alone = drawable(main({ "Socket-1": { materia: "Text" } }));
    expect(layoutGraph(alone, { metrics: COMPACT_METRICS }).end?.x).toBeGreaterThan(0);
  });

  it("[W5] 300 sockets are laid out without an overlap", () => {
    const graph = drawable(randomConfig(chanceOf(5), 300));
    const { sockets } = layoutGraph(graph, { longestLabelOf: wordy });
    expect(new Set(sockets.map(({ box }) => `${box.x} ${box.y}`)).size).toBe(Object.keys(graph.sockets).length);
  });

  it.each<[rule: string, make: () => Graph]>([
    ["[W4] Full-Auto", fullAuto],
    ["[W4] a fork that joins again", () => drawable(forked)],
    [
      "[W4] a socket that returns to itself, in a loop with one member",
      () =>
        drawable(
          main(
            {
              "Socket-1": { materia: "Plan", edges: [always("Socket-2")] },
              "Socket-2": { materia: "Json", advance: {}, edges: [notSatisfied("Socket-2", 3), always("Socket-2")] },
            },
            { loop: consuming(["Socket-2"]) },
          ),
        ),
    ],
  ])("%s", (_rule, make) => {
    expect(collisions(layoutGraph(make(), { longestLabelOf: wordy }))).toEqual([]);
  });

  it("[W4] no label lies on anything, in any graph and at any size", () => {
    const sizes = [
      REGULAR_METRICS,
      COMPACT_METRICS,
      withItemLineRoom(REGULAR_METRICS),
      scaleMetrics(COMPACT_METRICS, 2),
    ];
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 30 }), fc.constantFrom(...sizes), (seed, size, metrics) => {
        const graph = drawable(randomConfig(chanceOf(seed), size));
        expect(collisions(layoutGraph(graph, { longestLabelOf: wordy, metrics }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
