import type { Graph } from "../../../../../../core/compile/graph.ts";
import type { Loadout } from "../../../../../../core/model/loadout.ts";
import { loopMembersOf, applyManualPositions } from "../../../../../../core/view/draw/by-hand.ts";
import type { DrawnLine, GraphDrawing, PlacedEdge } from "../../../../../../core/view/draw/drawing.ts";
import { layoutGraph } from "../../../../../../core/view/draw/layout.ts";
import {
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
  withItemLineRoom,
  type LayoutMetrics,
} from "../../../../../../core/view/draw/measure/metrics.ts";
import { line, toned, type Line, type Tone } from "../../../../../../core/view/text/line.ts";
import type { EdgeMark, LoopMark, GraphMarks, SocketMark } from "../../../graph/marks.ts";
import { textScale } from "../../../browser/use-width.ts";
import type { CheckedDraft, LoadoutProblem } from "./use-checked.ts";

/** A drawing with the words of its edges. */
interface LabelledDrawing {
  readonly drawing: GraphDrawing;
  readonly labels: ReadonlyMap<string, readonly string[]>;
  readonly metrics: LayoutMetrics;
}

/** The drawing that the graph itself gives, with the order of edges written. */
export function drawLabelledGraph(graph: Graph, compact: boolean, loopsTell: boolean): LabelledDrawing {
  const plain = scaleMetrics(compact ? COMPACT_METRICS : REGULAR_METRICS, textScale());
  const metrics = loopsTell ? withItemLineRoom(plain) : plain;
  const first = layoutGraph(graph, { metrics, longestLabelOf: (way) => edgeLabelLines(graph, way, false) });
  const lanes = new Set(first.edges.filter(isLane).map(({ way }) => way.id));
  const labels = new Map(first.edges.map(({ way }) => [way.id, edgeLabelLines(graph, way, lanes.has(way.id))]));
  return { drawing: layoutGraph(graph, { metrics, longestLabelOf: (way) => labels.get(way.id) ?? [] }), labels, metrics };
}

/** The same with what was placed by hand where it was put. */
export function applyHandLayout({ drawing, metrics }: LabelledDrawing, graph: Graph, layout: Loadout["layout"]): GraphDrawing {
  return applyManualPositions(drawing, layout, { members: loopMembersOf(graph), metrics });
}

function isLane({ points }: PlacedEdge): boolean {
  return points.length > 3;
}

/** `2 · ✗ not satisfied` and `up to 3`; an edge that is always taken says so only where it goes round the side. */
export function edgeLabelLines(graph: Graph, way: DrawnLine, lane: boolean): readonly string[] {
  if (way.via === "items") return ["work items"];
  if (way.via !== "edge") return way.label === "" ? [] : [way.label];
  const several = (graph.sockets[way.from]?.edges.length ?? 0) > 1;
  const order = several && way.index !== undefined ? `${way.index + 1} · ` : "";
  const words = way.when === "always" ? (several || lane ? "always" : "") : way.label;
  const next = way.thenNext ? ", then next" : "";
  const limit = way.maxTraversals === undefined ? [] : [`up to ${way.maxTraversals}${next}`];
  if (way.then) return [way.label];
  return words === "" ? limit : [`${order}${words}`, ...limit];
}

/** Problems on the sockets, edges and loops they are about. */
export function problemMarks({ graph, problems }: CheckedDraft, labels: ReadonlyMap<string, readonly string[]>): GraphMarks {
  const edges = new Map<string, EdgeMark>(
    [...labels].map(([id, lines]) => [
      id,
      { label: lines.map((text): Line => line(text)), ...edgeProblem(problems, id) },
    ]),
  );
  const sockets = new Map<string, SocketMark>();
  const loops = new Map<string, LoopMark>();
  // The worst comes first, so the first of each place counts.
  for (const { issue, place } of problems) {
    const { severity, message: text } = issue;
    if (place.kind === "socket" && !sockets.has(place.id)) sockets.set(place.id, { problem: { severity, text } });
    if (place.kind !== "loop" || loops.has(place.id) || !graph.loops[place.id]) continue;
    const tone: Tone = severity === "error" ? "bad" : "rework";
    loops.set(place.id, { secondLine: line(toned(tone, `${severity === "error" ? "!" : "?"} ${text}`)) });
  }
  return { sockets, edges, loops };
}

function edgeProblem(problems: readonly LoadoutProblem[], way: string): EdgeMark {
  const found = problems.find(({ ways }) => ways.includes(way));
  return found ? { problem: found.issue.severity } : {};
}
