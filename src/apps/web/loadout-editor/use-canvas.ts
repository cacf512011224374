import { useMemo, useState, type KeyboardEvent } from "react";
import { connectSockets } from "../../../core/edit/edges-and-exits.ts";
import { addSocket, nextSocketId, placeSockets } from "../../../core/edit/sockets.ts";
import type { Destination } from "../../../core/model/ids.ts";
import type { Condition, Loadout } from "../../../core/model/loadout.ts";
import { canAnswerSatisfied } from "../../../core/model/materia.ts";
import {
  type GraphDrawing,
  type Point,
  type DrawnLine,
  type PlacedEdge,
  COMPACT_METRICS,
  REGULAR_METRICS,
  scaleMetrics,
  withItemLineRoom,
  type LayoutMetrics,
} from "../../../core/view/layout/drawing.ts";
import type { GraphEditHandlers } from "../graph/graph-view.tsx";
import {
  isSamePart,
  type GraphMarks,
  type GraphPart,
  type EdgeMark,
  type LoopMark,
  type SocketMark,
} from "../graph/graph-marks.ts";
import { useEditor } from "./editor.ts";
import type { Graph } from "../../../core/compile/graph.ts";
import { loopMembersOf, applyManualPositions } from "../../../core/view/layout/manual-positions.ts";
import { layoutGraph } from "../../../core/view/layout/layout.ts";
import { line, toned, type Line, type Tone } from "../../../core/view/line.ts";
import { textScale } from "../browser/display.ts";
import type { CheckedDraft, LoadoutProblem } from "./check-draft.ts";

/** An edge that is being drawn with the keyboard. */
export interface PendingConnection {
  readonly from: string;
  readonly when: Condition | null;
}

type SocketPositions = Readonly<Record<string, Point>>;
type SetDragged = (change: (before: SocketPositions | null) => SocketPositions | null) => void;
type ConnectSockets = (from: string, to: string, when?: Condition) => void;

/** The current drawing, with dragged sockets at the pointer. */
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

/** Connects two sockets; without a condition `connectSockets` chooses one. */
export function useConnectSockets(): ConnectSockets {
  const { catalog, loadout, apply } = useEditor();
  return (from, to, when) => {
    const own = catalog.materia.get(loadout.sockets[from]?.materia ?? "")?.value;
    const judges = own !== undefined && canAnswerSatisfied(own, loadout.sockets[from]?.parse);
    const drawn = { from, to: to as Destination, judges, ...(when === undefined ? {} : { when }) }; // a socket or the end
    apply(`Connect ${from} to ${to}`, (each) => connectSockets(each, drawn));
  };
}

