import { useMemo, type ReactElement } from "react";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { compile, layoutOf } from "../../../../../core/compile/targets/compile.ts";
import { layoutGraph } from "../../../../../core/view/draw/layout.ts";
import { COMPACT, REGULAR, scaled } from "../../../../../core/view/draw/measure/metrics.ts";
import { textScale, useWidth } from "../../browser/use-width.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { coverageMarks, labelOf, missingWords } from "./coverage.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";

const css = classesOf(baseSheet);

/** A loadout as it is drawn everywhere, with what no test took in the colour of a warning. */
export function CoverageGraph(props: {
  readonly catalog: Catalog;
  readonly loadout: string;
  readonly missing: readonly string[];
}): ReactElement {
  const { catalog, loadout, missing } = props;
  const width = useWidth();
  const compact = width === "small";
  const drawn = useMemo(() => {
    const compiled = compile([{ kind: "loadout", name: loadout }], catalog);
    if (!compiled.ok) return null;
    const { graph } = compiled.value;
    const never = new Set(missing);
    const drawing = layoutGraph(graph, {
      metrics: scaled(compact ? COMPACT : REGULAR, textScale()),
      labelOf: (way) => labelOf(way, missingWords(graph, way, never)),
      layout: layoutOf(compiled.value),
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
      grows={width !== "large"}
    />
  );
}
