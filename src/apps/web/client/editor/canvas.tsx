import { useEffect, useMemo, useState } from "react";
import type { DragEvent, KeyboardEvent, ReactElement, RefObject } from "react";
import { connect } from "../../../../core/edit/graph/edges.ts";
import { addSocket, nextSocketId, placeSockets } from "../../../../core/edit/graph/sockets.ts";
import type { Point } from "../../../../core/edit/graph/sockets.ts";
import type { Destination } from "../../../../core/model/ids.ts";
import type { Condition } from "../../../../core/model/loadout.ts";
import type { Drawing } from "../../../../core/view/draw/drawing.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { Legend } from "../graph/legend.tsx";
import { samePart } from "../graph/marks.ts";
import type { Part } from "../graph/marks.ts";
import type { GraphHandle } from "../graph/use-viewport.ts";
import { Button } from "../parts/button.tsx";
import { useWidth } from "../shell/use-width.ts";
import { Callout } from "./parts/callout.tsx";
import { ConnectBar } from "./parts/connect-bar.tsx";
import { drawByHand, drawGraph, marksOf } from "./state/drawing.ts";
import { useEditor } from "./state/editor.ts";

/** A way that is being drawn with the keyboard. */
export interface Connecting {
  readonly from: string;
  readonly when: Condition | null;
}

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
    <div className="canvas empty" onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <p>No sockets yet. Drag a materia here, or add one.</p>
      <Button look="primary" icon="plus" off={readOnly} onClick={onAdd}>
        Add a socket <kbd>A</kbd>
      </Button>
    </div>
  );
}

