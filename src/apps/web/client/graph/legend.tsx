import type { ReactElement } from "react";
import { MateriaIcon } from "../parts/marks/orb.tsx";
import { renderSymbols } from "../parts/marks/words.tsx";
import { bindClassNames } from "../browser/classes.ts";
import edgesSheet from "./edges.module.css";
import marksSheet from "../parts/marks/marks.module.css";

const legendCss = bindClassNames(edgesSheet, marksSheet);

const LEGEND_EDGES = [
  ["", "always", null],
  ["good", "✓ satisfied", null],
  ["rework", "✗ not satisfied", null],
  ["", "loop exit", "M9 0v10"],
  ["items", "work items", null],
] as const;

const LEGEND_MATERIA_TYPES = ["agent", "utility", "person"] as const;

/** What the lines mean, and the shapes of the sockets. */
export function GraphLegend(): ReactElement {
  return (
    <div className={legendCss("legend")}>
      {LEGEND_EDGES.map(([tone, text, gate]) => (
        <span key={text}>
          <svg viewBox="0 0 28 10" className={legendCss("edges")} aria-hidden="true">
            <g className={legendCss(tone)}>
              <path d="M0 5H26" />
              {gate !== null && <path className={legendCss("gate")} d={gate} />}
            </g>
          </svg>
          {renderSymbols(text)}
        </span>
      ))}
      {LEGEND_MATERIA_TYPES.map((type) => (
        <span key={type}>
          <MateriaIcon materia={{ type }} size="sm" />
          {type}
        </span>
      ))}
    </div>
  );
}
