import type { ReactElement } from "react";
import { glyphs } from "../parts/marks/words.tsx";

const ROWS = [
  ["", "always", null],
  ["ok", "✓ satisfied", null],
  ["rew", "✗ not satisfied", null],
  ["", "loop exit", "M9 0v10"],
  ["data", "work items", null],
] as const;

/** What the lines mean. */
export function Legend(): ReactElement {
  return (
    <div className="legend">
      {ROWS.map(([tone, text, gate]) => (
        <span key={text}>
          <svg viewBox="0 0 28 10" className="e" aria-hidden="true">
            <g className={tone}>
              <path d="M0 5H26" />
              {gate !== null && <path className="gate" d={gate} />}
            </g>
          </svg>
          {glyphs(text)}
        </span>
      ))}
    </div>
  );
}
