import type { Graph } from "../../../../../../core/compile/graph.ts";
import type { DrawnLine, GraphDrawing, PlacedEdge, RouteStyle } from "../../../../../../core/view/draw/drawing.ts";
import { line, toned } from "../../../../../../core/view/text/line.ts";
import type { EdgeMark, LoopMark, GraphMarks, SocketMark } from "../../../graph/marks.ts";
import { edgeLabelLines } from "../state/drawing.ts";
import type { RehearsalPlayback } from "./use-play.ts";

/** Room for what a label will say, so that nothing moves while it is played. */
export function longestRehearsalLabel(graph: Graph, way: DrawnLine, runs: RouteStyle): readonly string[] {
  const lines = edgeLabelLines(graph, way, runs === "lane");
  return lines.length === 0 ? ["99×"] : [...lines.slice(0, -1), `${lines.at(-1) ?? ""} 99×`];
}

/** [E30] Sockets as far as they were visited, edges as often as they were taken, at the step that is looked at. */
export function rehearsalMarks(graph: Graph, drawing: GraphDrawing, { replay, visits, step, seq }: RehearsalPlayback): GraphMarks {
  const now = visits[step];
  const seen = visits.slice(0, step + 1);
  const ways = replay?.waysTakenAt(seq) ?? [];
  const last = ways.at(-1)?.id;
  const edgeMark = ({ way, runs }: PlacedEdge): EdgeMark => {
    const count = ways.filter(({ id }) => id === way.id).length;
    const lines = edgeLabelLines(graph, way, runs === "lane");
    const label = lines.map((text) => line(text));
    const counted = line(lines.at(-1) === undefined ? "" : `${lines.at(-1) ?? ""} `, toned("strong", `${count}×`));
    return {
      visits: way.id === last ? "last" : count > 0 ? "visited" : "unvisited",
      label: count === 0 ? label : [...label.slice(0, -1), counted],
    };
  };
  const socketMark = (id: string): SocketMark => {
    const times = seen.filter(({ socket }) => socket === id).length;
    const isHere = now?.socket === id;
    return {
      state: isHere ? (now.outcome === "failed" ? "failed" : "live") : times > 0 ? "visited" : "todo",
      visits: times === 0 ? "–" : `${times}×`,
      ...(isHere ? { tag: `Step ${step + 1} of ${visits.length}` } : {}),
    };
  };
  const loopMark = (id: string): LoopMark => {
    const item = now?.item?.loop === id ? now.item : null;
    return item ? { secondLine: line(toned("strong", `Item ${item.index + 1} of ${item.of} `), item.title) } : {};
  };
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(id)])),
    edges: new Map(drawing.edges.map((edge) => [edge.way.id, edgeMark(edge)])),
    loops: new Map(drawing.loops.map(({ id }) => [id, loopMark(id)])),
  };
}
