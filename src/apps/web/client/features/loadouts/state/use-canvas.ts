import { useMemo, useState, type KeyboardEvent } from "react";
import { connect } from "../../../../../../core/edit/graph/edges.ts";
import { addSocket, nextSocketId, placeSockets } from "../../../../../../core/edit/graph/sockets.ts";
import type { Destination } from "../../../../../../core/model/ids.ts";
import type { Condition } from "../../../../../../core/model/loadout.ts";
import { canJudge } from "../../../../../../core/model/materia.ts";
import type { Drawing, Point } from "../../../../../../core/view/draw/drawing.ts";
import type { GraphEdit } from "../../../graph/graph-view.tsx";
import { samePart, type Marks, type GraphPart } from "../../../graph/marks.ts";
import { drawByHand, drawGraph, marksOf } from "./drawing.ts";
import { useEditor } from "./editor.ts";

/** A way that is being drawn with the keyboard. */
export interface Connecting {
  readonly from: string;
  readonly when: Condition | null;
}

type Places = Readonly<Record<string, Point>>;
type SetDragged = (change: (before: Places | null) => Places | null) => void;
type Draw = (from: string, to: string, when?: Condition) => void;

/** The graph as it is drawn now, with what is being dragged where the pointer has it. */
export function useDrawing(compact: boolean): {
  readonly drawing: Drawing;
  readonly marks: Marks;
  readonly setDragged: SetDragged;
} {
  const { checked, loadout } = useEditor();
  const [dragged, setDragged] = useState<Places | null>(null);
  const { graph } = checked;
  const tells = checked.problems.some(({ place }) => place.kind === "loop");
  const base = useMemo(() => drawGraph(graph, compact, tells), [graph, compact, tells]);
  const drawing = useMemo(
    () => drawByHand(base, graph, dragged ? { ...loadout.layout, ...dragged } : loadout.layout),
    [base, graph, loadout.layout, dragged],
  );
  const marks = useMemo(() => marksOf(checked, base.labels), [checked, base]);
  return { drawing, marks, setDragged };
}

/** Connects two sockets, for the answer that fits where none was chosen. */
export function useDraw(): Draw {
  const { catalog, loadout, apply } = useEditor();
  return (from, to, when) => {
    const own = catalog.materia.get(loadout.sockets[from]?.materia ?? "")?.value;
    const judges = own !== undefined && canJudge(own, loadout.sockets[from]?.parse);
    // A socket of this graph, or its end.
    const drawn = { from, to: to as Destination, judges, ...(when === undefined ? {} : { when }) };
    apply(`Connect ${from} to ${to}`, (each) => connect(each, drawn));
  };
}

/** What the pointer does to the graph. */
export function useGraphEdit(drawing: Drawing, draw: Draw, setDragged: SetDragged): GraphEdit {
  const { apply, loadout, select, catalog } = useEditor();
  return useMemo(
    () => ({
      onMove: (positions, isDone) => {
        const moved = Object.keys(positions);
        const held = Object.fromEntries(
          Object.entries(positions).map(([id, at]) => [id, onRail(kept(at), drawing, moved)]),
        );
        setDragged((before) => (isDone ? null : { ...before, ...held }));
        if (isDone) apply(`Move ${moved.join(", ")}`, (each) => placeSockets(each, held));
      },
      onConnect: (from, to, handle) => draw(from, to, handle === "rework" ? "not_satisfied" : undefined),
      onDrop: (materia, at) => {
        const id = nextSocketId(loadout);
        const place = onRail(kept({ x: at.x - 118, y: at.y - 23 }), drawing, []);
        if (apply(`Add ${materia}`, (each) => addSocket(each, materia, place))) select({ kind: "socket", id });
      },
    }),
    // The functions of the editor change with the loadout, and only then.
    [apply, loadout, select, catalog, drawing],
  );
}

/** What is chosen by pointer and keys, and where a connection leads while one is drawn. */
export function useChoosing(props: {
  readonly connecting: Connecting | null;
  readonly setConnecting: (connecting: Connecting | null) => void;
  readonly draw: Draw;
  readonly onOpen: (() => void) | undefined;
}): {
  readonly onSelect: (part: GraphPart | null, options: { readonly add: boolean }) => void;
  readonly onKey: (event: KeyboardEvent, focus: GraphPart | null) => boolean;
} {
  const { connecting, setConnecting, draw, onOpen } = props;
  const { selected, select } = useEditor();
  const toggle = (part: GraphPart): void => {
    const others = selected.filter((each) => each.kind === "socket" && !samePart(each, part));
    select(...(selected.some((each) => samePart(each, part)) ? others : [...others, part]));
  };
  const lead = (from: Connecting, to: string): void => {
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
