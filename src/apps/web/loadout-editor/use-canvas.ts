import { useMemo, useState, type KeyboardEvent } from "react";
import { connectSockets } from "../../../core/edit/edges-and-exits.ts";
import { addSocket, nextSocketId, placeSockets } from "../../../core/edit/loadout-edit.ts";
import type { Destination } from "../../../core/model/ids.ts";
import type { Condition } from "../../../core/model/loadout.ts";
import { canAnswerSatisfied } from "../../../core/model/materia.ts";
import { type GraphDrawing, type Point, type RouteStyle } from "../../../core/view/layout/drawing.ts";
import type { GraphEditHandlers } from "../graph/graph-view.tsx";
import {
  drawingMetrics,
  includesPart,
  socketPart,
  type GraphMarks,
  type GraphPart,
  type EdgeMark,
  type LoopMark,
  type SocketMark,
} from "../graph/graph-marks.ts";
import { useEditor, type Editor, type CheckedDraft } from "./editor.ts";
import type { Graph } from "../../../core/compile/graph.ts";
import type { DrawnWay } from "../../../core/view/graph/drawn-ways.ts";
import { applyManualPositions } from "../../../core/view/layout/manual-positions.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { line, toned } from "../../../core/view/line.ts";

export interface PendingConnection {
  readonly from: string;
  readonly when: Condition | null;
}

/** The current drawing, with dragged sockets at the pointer. */
export function useEditorDrawing(compact: boolean) {
  const { checked, loadout } = useEditor();
  const [dragged, setDragged] = useState<Readonly<Record<string, Point>> | null>(null);
  const { graph } = checked;
  const tells = checked.problems.some(({ place }) => place.kind === "loop");
  const metrics = useMemo(() => drawingMetrics(compact, tells), [compact, tells]);
  const base = useMemo(
    () => layoutGraph(graph, { metrics, longestLabelOf: (way, runs) => edgeLabelLines(graph, way, runs) }),
    [graph, metrics],
  );
  const drawing = useMemo(
    () => applyManualPositions(base, { ...loadout.layout, ...dragged }, { graph, metrics }),
    [base, graph, metrics, loadout.layout, dragged],
  );
  const marks = useMemo(() => problemMarks(checked, base), [checked, base]);
  return { drawing, marks, setDragged };
}

/** Connects two sockets; without a condition `connectSockets` chooses one. */
export function useConnectSockets() {
  const editor = useEditor();
  return (from: string, to: string, when?: Condition): void => {
    const judges = canSocketJudge(editor, from);
    const drawn = { from, to: to as Destination, judges, when }; // a socket or the end
    editor.apply(`Connect ${from} to ${to}`, (each) => connectSockets(each, drawn));
  };
}

export function canSocketJudge({ catalog, loadout }: Editor, id: string): boolean {
  const socket = loadout.sockets[id];
  const own = catalog.materia.get(socket?.materia ?? "")?.value;
  return own !== undefined && canAnswerSatisfied(own, socket?.parse);
}

export function useGraphEditing(
  { drawing, setDragged }: ReturnType<typeof useEditorDrawing>,
  draw: ReturnType<typeof useConnectSockets>,
): GraphEditHandlers {
  const { apply, loadout, select, catalog } = useEditor();
  return useMemo(
    () => ({
      onMove: (positions, isDone) => {
        const moved = Object.keys(positions);
        const held = Object.fromEntries(Object.entries(positions).map(([id, at]) => [id, snap(at, drawing, moved)]));
        setDragged((before) => (isDone ? null : { ...before, ...held }));
        if (isDone) apply(`Move ${moved.join(", ")}`, (each) => placeSockets(each, held));
      },
      onFrame: (ids) => {
        // Shift also marks text, which would be copied instead.
        getSelection()?.removeAllRanges();
        select(...ids.map(socketPart));
      },
      onConnect: (from, to, handle) => draw(from, to, handle === "rework" ? "not_satisfied" : undefined),
      onDrop: (materia, at) => {
        const id = nextSocketId(loadout);
        const place = snap({ x: at.x - 118, y: at.y - 23 }, drawing, []);
        if (apply(`Add ${materia}`, (each) => addSocket(each, materia, place))) select(socketPart(id));
      },
    }),
    // The editor's functions change only with the loadout.
    [apply, loadout, select, catalog, drawing],
  );
}

