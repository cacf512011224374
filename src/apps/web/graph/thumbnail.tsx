import { useMemo, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { checkTarget } from "../../../core/compile/targets/compile.ts";
import { materiaOf } from "../../../core/compile/graph.ts";
import { COMPACT_METRICS } from "../../../core/view/layout/drawing.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { materiaColorStyle } from "../ui/icons.tsx";
import { bindSheets } from "../ui/classes.ts";
import { roundedPath } from "./edge-paths.ts";
import sheet from "./graph.module.css";

const css = bindSheets(sheet);

/** The graph of a loadout as a small picture, without names. */
export function GraphThumbnail({
  name,
  catalog,
}: {
  readonly name: string;
  readonly catalog: Catalog;
}): ReactElement | null {
  const entry = catalog.loadouts.get(name);
  const drawn = useMemo(() => {
    if (!entry) return null;
    const { graph } = checkTarget({ kind: "loadout", name, entry }, catalog, 1);
    const layout = entry.value?.layout;
    return { graph, drawing: layoutGraph(graph, { metrics: COMPACT_METRICS, ...(layout ? { layout } : {}) }) };
  }, [name, entry, catalog]);
  if (!drawn || drawn.drawing.sockets.length === 0) return null;
  const { graph, drawing } = drawn;
  return (
    <svg
      className={css("thumbnail")}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      role="img"
      aria-label={`Graph of ${name}`}
    >
      {drawing.loops.map(({ id, box }) => (
        <rect key={id} {...box} rx={12} className={css("thumbnail-loop")} />
      ))}
      {drawing.edges.map(({ way, points }) => (
        <path key={way.id} d={roundedPath(points, 0)} className={css("thumbnail-edge")} />
      ))}
      {drawing.sockets.map(({ id, box }) => {
        const socket = graph.sockets[id];
        return (
          <g key={id} style={materiaColorStyle(socket && materiaOf(graph, socket).color)}>
            <rect {...box} rx={6} className={css("thumbnail-socket")} />
            <circle cx={box.x + 22} cy={box.y + box.height / 2} r={12} className={css("thumbnail-materia")} />
          </g>
        );
      })}
    </svg>
  );
}
