import { useMemo, useState, type KeyboardEvent } from "react";
import { connectSockets } from "../../../../../../core/edit/graph/edges.ts";
import { addSocket, nextSocketId, placeSockets } from "../../../../../../core/edit/graph/sockets.ts";
import type { Destination } from "../../../../../../core/model/ids.ts";
import type { Condition } from "../../../../../../core/model/loadout.ts";
import { canAnswerSatisfied } from "../../../../../../core/model/materia.ts";
import type { GraphDrawing, Point } from "../../../../../../core/view/draw/drawing.ts";
import type { GraphEditHandlers } from "../../../graph/graph-view.tsx";
import { isSamePart, type GraphMarks, type GraphPart } from "../../../graph/marks.ts";
import { applyHandLayout, drawLabelledGraph, problemMarks } from "./drawing.ts";
import { useEditor } from "./editor.ts";

/** A way that is being drawn with the keyboard. */
export interface PendingConnection {
  readonly from: string;
  readonly when: Condition | null;
}

type SocketPositions = Readonly<Record<string, Point>>;
type SetDragged = (change: (before: SocketPositions | null) => SocketPositions | null) => void;
type ConnectSockets = (from: string, to: string, when?: Condition) => void;

/** The graph as it is drawn now, with what is being dragged where the pointer has it. */
export function useEditorDrawing(compact: boolean): {
  readonly drawing: GraphDrawing;
  readonly marks: GraphMarks;
  readonly setDragged: SetDragged;
} {
  const { checked, loadout } = useEditor();
  const [dragged, setDragged] = useState<SocketPositions | null>(null);
  const { graph } = checked;
  const tells = checked.problems.some(({ place }) => place.kind === "loop");
  const base = useMemo(() => drawLabelledGraph(graph, compact, tells), [graph, compact, tells]);
  const drawing = useMemo(
    () => applyHandLayout(base, graph, dragged ? { ...loadout.layout, ...dragged } : loadout.layout),
    [base, graph, loadout.layout, dragged],
  );
  const marks = useMemo(() => problemMarks(checked, base.labels), [checked, base]);
  return { drawing, marks, setDragged };
}

/** Connects two sockets, for the answer that fits where none was chosen. */
export function useConnectSockets(): ConnectSockets {
  const { catalog, loadout, apply } = useEditor();
  return (from, to, when) => {
    const own = catalog.materia.get(loadout.sockets[from]?.materia ?? "")?.value;
    const judges = own !== undefined && canAnswerSatisfied(own, loadout.sockets[from]?.parse);
    // A socket of this graph, or its end.
    const drawn = { from, to: to as Destination, judges, ...(when === undefined ? {} : { when }) };
    apply(`Connect ${from} to ${to}`, (each) => connectSockets(each, drawn));
  };
}

/** What the pointer does to the graph. */
export function useGraphEditing(drawing: GraphDrawing, draw: ConnectSockets, setDragged: SetDragged): GraphEditHandlers {
  const { apply, loadout, select, catalog } = useEditor();
  return useMemo(
    () => ({
      onMove: (positions, isDone) => {
        const moved = Object.keys(positions);
        const held = Object.fromEntries(
          Object.entries(positions).map(([id, at]) => [id, snapToColumn(snapToGrid(at), drawing, moved)]),
        );
        setDragged((before) => (isDone ? null : { ...before, ...held }));
        if (isDone) apply(`Move ${moved.join(", ")}`, (each) => placeSockets(each, held));
      },
      onConnect: (from, to, handle) => draw(from, to, handle === "rework" ? "not_satisfied" : undefined),
      onDrop: (materia, at) => {
        const id = nextSocketId(loadout);
        const place = snapToColumn(snapToGrid({ x: at.x - 118, y: at.y - 23 }), drawing, []);
        if (apply(`Add ${materia}`, (each) => addSocket(each, materia, place))) select({ kind: "socket", id });
      },
    }),
    // The functions of the editor change with the loadout, and only then.
    [apply, loadout, select, catalog, drawing],
  );
}

/** What is chosen by pointer and keys, and where a connection leads while one is drawn. */
export function useGraphSelection(props: {
  readonly connecting: PendingConnection | null;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly draw: ConnectSockets;
  readonly onOpen: (() => void) | undefined;
}): {
  readonly onSelect: (part: GraphPart | null, options: { readonly add: boolean }) => void;
  readonly onKey: (event: KeyboardEvent, focus: GraphPart | null) => boolean;
} {
  const { connecting, setConnecting, draw, onOpen } = props;
  const { selected, select } = useEditor();
  const toggle = (part: GraphPart): void => {
    const others = selected.filter((each) => each.kind === "socket" && !isSamePart(each, part));
    select(...(selected.some((each) => isSamePart(each, part)) ? others : [...others, part]));
  };
  const lead = (from: PendingConnection, to: string): void => {
    draw(from.from, to, from.when ?? undefined);
    setConnecting(null);
  };
  return {
    onSelect: (part, { add }) => {
      if (connecting && part?.kind === "socket") lead(connecting, part.id);
      else if (!part) select();
      else if (add && part.kind === "socket") toggle(part);
      else {
        select(part);
        onOpen?.();
      }
    },
    onKey: (event, focus) => {
      if (!connecting) {
        if (event.key !== " " || focus?.kind !== "socket") return false;
        toggle(focus);
        return true;
      }
      if (event.key === "0") lead(connecting, "end");
      else if (event.key === "Enter" && focus?.kind === "socket") lead(connecting, focus.id);
      else if (event.key === "Escape") setConnecting(null);
      else return false;
      return true;
    },
  };
}

/** Nothing is put where it cannot be seen, and sockets stand on a fine grid. */
function snapToGrid({ x, y }: Point): Point {
  return { x: Math.max(4, Math.round(x / 4) * 4), y: Math.max(4, Math.round(y / 4) * 4) };
}

const SNAP_DISTANCE_PX = 18;

/** A socket that is put almost on the rail of another stands on it. */
function snapToColumn({ x, y }: Point, { sockets }: GraphDrawing, moved: readonly string[]): Point {
  const rails = sockets.filter(({ id }) => !moved.includes(id)).map(({ box }) => box.x);
  const rail = rails.toSorted((a, b) => Math.abs(a - x) - Math.abs(b - x))[0];
  return rail !== undefined && Math.abs(rail - x) <= SNAP_DISTANCE_PX ? { x: rail, y } : { x, y };
}
