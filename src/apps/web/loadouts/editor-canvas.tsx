import {
  useEffect,
  type DragEvent,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useRef,
  useState,
} from "react";
import { addSocket } from "../../../core/edit/loadout-edit.ts";
import type { GraphDrawing } from "../../../core/view/layout/drawing.ts";
import { GraphView, GraphLegend } from "../graph/graph-view.tsx";
import { ZoomButtons, type GraphHandle } from "../graph/viewport.tsx";
import { Button } from "../ui/buttons.tsx";
import { useScreenWidth } from "../browser/display.ts";
import { ProblemCallout, ConnectBar, AddSocketButton } from "./canvas-overlays.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { addNewSocket } from "../loadout-editor/use-editor-keys.ts";
import {
  useGraphSelection,
  useConnectSockets,
  useEditorDrawing,
  useGraphEditing,
  type PendingConnection,
} from "../loadout-editor/use-canvas.ts";
import { bindSheets } from "../ui/classes.ts";
import editorSheet from "./editor.module.css";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { Icon } from "../ui/icons.tsx";

const css = bindSheets(editorSheet);

export interface CanvasProps {
  readonly handle: RefObject<GraphHandle | null>;
  readonly connecting: PendingConnection | null;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly onOpen: () => void;
  readonly onAdd: () => void;
  readonly pendingFocus: RefObject<string | null>;
}

export function EditorCanvas(props: CanvasProps): ReactElement {
  const { checked, loadout } = useEditor();
  // An empty graph still accepts drops.
  return Object.keys(loadout.sockets).length === 0 || Object.keys(checked.graph.sockets).length === 0 ? (
    <EmptyCanvas onAdd={props.onAdd} />
  ) : (
    <GraphCanvas {...props} />
  );
}

function EmptyCanvas({ onAdd }: { readonly onAdd: () => void }): ReactElement {
  const editor = useEditor();
  const drop = (event: DragEvent): void => {
    const materia = event.dataTransfer.getData("text/materia");
    if (materia === "") return;
    event.preventDefault();
    addNewSocket(editor, materia, (each) => addSocket(each, materia));
  };
  return (
    <div
      data-canvas
      className={css("canvas empty-canvas")}
      onDrop={drop}
      onDragOver={(event) => event.preventDefault()}
    >
      <p>No sockets yet. Drag a materia here, or add one.</p>
      <Button look="primary" icon="plus" off={editor.readOnly} onClick={onAdd}>
        Add a socket <kbd>A</kbd>
      </Button>
    </div>
  );
}

function GraphCanvas(props: CanvasProps): ReactElement {
  const { handle, connecting, setConnecting, onOpen, onAdd } = props;
  const { name, checked, selected, readOnly } = useEditor();
  const width = useScreenWidth();
  const drawn = useEditorDrawing(width !== "large");
  const { drawing, marks } = drawn;
  const draw = useConnectSockets();
  const edit = useGraphEditing(drawn, draw);
  const choose = useGraphSelection({ connecting, setConnecting, draw, onOpen: width === "small" ? onOpen : undefined });
  usePendingFocus(props, drawing);
  return (
    <div
      data-canvas
      className={css("canvas")}
      data-connecting={connecting !== null || undefined}
      onKeyUpCapture={suppressSpaceClick}
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
        fitWhole
        handle={handle}
        {...(readOnly === null ? { edit } : {})}
      >
        <AddSocketButton drawing={drawing} onAdd={onAdd} />
        {width === "large" && <ProblemCallout drawing={drawing} />}
      </GraphView>
      {connecting && (
        <ConnectBar
          connecting={connecting}
          setConnecting={setConnecting}
          onEnd={() => draw(connecting.from, "end", connecting.when ?? undefined)}
        />
      )}
      <CanvasFooter handle={handle} />
    </div>
  );
}

/** Space selected already: the click that the browser adds would select again. */
function suppressSpaceClick(event: KeyboardEvent): void {
  if (event.key === " " && event.target instanceof HTMLElement && event.target.dataset["part"] !== undefined)
    event.preventDefault();
}

function usePendingFocus({ pendingFocus: awaited, handle }: CanvasProps, drawing: GraphDrawing): void {
  useEffect(() => {
    const id = awaited.current;
    if (id === null || !drawing.sockets.some((socket) => socket.id === id)) return;
    awaited.current = null;
    handle.current?.focus(id);
  }, [awaited, drawing, handle]);
}

function CanvasFooter({ handle }: { readonly handle: RefObject<GraphHandle | null> }): ReactElement {
  return (
    <div className={css("below-canvas")}>
      <ZoomButtons handle={handle} />
      <FindSocketField handle={handle} />
      <GraphLegend />
    </div>
  );
}

/** [E28] Finds a socket by letters of its id or materia; Enter goes to the next match. */
function FindSocketField({ handle }: { readonly handle: RefObject<GraphHandle | null> }): ReactElement {
  const { loadout, select } = useEditor();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useKeysOutsideDialogs({ f: () => field.current?.focus() });
  const sought = text.trim().toLowerCase();
  const found = Object.entries(loadout.sockets).filter(([id, { materia }]) =>
    `${id} ${materia}`.toLowerCase().includes(sought),
  );
  const go = (index: number): void => {
    const id = found[index % Math.max(1, found.length)]?.[0];
    if (sought === "" || id === undefined) return;
    select({ kind: "socket", id });
    handle.current?.center(id);
    setAt(index + 1);
  };
  return (
    <label className={css("field find-socket")}>
      <Icon name="search" />
      <input
        ref={field}
        placeholder="Find a socket"
        aria-label="Find a socket"
        aria-keyshortcuts="f"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(at);
        }}
      />
      {sought !== "" && <span role="status">{found.length || "none"}</span>}
    </label>
  );
}
