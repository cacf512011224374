import { useEffect, type DragEvent, type KeyboardEvent, type ReactElement, type RefObject } from "react";
import { addSocket, nextSocketId } from "../../../../../core/edit/graph/sockets.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import type { GraphHandle } from "../../graph/frame/use-handle.ts";
import { Button } from "../../parts/controls/button.tsx";
import { useWidth } from "../../browser/use-width.ts";
import { Callout } from "./parts/callout.tsx";
import { BelowCanvas } from "./parts/below-canvas.tsx";
import { ConnectBar } from "./parts/connect-bar.tsx";
import { Plus } from "./parts/plus.tsx";
import { useEditor } from "./state/editor.ts";
import { useChoosing, useDraw, useDrawing, useGraphEdit, type Connecting } from "./state/use-canvas.ts";
import { classesOf } from "../../browser/classes.ts";
import editorSheet from "./look/editor.module.css";

const css = classesOf(editorSheet);

export interface CanvasProps {
  readonly handle: RefObject<GraphHandle | null>;
  readonly connecting: Connecting | null;
  readonly setConnecting: (connecting: Connecting | null) => void;
  readonly onOpen: () => void;
  readonly onAdd: () => void;
  /** What gets the focus as soon as it is drawn. */
  readonly awaited: { readonly current: string | null };
}

export function Canvas(props: CanvasProps): ReactElement {
  const { checked, loadout } = useEditor();
  // An empty graph has nothing to draw, and yet things can be dropped onto it.
  return Object.keys(loadout.sockets).length === 0 || Object.keys(checked.graph.sockets).length === 0 ? (
    <EmptyCanvas onAdd={props.onAdd} />
  ) : (
    <FullCanvas {...props} />
  );
}

function EmptyCanvas({ onAdd }: { readonly onAdd: () => void }): ReactElement {
  const { apply, select, loadout, readOnly } = useEditor();
  const drop = (event: DragEvent): void => {
    const materia = event.dataTransfer.getData("text/materia");
    if (materia === "") return;
    event.preventDefault();
    if (apply(`Add ${materia}`, (each) => addSocket(each, materia)))
      select({ kind: "socket", id: nextSocketId(loadout) });
  };
  return (
    <div
      data-canvas
      className={css("canvas empty-canvas")}
      onDrop={drop}
      onDragOver={(event) => event.preventDefault()}
    >
      <p>No sockets yet. Drag a materia here, or add one.</p>
      <Button look="primary" icon="plus" off={readOnly} onClick={onAdd}>
        Add a socket <kbd>A</kbd>
      </Button>
    </div>
  );
}

function FullCanvas({ handle, connecting, setConnecting, onOpen, onAdd, awaited }: CanvasProps): ReactElement {
  const { name, checked, selected, readOnly } = useEditor();
  const width = useWidth();
  const { drawing, marks, setDragged } = useDrawing(width !== "large");
  const draw = useDraw();
  const edit = useGraphEdit(drawing, draw, setDragged);
  const choose = useChoosing({ connecting, setConnecting, draw, onOpen: width === "small" ? onOpen : undefined });
  useAwaited(awaited, drawing, handle);
  return (
    <div
      data-canvas
      className={css("canvas")}
      data-connecting={connecting !== null || undefined}
      onKeyUpCapture={withoutClick}
    >
      <GraphView
        graph={checked.graph}
        drawing={drawing}
        label={`${name}, ${drawing.sockets.length} sockets, ${checked.problems.length} problems`}
        marks={marks}
        selected={selected}
        onSelect={choose.onSelect}
        onOpen={onOpen}
        onKey={choose.onKey}
        compact={width !== "large"}
        grows={width === "small"}
        whole
        handle={handle}
        {...(readOnly === null ? { edit } : {})}
      >
        <Plus drawing={drawing} onAdd={onAdd} />
        {width === "large" && <Callout drawing={drawing} />}
      </GraphView>
      {connecting && (
        <ConnectBar
          connecting={connecting}
          setConnecting={setConnecting}
          onEnd={() => draw(connecting.from, "end", connecting.when ?? undefined)}
        />
      )}
      {width === "large" && <BelowCanvas handle={handle} />}
    </div>
  );
}

/** Space has selected already; the click that a button makes of it would select anew. */
function withoutClick(event: KeyboardEvent): void {
  if (event.key === " " && event.target instanceof HTMLElement && event.target.dataset["part"] !== undefined)
    event.preventDefault();
}

/** A socket that was just added is focused once it is there. */
function useAwaited(
  awaited: CanvasProps["awaited"],
  drawing: { readonly sockets: readonly { readonly id: string }[] },
  handle: CanvasProps["handle"],
): void {
  useEffect(() => {
    const id = awaited.current;
    if (id === null || !drawing.sockets.some((socket) => socket.id === id)) return;
    (awaited as { current: string | null }).current = null;
    handle.current?.focus(id);
  }, [awaited, drawing, handle]);
}
