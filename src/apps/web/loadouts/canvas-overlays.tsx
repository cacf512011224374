import type { ReactElement } from "react";
import type { GraphDrawing } from "../../../core/view/layout/drawing.ts";
import { Button } from "../ui/buttons.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { boxOfPart, includesPart } from "../graph/graph-marks.ts";
import { bindSheets } from "../ui/classes.ts";
import overCanvasSheet from "./canvas-overlays.module.css";
import { Icon } from "../ui/icons.tsx";
import type { Condition } from "../../../core/model/loadout.ts";
import { useKeys } from "../browser/keyboard.ts";
import type { PendingConnection } from "../loadout-editor/use-canvas.ts";
import { SegmentedControl } from "../ui/fields.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { asSentence } from "../ui/status.tsx";

const css = bindSheets(overCanvasSheet);

/** The problem of the selected part, otherwise the first error, beside its part. */
export function ProblemCallout({ drawing }: { readonly drawing: GraphDrawing }): ReactElement | null {
  const { checked, selected, apply, readOnly } = useEditor();
  const chosen = checked.problems.find(
    ({ place }) =>
      place.kind !== "loadout" &&
      (includesPart(selected, place) ||
        (place.way !== null && includesPart(selected, { kind: "edge", id: place.way }))),
  );
  const firstError = checked.problems.find(({ issue }) => issue.severity === "error");
  const problem = chosen ?? (selected.length === 0 ? firstError : undefined);
  if (!problem) return null;
  const { issue, place, quickFix: mend } = problem;
  const at = place.kind === "loadout" ? drawing.sockets[0]?.box : boxOfPart(drawing, place.id);
  if (!at) return null;
  const right = Math.max(...[...drawing.sockets, ...drawing.loops].map(({ box }) => box.x + box.width));
  return (
    <div
      className={css(issue.severity === "warning" ? "callout warning" : "callout")}
      style={{ left: right + 14, top: Math.max(6, at.y - 20) }}
      role="note"
      aria-label={`${issue.severity}: ${issue.message}`}
    >
      <b>{issue.severity === "error" ? "Error" : "Warning"}</b>
      {asSentence(issue.message)}
      {mend && readOnly === null && <Button onClick={() => apply(mend.label, mend.edit)}>{mend.label}</Button>}
    </div>
  );
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
  const box = boxOfPart(drawing, part.id);
  if (!box) return null;
  const isLabel = drawing.edges.some(({ label }) => label === box);
  const at =
    part.kind === "socket"
      ? { x: box.x + box.width - 22, y: box.y + box.height + 2 } // beside the round handle
      : { x: box.x + (isLabel ? box.width + 16 : 0), y: box.y + (isLabel ? box.height / 2 : 0) };
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
