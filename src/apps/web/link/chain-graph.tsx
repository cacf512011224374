import { useMemo, type ReactElement } from "react";
import { authoredLayout } from "../../../core/compile/targets/compile.ts";
import type { ChainResult } from "../../../core/edit/target-chain.ts";
import { END } from "../../../core/model/ids.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import type { DrawnLine, PlacedEdge } from "../../../core/view/layout/drawing.ts";
import { COMPACT_METRICS, REGULAR_METRICS, scaleMetrics } from "../../../core/view/layout/metrics.ts";
import { line } from "../../../core/view/line.ts";
import { GraphView } from "../graph/graph-view.tsx";
import type { EdgeMark, GraphMarks, SocketMark } from "../graph/graph-marks.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";
import { isUnstitched } from "./chain-panel.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import linkSheet from "./link.module.css";

const css = bindClassNames(linkSheet, baseSheet);

/** The graph of the chain, one band per target, with stitches or red open ends. */
export function ChainGraph({ composed }: { readonly composed: ChainResult }): ReactElement {
  if (composed.kind === "empty")
    return (
      <div className={css("graph-empty")}>
        <p>The composed graph appears here.</p>
        <p className={css("faint")}>Add two targets to see how they are joined.</p>
      </div>
    );
  if (composed.kind === "refused" && !composed.parts)
    return (
      <div className={css("graph-empty")}>
        <p>The chain cannot be drawn.</p>
        <p className={css("faint")}>Why stands beside it.</p>
      </div>
    );
  return <DrawnChain composed={composed} />;
}

function DrawnChain({ composed }: { readonly composed: Exclude<ChainResult, { kind: "empty" }> }): ReactElement | null {
  const width = useScreenWidth();
  const compact = width === "small";
  const graph = composed.kind === "composed" ? composed.compiled.graph : composed.parts;
  const drawn = useMemo(() => {
    if (!graph) return null;
    const metrics = scaleMetrics(compact ? COMPACT_METRICS : REGULAR_METRICS, textScale());
    const open = composed.kind === "refused" ? composed.joints.filter(isUnstitched).flatMap(({ ends }) => ends) : [];
    const isLoose = (way: DrawnLine): boolean => way.via !== "items" && way.to === END && open.includes(way.from);
    const stitches = composed.kind === "composed" ? composed.compiled.stitches : [];
    const labels = new Map<string, readonly string[]>();
    const labelOf = (way: DrawnLine): readonly string[] => {
      const lines = edgeLabelLines(way, stitches, isLoose(way));
      labels.set(way.id, lines);
      return lines;
    };
    const layout = composed.kind === "composed" ? authoredLayout(composed.compiled) : {};
    const whole = layoutGraph(graph, { metrics, longestLabelOf: labelOf, stitches, layout });
    // After an open end only the entry of the next target is drawn.
    const waiting =
      composed.kind === "refused"
        ? composed.joints
            .filter((_, index) => index >= composed.joints.findIndex(isUnstitched))
            .map(({ entry }) => entry)
        : [];
    const isShown = ({ way }: PlacedEdge): boolean => open.length === 0 || !waiting.includes(way.from);
    const drawing = { ...whole, edges: whole.edges.filter(isShown) };
    const edges = new Map<string, EdgeMark>(
      drawing.edges.map(({ way }) => [
        way.id,
        {
          label: (labels.get(way.id) ?? []).map((text) => line(text)),
          ...(isLoose(way) ? { problem: "error" as const } : {}),
        },
      ]),
    );
    const sockets = new Map<string, SocketMark>(
      open.map((id, index) => [id, { flag: `${index + 1}`, problem: { severity: "error", text: "one of the ends" } }]),
    );
    const marks: GraphMarks = { edges, sockets };
    return { drawing, marks, isArranged: Object.keys(layout).length > 0 };
  }, [graph, composed, compact]);
  if (!graph || !drawn) return null;
  return (
    <GraphView
      graph={graph}
      drawing={drawn.drawing}
      marks={drawn.marks}
      label={`Composed graph, ${drawn.drawing.sockets.length} sockets`}
      compact={compact}
      fullHeight={width !== "large"}
      fitWhole={drawn.isArranged}
    />
  );
}

function edgeLabelLines(
  way: DrawnLine,
  stitches: readonly { readonly from: string; readonly to: string }[],
  loose: boolean,
): readonly string[] {
  if (way.via === "items") return ["work items"];
  if (loose) return ["no stitch"];
  const stitch = stitches.findIndex(({ from, to }) => from === way.from && to === way.to);
  if (stitch !== -1) return [`stitch ${stitch + 1} · ${way.from} → ${way.to}`];
  return way.label === "" ? [] : [way.label];
}
