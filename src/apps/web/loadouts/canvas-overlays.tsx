import type { ReactElement } from "react";
import type { Box, GraphDrawing, Point } from "../../../core/view/layout/drawing.ts";
import { Button } from "../ui/buttons.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import type { LoadoutProblem } from "../loadout-editor/check-draft.ts";
import { bindSheets } from "../ui/classes.ts";
import overCanvasSheet from "./canvas-overlays.module.css";
import { Icon } from "../ui/icons.tsx";
import type { Condition } from "../../../core/model/loadout.ts";
import { useKeys } from "../browser/keyboard.ts";
import type { PendingConnection } from "../loadout-editor/use-canvas.ts";
import { SegmentedControl } from "../ui/fields.tsx";
import { renderSymbols } from "../ui/line-text.tsx";

const css = bindSheets(overCanvasSheet);

/** The problem of the selected part, otherwise the first error, beside its part. */
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
      <b>{issue.severity === "error" ? "Error" : "Warning"}</b>
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

/** [E28] A button at the selected socket or edge, to add a socket there. */
export function AddSocketButton(props: {
  readonly drawing: GraphDrawing;
  readonly onAdd: () => void;
}): ReactElement | null {
  const { drawing, onAdd } = props;
  const { selected, readOnly } = useEditor();
  const [part, another] = selected;
  if (!part || another || readOnly !== null || part.kind === "loop") return null;
  const at = part.kind === "socket" ? socketCorner(drawing, part.id) : edgeMiddle(drawing, part.id);
  if (!at) return null;
  return (
    <button
      type="button"
      className={css("plus")}
      style={{ left: at.x - 12, top: at.y - 12 }}
      aria-label={part.kind === "socket" ? `Add a socket after ${part.id}` : "Insert a socket into this edge"}
      onClick={onAdd}
    >
      <Icon name="plus" />
    </button>
  );
}

/** Beside the round handle. */
function socketCorner({ sockets }: GraphDrawing, id: string): Point | undefined {
  const box = sockets.find((socket) => socket.id === id)?.box;
  return box && { x: box.x + box.width - 22, y: box.y + box.height + 2 };
}

/** Beside its label, or on the line without one. */
function edgeMiddle({ edges }: GraphDrawing, id: string): Point | undefined {
  const edge = edges.find(({ way }) => way.id === id);
  const [from, to] = edge?.points ?? [];
  if (edge?.label) return { x: edge.label.x + edge.label.width + 16, y: edge.label.y + edge.label.height / 2 };
  return from && to && { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

type ConditionChoice = Condition | "auto";

/** The edge that is being drawn; every key has a button. */
export function ConnectBar(props: {
  readonly connecting: PendingConnection;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly onEnd: () => void;
}): ReactElement {
  const { connecting, setConnecting, onEnd } = props;
  const { loadout } = useEditor();
  const { from, when } = connecting;
  const choose = (choice: ConditionChoice): void => setConnecting({ from, when: choice === "auto" ? null : choice });
  useKeys({
    "1": () => choose("always"),
    "2": () => choose("satisfied"),
    "3": () => choose("not_satisfied"),
    escape: () => setConnecting(null),
  });
  return (
    <div className={css("connect")} role="group" aria-label={`Connect ${from}`}>
      <span role="status">
        <b>{`${from} ${loadout.sockets[from]?.materia ?? ""}`}</b> leads to… <kbd>{renderSymbols("↑")}</kbd>{" "}
        <kbd>{renderSymbols("↓")}</kbd> choose, <kbd>Enter</kbd> connects.
      </span>
      <SegmentedControl<ConditionChoice>
        label="Condition"
        value={when ?? "auto"}
        options={{
          auto: "fitting",
          always: "always",
          satisfied: "✓ satisfied",
          not_satisfied: "✗ not satisfied",
        }}
        onPick={choose}
      />
      <Button
        onClick={() => {
          onEnd();
          setConnecting(null);
        }}
      >
        Connect to the end <kbd>0</kbd>
      </Button>
      <Button look="bare" onClick={() => setConnecting(null)}>
        Cancel
      </Button>
    </div>
  );
}
