import { buildFragment } from "../../src/core/compile/targets/fragment.ts";
import type { Graph } from "../../src/core/compile/graph.ts";
import { type GraphDrawing, boxesOverlap, segmentBoxes } from "../../src/core/view/layout/drawing.ts";
import type { DrawnWay } from "../../src/core/view/graph/drawn-ways.ts";
import { catalogOf, type TestConfig } from "./play.ts";

/** The loadout `Main` as a graph, whether it compiles or not: an editor draws what is still broken. */
export function drawable(config: TestConfig): Graph {
  const catalog = catalogOf(config);
  const entry = catalog.loadouts.get("Main");
  if (!entry) throw new Error("the configuration has no loadout Main");
  return buildFragment({ kind: "loadout", name: "Main", entry }, catalog, 1).graph;
}

/** A label on every way, of one line or two. */
export function wordy(way: DrawnWay): readonly string[] {
  if (way.via === "items") return ["7 work items"];
  return way.when === "not_satisfied" ? ["2 · ✗ not satisfied", "2 of 3 · 12×"] : [way.label || "always", "12×"];
}

/** Everything that lies upon something else, as a sentence each. */
export function collisions({ sockets, edges, end }: GraphDrawing): readonly string[] {
  const found: string[] = [];
  const places = [
    ...sockets.map(({ id, box }) => ({ id: id as string, box })),
    ...(end ? [{ id: "end", box: end }] : []),
  ];
  for (const [index, place] of places.entries()) {
    for (const other of places.slice(index + 1))
      if (boxesOverlap(place.box, other.box)) found.push(`${place.id} lies on ${other.id}`);
  }
  for (const [index, edge] of edges.entries()) {
    const { label, way } = edge;
    if (!label) continue;
    for (const { id, box } of places) if (boxesOverlap(label, box)) found.push(`the label of ${way.id} lies on ${id}`);
    for (const [at, other] of edges.entries()) {
      if (at === index) continue;
      if (at > index && other.label && boxesOverlap(label, other.label))
        found.push(`the labels of ${way.id} and ${other.way.id} lie on each other`);
      if (segmentBoxes(other.points).some((piece) => boxesOverlap(label, piece)))
        found.push(`the label of ${way.id} lies on the line of ${other.way.id}`);
    }
  }
  return found;
}
