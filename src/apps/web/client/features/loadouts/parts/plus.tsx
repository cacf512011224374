import type { ReactElement } from "react";
import type { GraphDrawing, Point } from "../../../../../../core/view/draw/drawing.ts";
import { Icon } from "../../../parts/marks/icon.tsx";
import { useEditor } from "../state/editor.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import overCanvasSheet from "../look/over-canvas.module.css";

const plusCss = bindClassNames(overCanvasSheet);

/** [E28] At the socket or edge that is chosen: what comes behind it, or into it. */
export function AddSocketButton(props: { readonly drawing: GraphDrawing; readonly onAdd: () => void }): ReactElement | null {
  const { drawing, onAdd } = props;
  const { selected, readOnly } = useEditor();
  const [part, another] = selected;
  if (!part || another || readOnly !== null || part.kind === "loop") return null;
  const at = part.kind === "socket" ? socketCorner(drawing, part.id) : edgeMiddle(drawing, part.id);
  if (!at) return null;
  return (
    <button
      type="button"
      className={plusCss("plus")}
      style={{ left: at.x - 12, top: at.y - 12 }}
      aria-label={part.kind === "socket" ? `Add a socket after ${part.id}` : "Put a socket into this edge"}
      onClick={onAdd}
    >
      <Icon name="plus" />
    </button>
  );
}

/** Beside the round handle, which draws an edge. */
function socketCorner({ sockets }: GraphDrawing, id: string): Point | undefined {
  const box = sockets.find((socket) => socket.id === id)?.box;
  return box && { x: box.x + box.width - 22, y: box.y + box.height + 2 };
}

/** Beside its label, or on the line where it has none. */
function edgeMiddle({ edges }: GraphDrawing, id: string): Point | undefined {
  const edge = edges.find(({ way }) => way.id === id);
  const [from, to] = edge?.points ?? [];
  if (edge?.label) return { x: edge.label.x + edge.label.width + 16, y: edge.label.y + edge.label.height / 2 };
  return from && to && { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}