/** Edits by pointer. */
export function useGraphEditing(
  drawing: GraphDrawing,
  draw: ConnectSockets,
  setDragged: SetDragged,
): GraphEditHandlers {
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
      onFrame: (ids) => {
        // Shift also marks text, which would be copied instead.
        getSelection()?.removeAllRanges();
        select(...ids.map((id) => ({ kind: "socket" as const, id })));
      },
      onConnect: (from, to, handle) => draw(from, to, handle === "rework" ? "not_satisfied" : undefined),
      onDrop: (materia, at) => {
        const id = nextSocketId(loadout);
        const place = snapToColumn(snapToGrid({ x: at.x - 118, y: at.y - 23 }), drawing, []);
        if (apply(`Add ${materia}`, (each) => addSocket(each, materia, place))) select({ kind: "socket", id });
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

/** Keep sockets visible, on a fine grid. */
function snapToGrid({ x, y }: Point): Point {
  return { x: Math.max(4, Math.round(x / 4) * 4), y: Math.max(4, Math.round(y / 4) * 4) };
}

const SNAP_DISTANCE_PX = 18;

/** A socket dropped near the rail of another snaps to it. */
function snapToColumn({ x, y }: Point, { sockets }: GraphDrawing, moved: readonly string[]): Point {
  const rails = sockets.filter(({ id }) => !moved.includes(id)).map(({ box }) => box.x);
  const rail = rails.toSorted((a, b) => Math.abs(a - x) - Math.abs(b - x))[0];
  return rail !== undefined && Math.abs(rail - x) <= SNAP_DISTANCE_PX ? { x: rail, y } : { x, y };
}

/** A layout with the labels of its edges. */
interface LabelledDrawing {
  readonly drawing: GraphDrawing;
  readonly labels: ReadonlyMap<string, readonly string[]>;
  readonly metrics: LayoutMetrics;
}

/** The automatic layout, with the order of edges. */
function drawLabelledGraph(graph: Graph, compact: boolean, loopsTell: boolean): LabelledDrawing {
  const plain = scaleMetrics(compact ? COMPACT_METRICS : REGULAR_METRICS, textScale());
  const metrics = loopsTell ? withItemLineRoom(plain) : plain;
  const first = layoutGraph(graph, { metrics, longestLabelOf: (way) => edgeLabelLines(graph, way, false) });
  const lanes = new Set(first.edges.filter(isLane).map(({ way }) => way.id));
  const labels = new Map(first.edges.map(({ way }) => [way.id, edgeLabelLines(graph, way, lanes.has(way.id))]));
  return {
    drawing: layoutGraph(graph, { metrics, longestLabelOf: (way) => labels.get(way.id) ?? [] }),
    labels,
    metrics,
  };
}

/** The layout with the positions set by hand. */
function applyHandLayout({ drawing, metrics }: LabelledDrawing, graph: Graph, layout: Loadout["layout"]): GraphDrawing {
  return applyManualPositions(drawing, layout, { members: loopMembersOf(graph), metrics });
}

function isLane({ points }: PlacedEdge): boolean {
  return points.length > 3;
}

/** `2 · ✗ not satisfied` and `up to 3`; `always` is shown only on edges beside the rail. */
export function edgeLabelLines(graph: Graph, way: DrawnLine, lane: boolean): readonly string[] {
  if (way.via === "items") return ["work items"];
  if (way.via !== "edge") return way.label === "" ? [] : [way.label];
  const several = (graph.sockets[way.from]?.edges.length ?? 0) > 1;
  const order = several && way.index !== undefined ? `${way.index + 1} · ` : "";
  const words = way.when === "always" ? (several || lane ? "always" : "") : way.label;
  const next = way.thenNext ? ", then next" : "";
  const limit = way.maxTraversals === undefined ? [] : [`up to ${way.maxTraversals}${next}`];
  if (way.then) return [way.label];
  return words === "" ? limit : [`${order}${words}`, ...limit];
}

/** Marks for the problems of sockets, edges and loops. */
function problemMarks({ graph, problems }: CheckedDraft, labels: ReadonlyMap<string, readonly string[]>): GraphMarks {
  const edges = new Map<string, EdgeMark>(
    [...labels].map(([id, lines]) => [
      id,
      { label: lines.map((text): Line => line(text)), ...edgeProblem(problems, id) },
    ]),
  );
  const sockets = new Map<string, SocketMark>();
  const loops = new Map<string, LoopMark>();
  // Problems are sorted by severity: the first one of each part counts.
  for (const { issue, place } of problems) {
    const { severity, message: text } = issue;
    if (place.kind === "socket" && !sockets.has(place.id)) sockets.set(place.id, { problem: { severity, text } });
    if (place.kind !== "loop" || loops.has(place.id) || !graph.loops[place.id]) continue;
    const tone: Tone = severity === "error" ? "bad" : "rework";
    loops.set(place.id, { secondLine: line(toned(tone, `${severity === "error" ? "!" : "?"} ${text}`)) });
  }
  return { sockets, edges, loops };
}

function edgeProblem(problems: readonly LoadoutProblem[], way: string): EdgeMark {
  const found = problems.find(({ ways }) => ways.includes(way));
  return found ? { problem: found.issue.severity } : {};
}
