import type { ReactElement } from "react";
import type { Box, GraphDrawing } from "../../../../../../core/view/draw/drawing.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { useEditor } from "../state/editor.ts";
import type { LoadoutProblem } from "../state/use-checked.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import overCanvasSheet from "../look/over-canvas.module.css";

const css = bindClassNames(overCanvasSheet);

/** The problem of what is chosen, else the first error, beside its place. */
export function ProblemCallout({ drawing }: { readonly drawing: GraphDrawing }): ReactElement | null {
  const { checked, selected, apply, readOnly } = useEditor();
  const chosen = checked.problems.find(({ place }) =>
    selected.some(
      ({ kind, id }) =>
        place.kind !== "loadout" && ((kind === place.kind && id === place.id) || (kind === "edge" && id === place.way)),
    ),
  );
  const problem =
    chosen ?? (selected.length === 0 ? checked.problems.find(({ issue }) => issue.severity === "error") : undefined);
  const at = problem && problemBox(problem, drawing);
  if (!problem || !at) return null;
  const { issue, quickFix: mend } = problem;
  const right = Math.max(
    ...drawing.sockets.map(({ box }) => box.x + box.width),
    ...drawing.loops.map(({ box }) => box.x + box.width),
    0,
  );
  return (
    <div
      className={css(issue.severity === "warning" ? "callout warning" : "callout")}
      style={{ left: right + 14, top: at.y - 20 }}
      role="note"
      aria-label={`${issue.severity}: ${issue.message}`}
    >
      <b>{issueTitle(issue.code)}</b>
      {issue.message}.
      {mend && readOnly === null && <Button onClick={() => apply(mend.label, mend.edit)}>{mend.label}</Button>}
    </div>
  );
}

function problemBox({ place }: LoadoutProblem, drawing: GraphDrawing): Box | undefined {
  if (place.kind === "loadout") return drawing.sockets[0]?.box;
  if (place.kind === "loop") return drawing.loops.find(({ id }) => id === place.id)?.box;
  return drawing.sockets.find(({ id }) => id === place.id)?.box;
}

const ISSUE_TITLES: Readonly<Record<string, string>> = {
  guard_needs_json: "Routes need JSON",
  generator_not_json: "Generators speak JSON",
  assign_needs_json: "Fields need JSON",
  edge_after_always: "Never taken",
  unknown_socket: "Leads nowhere",
  unknown_materia: "No such materia",
  broken_materia: "Broken materia",
  loop_cannot_end: "Never ends",
  advance_outside_loop: "Nothing to advance",
  unreachable_socket: "Never reached",
  uncovered_outcome: "An answer without a way",
  unbounded_cycle: "Round and round",
};

function issueTitle(code: string): string {
  return ISSUE_TITLES[code] ?? code.charAt(0).toUpperCase() + code.slice(1).replaceAll("_", " ");
}