function FullCanvas({ handle, connecting, setConnecting, onOpen, awaited }: CanvasProps): ReactElement {
  const editor = useEditor();
  const { name, checked, loadout, selected, select, apply, readOnly, catalog } = editor;
  const width = useWidth();
  const compact = width !== "large";
  const [dragged, setDragged] = useState<Readonly<Record<string, Point>> | null>(null);
  const { graph } = checked;
  const tells = checked.problems.some(({ place }) => place.kind === "loop");
  const base = useMemo(() => drawGraph(graph, compact, tells), [graph, compact, tells]);
  const drawing = useMemo(
    () => drawByHand(base, graph, dragged ? { ...loadout.layout, ...dragged } : loadout.layout),
    [base, graph, loadout.layout, dragged],
  );
  const marks = useMemo(() => marksOf(checked, base.labels), [checked, base]);
  useAwaited(awaited, drawing, handle);
  const draw = (from: string, to: string, when?: Condition): void => {
    const own = catalog.materia.get(loadout.sockets[from]?.materia ?? "")?.value;
    const judges = own?.generator !== true && (loadout.sockets[from]?.parse ?? own?.parse) === "json";
    // A socket of this graph, or its end.
    const drawn = { from, to: to as Destination, judges, ...(when === undefined ? {} : { when }) };
    apply(`Connect ${from} to ${to}`, (each) => connect(each, drawn));
  };
  const edit = useMemo(
    () => ({
      onMove: (positions: Readonly<Record<string, Point>>, isDone: boolean) => {
        const held = Object.fromEntries(
          Object.entries(positions).map(([id, at]) => [id, onRail(kept(at), drawing, Object.keys(positions))]),
        );
        if (!isDone) return setDragged((before) => ({ ...before, ...held }));
        setDragged(null);
        return void apply(`Move ${Object.keys(held).join(", ")}`, (each) => placeSockets(each, held));
      },
      onConnect: (from: string, to: string, handle: "forward" | "return" | "rework") =>
        draw(from, to, handle === "rework" ? "not_satisfied" : undefined),
      onDrop: (materia: string, at: Point) => {
        const id = nextSocketId(loadout);
        const place = onRail(kept({ x: at.x - 118, y: at.y - 23 }), drawing, []);
        if (apply(`Add ${materia}`, (each) => addSocket(each, materia, place))) select({ kind: "socket", id });
      },
    }),
    // The functions of the editor change with the loadout, and only then.
    [apply, loadout, select, catalog, drawing],
  );
  const onKey = (event: KeyboardEvent, focus: Part | null): boolean => {
    if (connecting) return connectKey(event, focus);
    if (event.key === " " && focus?.kind === "socket") {
      toggle(focus);
      return true;
    }
    return false;
  };
  const connectKey = (event: KeyboardEvent, focus: Part | null): boolean => {
    if (!connecting || event.key.startsWith("Arrow")) return false;
    const to = event.key === "0" ? "end" : event.key === "Enter" && focus?.kind === "socket" ? focus.id : null;
    if (to !== null) {
      draw(connecting.from, to, connecting.when ?? undefined);
      setConnecting(null);
    } else if (event.key === "Escape") setConnecting(null);
    return to !== null || event.key === "Escape";
  };
  const toggle = (part: Part): void => {
    const others = selected.filter((each) => each.kind === "socket" && !samePart(each, part));
    select(...(selected.some((each) => samePart(each, part)) ? others : [...others, part]));
  };
  return (
    <div
      className="canvas"
      data-connecting={connecting !== null || undefined}
      // Space has selected already; the click that a button makes of it would select anew.
      onKeyUpCapture={(event) => {
        if (event.key === " " && event.target instanceof HTMLElement && event.target.dataset["part"] !== undefined)
          event.preventDefault();
      }}
    >
      <GraphView
        graph={graph}
        drawing={drawing}
        label={`${name}, ${drawing.sockets.length} sockets, ${checked.problems.length} problems`}
        marks={marks}
        selected={selected}
        onSelect={(part, { add }) => {
          if (connecting && part?.kind === "socket") {
            draw(connecting.from, part.id, connecting.when ?? undefined);
            setConnecting(null);
          } else if (!part) select();
          else if (add && part.kind === "socket") toggle(part);
          else {
            select(part);
            if (width === "small") onOpen();
          }
        }}
        onOpen={onOpen}
        onKey={onKey}
        compact={compact}
        grows={width === "small"}
        handle={handle}
        {...(readOnly === null ? { edit } : {})}
      >
        {width === "large" && <Callout drawing={drawing} />}
      </GraphView>
      {connecting && (
        <ConnectBar
          connecting={connecting}
          setConnecting={setConnecting}
          onEnd={() => draw(connecting.from, "end", connecting.when ?? undefined)}
        />
      )}
      {width === "large" && <Furniture handle={handle} />}
    </div>
  );
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

/** Nothing is put where it cannot be seen, and sockets stand on a fine grid. */
function kept({ x, y }: Point): Point {
  return { x: Math.max(4, Math.round(x / 4) * 4), y: Math.max(4, Math.round(y / 4) * 4) };
}

const NEAR = 18;

/** A socket that is put almost on the rail of another stands on it. */
function onRail({ x, y }: Point, { sockets }: Drawing, moved: readonly string[]): Point {
  const rails = sockets.filter(({ id }) => !moved.includes(id)).map(({ box }) => box.x);
  const rail = rails.toSorted((a, b) => Math.abs(a - x) - Math.abs(b - x))[0];
  return rail !== undefined && Math.abs(rail - x) <= NEAR ? { x: rail, y } : { x, y };
}

function Furniture({ handle }: { readonly handle: CanvasProps["handle"] }): ReactElement {
  return (
    <>
      <div className="leg">
        <Legend />
      </div>
      <div className="zoom" role="group" aria-label="Zoom">
        <Button look="bare" label="Zoom out" className="ico" onClick={() => handle.current?.zoom(1 / 1.2)}>
          −
        </Button>
        <Button look="bare" onClick={() => handle.current?.fit()}>
          Fit
        </Button>
        <Button look="bare" label="Zoom in" className="ico" onClick={() => handle.current?.zoom(1.2)}>
          +
        </Button>
      </div>
      <div className="hint" aria-hidden="true">
        {[
          ["A", "add"],
          ["C", "connect"],
          ["L", "loop"],
          ["Del", "remove"],
          ["?", "all keys"],
        ].map(([key, does]) => (
          <span key={key}>
            <kbd>{key}</kbd> {does}
          </span>
        ))}
      </div>
    </>
  );
}
