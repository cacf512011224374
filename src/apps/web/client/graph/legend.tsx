import type { ReactElement } from "react";
import { Orb } from "../parts/marks/orb.tsx";
import { glyphs } from "../parts/marks/words.tsx";

const ROWS = [
  ["", "always", null],
  ["ok", "✓ satisfied", null],
  ["rew", "✗ not satisfied", null],
  ["", "loop exit", "M9 0v10"],
  ["data", "work items", null],
] as const;

const KINDS = ["agent", "utility", "person"] as const;

/** What the lines mean, and the shapes of the sockets. */
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
      {KINDS.map((type) => (
        <span key={type}>
          <Orb materia={{ type }} size="sm" />
          {type}
        </span>
      ))}
    </div>
  );
}
