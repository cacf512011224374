import type { Graph } from "../../../../../core/compile/graph.ts";
import { NEXT_ITEM } from "../../../../../core/model/loadout.ts";
import {
  edgeName,
  emptyListName,
  exitName,
  edgeLimitName,
  unmatchedName,
  exhaustedEdgeName,
} from "../../../../../core/testing/way-names.ts";
import { line } from "../../../../../core/view/text/line.ts";
import type { DrawnLine, GraphDrawing } from "../../../../../core/view/draw/drawing.ts";
import type { EdgeMark, GraphMarks, SocketMark } from "../../graph/marks.ts";

/** [W31] What no test took stands out in the drawing: sockets and ways alike. */
export function coverageMarks(graph: Graph, drawing: GraphDrawing, missing: ReadonlySet<string>): GraphMarks {
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(missing.has(id))])),
    edges: new Map(drawing.edges.map(({ way }) => [way.id, edgeMark(graph, way, missing)])),
  };
}

function socketMark(isMissing: boolean): SocketMark {
  return isMissing
    ? { state: "todo", problem: { severity: "warning", text: "no test comes here" } }
    : { state: "visited" };
}

/** [W31] An edge that was taken may still have a limit that no test reached: the words say which of it is missing. */
export function missingText(graph: Graph, way: DrawnLine, missing: ReadonlySet<string>): string | null {
  const found = coverageNames(graph, way).find(([name]) => missing.has(name));
  return found?.[1] ?? null;
}

function edgeMark(graph: Graph, way: DrawnLine, missing: ReadonlySet<string>): EdgeMark {
  const words = missingText(graph, way, missing);
  const label = coverageLabel(way, words).map((text) => line(text));
  return words === null ? { visits: "visited", label } : { visits: "unvisited", problem: "warning", label };
}

export function coverageLabel(way: DrawnLine, missing: string | null): readonly string[] {
  const own = way.via === "items" ? "work items" : way.label;
  return [own, missing ?? ""].filter((text) => text !== "");
}

/** What coverage calls a way that is drawn, and what is said where no test took it. */
function coverageNames(graph: Graph, way: DrawnLine): readonly (readonly [name: string, words: string])[] {
  const never = (name: string): readonly [string, string] => [name, "never taken"];
  if (way.via === "items") return [[emptyListName(way.loop), "never empty"]];
  if (way.via === "none")
    return [never(unmatchedName(way.from, way.to)), ...(way.loop === undefined ? [] : [never(emptyListName(way.loop))])];
  if (way.via === "exit") {
    const exit = graph.loops[way.loop ?? ""]?.exits[way.index ?? -1];
    return exit ? [never(exitName(graph, way.loop ?? "", exit.id))] : [];
  }
  const edge = graph.sockets[way.from]?.edges[way.index ?? -1];
  if (!edge) return [];
  if (way.then) return [never(exhaustedEdgeName(way.from, edge))];
  const after = edge.then === NEXT_ITEM ? [[exhaustedEdgeName(way.from, edge), "never used up"] as const] : [];
  return [never(edgeName(way.from, edge)), [edgeLimitName(way.from, edge), "limit never reached"], ...after];
}
