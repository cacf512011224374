import { useMemo, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { compileTargets, authoredLayout } from "../../../core/compile/targets/compile.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { COMPACT_METRICS, REGULAR_METRICS, scaleMetrics } from "../../../core/view/layout/metrics.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import type { Graph } from "../../../core/compile/graph.ts";
import { NEXT_ITEM } from "../../../core/model/loadout.ts";
import {
  edgeName,
  emptyListName,
  exitName,
  edgeLimitName,
  unmatchedName,
  exhaustedEdgeName,
} from "../../../core/history/way-names.ts";
import { line } from "../../../core/view/line.ts";
import type { DrawnLine, GraphDrawing } from "../../../core/view/layout/drawing.ts";
import type { EdgeMark, GraphMarks, SocketMark } from "../graph/graph-marks.ts";

const css = bindClassNames(baseSheet);

/** The graph of a loadout; uncovered parts have the warning color. */
export function CoverageGraph(props: {
  readonly catalog: Catalog;
  readonly loadout: string;
  readonly missing: readonly string[];
}): ReactElement {
  const { catalog, loadout, missing } = props;
  const width = useScreenWidth();
  const compact = width === "small";
  const drawn = useMemo(() => {
    const compiled = compileTargets([{ kind: "loadout", name: loadout }], catalog);
    if (!compiled.ok) return null;
    const { graph } = compiled.value;
    const never = new Set(missing);
    const drawing = layoutGraph(graph, {
      metrics: scaleMetrics(compact ? COMPACT_METRICS : REGULAR_METRICS, textScale()),
      longestLabelOf: (way) => coverageLabel(way, missingText(graph, way, never)),
      layout: authoredLayout(compiled.value),
    });
    return { graph, drawing, marks: coverageMarks(graph, drawing, never) };
  }, [catalog, loadout, missing, compact]);
  if (!drawn) return <p className={css("faint")}>This loadout cannot be drawn: it has problems.</p>;
  return (
    <GraphView
      graph={drawn.graph}
      drawing={drawn.drawing}
      marks={drawn.marks}
      label={`${loadout}, test coverage`}
      compact={compact}
      fullHeight={width !== "large"}
    />
  );
}

/** [W31] Marks for uncovered sockets and edges. */
function coverageMarks(graph: Graph, drawing: GraphDrawing, missing: ReadonlySet<string>): GraphMarks {
  return {
    sockets: new Map(drawing.sockets.map(({ id }) => [id, socketMark(missing.has(id))])),
    edges: new Map(drawing.edges.map(({ way }) => [way.id, edgeMark(graph, way, missing)])),
  };
}

function socketMark(isMissing: boolean): SocketMark {
  return isMissing
    ? { state: "todo", problem: { severity: "warning", text: "not covered by a test" } }
    : { state: "visited" };
}

/** [W31] The label says which limit of a covered edge no test reached. */
function missingText(graph: Graph, way: DrawnLine, missing: ReadonlySet<string>): string | null {
  const found = coverageNames(graph, way).find(([name]) => missing.has(name));
  return found?.[1] ?? null;
}

function edgeMark(graph: Graph, way: DrawnLine, missing: ReadonlySet<string>): EdgeMark {
  const words = missingText(graph, way, missing);
  const label = coverageLabel(way, words).map((text) => line(text));
  return words === null ? { visits: "visited", label } : { visits: "unvisited", problem: "warning", label };
}

function coverageLabel(way: DrawnLine, missing: string | null): readonly string[] {
  const own = way.via === "items" ? "work items" : way.label;
  return [own, missing ?? ""].filter((text) => text !== "");
}

/** The coverage key of an edge, and the text for an uncovered one. */
function coverageNames(graph: Graph, way: DrawnLine): readonly (readonly [name: string, words: string])[] {
  const never = (name: string): readonly [string, string] => [name, "never taken"];
  if (way.via === "items") return [[emptyListName(way.loop), "never empty"]];
  if (way.via === "none")
    return [
      never(unmatchedName(way.from, way.to)),
      ...(way.loop === undefined ? [] : [never(emptyListName(way.loop))]),
    ];
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
