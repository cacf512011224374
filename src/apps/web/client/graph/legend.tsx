import type { ReactElement } from "react";
import { Orb } from "../parts/marks/orb.tsx";
import { glyphs } from "../parts/marks/words.tsx";
import { classesOf } from "../browser/classes.ts";
import edgesSheet from "./edges.module.css";
import marksSheet from "../parts/marks/marks.module.css";

const css = classesOf(edgesSheet, marksSheet);

const ROWS = [
  ["", "always", null],
  ["good", "✓ satisfied", null],
  ["rework", "✗ not satisfied", null],
  ["", "loop exit", "M9 0v10"],
  ["items", "work items", null],
] as const;

const KINDS = ["agent", "utility", "person"] as const;

/** What the lines mean, and the shapes of the sockets. */
export function Legend(): ReactElement {
  return (
    <div className={css("legend")}>
      {ROWS.map(([tone, text, gate]) => (
        <span key={text}>
          <svg viewBox="0 0 28 10" className={css("edges")} aria-hidden="true">
            <g className={css(tone)}>
              <path d="M0 5H26" />
              {gate !== null && <path className={css("gate")} d={gate} />}
            </g>
          </svg>
          {glyphs(text)}
        </span>
      ))}
      {KINDS.map((type) => (
        <span key={type}>
          <Orb materia={{ type }} size="sm" />
          {type}
        </span>
      ))}
    </div>
  );
}
