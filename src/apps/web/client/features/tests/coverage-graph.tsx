import { useMemo, type ReactElement } from "react";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { compileTargets, authoredLayout } from "../../../../../core/compile/targets/compile.ts";
import { layoutGraph } from "../../../../../core/view/draw/layout.ts";
import { COMPACT_METRICS, REGULAR_METRICS, scaleMetrics } from "../../../../../core/view/draw/measure/metrics.ts";
import { textScale, useScreenWidth } from "../../browser/use-width.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { coverageMarks, coverageLabel, missingText } from "./coverage.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const css = bindClassNames(baseSheet);

/** A loadout as it is drawn everywhere, with what no test took in the colour of a warning. */
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
      label={`${loadout}, as far as tests take it`}
      compact={compact}
      fullHeight={width !== "large"}
    />
  );
}