/** Selection by pointer and keys, and the target while an edge is drawn. */
export function useGraphSelection(props: {
  readonly connecting: PendingConnection | null;
  readonly setConnecting: (connecting: PendingConnection | null) => void;
  readonly draw: ReturnType<typeof useConnectSockets>;
  readonly onOpen: (() => void) | undefined;
}) {
  const { connecting, setConnecting, draw, onOpen } = props;
  const { selected, select } = useEditor();
  const toggle = (part: GraphPart): void => {
    const others = selected.filter(({ kind, id }) => kind === "socket" && id !== part.id);
    select(...others, ...(includesPart(selected, part) ? [] : [part]));
  };
  const lead = (from: PendingConnection, to: string): void => {
    draw(from.from, to, from.when ?? undefined);
    setConnecting(null);
  };
  return {
    onSelect: (part: GraphPart | null, { add }: { readonly add: boolean }): void => {
      if (connecting && part?.kind === "socket") lead(connecting, part.id);
      else if (!part) select();
      else if (add && part.kind === "socket") toggle(part);
      else {
        select(part);
        onOpen?.();
      }
    },
    onKey: (event: KeyboardEvent, focus: GraphPart | null): boolean => {
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

const SNAP_DISTANCE_PX = 18;

/** Keeps sockets visible, on a fine grid; near the rail of another socket, on that rail. */
function snap(at: Point, { sockets }: GraphDrawing, moved: readonly string[]): Point {
  const onGrid = (value: number): number => Math.max(4, Math.round(value / 4) * 4);
  const [x, y] = [onGrid(at.x), onGrid(at.y)];
  const rails = sockets.filter(({ id }) => !moved.includes(id)).map(({ box }) => box.x);
  const [rail = x] = rails.toSorted((a, b) => Math.abs(a - x) - Math.abs(b - x));
  return { x: Math.abs(rail - x) <= SNAP_DISTANCE_PX ? rail : x, y };
}

/** `2 · ✗ not satisfied` and `up to 3`; `always` is shown only on edges beside the rail. */
export function edgeLabelLines(graph: Graph, way: DrawnWay, runs: RouteStyle): readonly string[] {
  if (way.via !== "edge") return way.label === "" ? [] : [way.label];
  const several = (graph.sockets[way.from]?.edges.length ?? 0) > 1;
  const order = several && way.index !== undefined ? `${way.index + 1} · ` : "";
  const words = way.when === "always" ? (several || runs === "lane" ? "always" : "") : way.label;
  const next = way.thenNext ? ", then next" : "";
  const limit = way.maxTraversals === undefined ? [] : [`up to ${way.maxTraversals}${next}`];
  if (way.then) return [way.label];
  return words === "" ? limit : [`${order}${words}`, ...limit];
}

function problemMarks({ graph, problems }: CheckedDraft, drawing: GraphDrawing): GraphMarks {
  const edges = new Map<string, EdgeMark>(
    drawing.edges.map(({ way, runs }) => {
      const label = edgeLabelLines(graph, way, runs).map((text) => line(text));
      const problem = problems.find(({ ways }) => ways.includes(way.id))?.issue.severity;
      return [way.id, { label, problem }];
    }),
  );
  const sockets = new Map<string, SocketMark>();
  const loops = new Map<string, LoopMark>();
  // Problems are sorted by severity: the first one of each part counts.
  for (const { issue, place } of problems) {
    const { severity, message: text } = issue;
    const isError = severity === "error";
    if (place.kind === "socket" && !sockets.has(place.id)) sockets.set(place.id, { problem: { severity, text } });
    if (place.kind !== "loop" || loops.has(place.id) || !graph.loops[place.id]) continue;
    loops.set(place.id, { secondLine: line(toned(isError ? "bad" : "rework", `${isError ? "!" : "?"} ${text}`)) });
  }
  return { sockets, edges, loops };
}
