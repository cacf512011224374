/**
 * Draws a graph for all pages, from a compiled graph and its `layoutGraph(graph, …)`. `marks` add the current state.
 * An editor passes `edit` (drag, connect, drop) and `onKey`; otherwise nothing can be moved.
 */
import {
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  ViewportPortal,
  type Connection,
  type Node,
  type NodeChange,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import {
  useMemo,
  useRef,
  type CSSProperties,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
} from "react";
import { materiaOf, type Graph } from "../../../core/compile/graph.ts";
import type { GraphDrawing, Point } from "../../../core/view/layout/drawing.ts";
import { EdgeLayer } from "./edges.tsx";
import { createFlowNodes, TargetBandNode, EndNode, LoopNode, SocketNode } from "./nodes.tsx";
import { useGraphKeys } from "./graph-keys.ts";
import { MiniMap, MINI_MAP_MIN_SOCKETS, LEAST_ZOOM, useGraphViewport, type GraphHandle } from "./viewport.tsx";
import type { GraphMarks, GraphPart } from "./graph-marks.ts";
import { bindSheets } from "../ui/classes.ts";
import edgesSheet from "./edges.module.css";
import graphSheet from "./graph.module.css";
import nodeSheet from "./nodes.module.css";
import { MateriaIcon } from "../ui/icons.tsx";
import { renderSymbols } from "../ui/line-text.tsx";

const css = bindSheets(nodeSheet, graphSheet, edgesSheet);

/** Edits by hand. The editor stores them and passes a new graph or layout. */
export interface GraphEditHandlers {
  /** While sockets are dragged, and with `isDone` when they are dropped; in pixels of the drawing. */
  readonly onMove: (positions: Readonly<Record<string, Point>>, isDone: boolean) => void;
  /** An edge from the round (forward), square (return) or diamond (rework) handle to a socket or the end. */
  readonly onConnect: (from: string, to: string, handle: "forward" | "return" | "rework") => void;
  /** [E31] The sockets inside a frame that was drawn with Shift. */
  readonly onFrame: (sockets: readonly string[]) => void;
  /** A drop of `dataTransfer.setData("text/materia", name)`. */
  readonly onDrop: (materia: string, at: Point) => void;
}

export interface GraphViewProps {
  readonly graph: Graph;
  readonly drawing: GraphDrawing;
  readonly label: string;
  readonly marks?: GraphMarks;
  readonly selected?: readonly GraphPart[];
  readonly onSelect?: (part: GraphPart | null, options: { readonly add: boolean }) => void;
  readonly onOpen?: (part: GraphPart) => void;
  /** Runs before the keys of the graph; true means handled. */
  readonly onKey?: (event: KeyboardEvent, focus: GraphPart | null) => boolean;
  readonly edit?: GraphEditHandlers;
  readonly compact?: boolean;
  /** Starts with the whole graph in view; otherwise with its whole width at a readable size. */
  readonly fitWhole?: boolean;
  readonly handle?: Ref<GraphHandle>;
  readonly children?: ReactNode;
}

const NODE_TYPES = { socket: SocketNode, region: LoopNode, band: TargetBandNode, end: EndNode };

export function GraphView(props: GraphViewProps): ReactElement {
  return (
    <ReactFlowProvider>
      <GraphCanvas {...props} />
    </ReactFlowProvider>
  );
}

function GraphCanvas(props: GraphViewProps): ReactElement {
  const { graph, drawing, marks, selected = [], onSelect, edit, compact = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useGraphViewport(box, drawing, { whole: props.fitWhole ?? false, handle: props.handle });
  const hasMap = drawing.sockets.length > MINI_MAP_MIN_SOCKETS;
  const isFar = useStore(({ transform }) => transform[2] < FAR_ZOOM);
  const framed = useRef<Set<string> | null>(null);
  const keys = useGraphKeys(box, { ...props, reveal: view.reveal });
  const shown = { graph, drawing, marks, selected, focus: keys.focus, editing: edit !== undefined, onSelect };
  const nodes = useMemo(
    () => createFlowNodes({ ...shown, compact }),
    [graph, drawing, marks, selected, compact, edit, keys.focus],
  );
  return (
    <div
      data-graph
      data-far={isFar || undefined}
      className={css(`graph-box ${compact ? "compact" : ""} ${edit ? "editing" : ""} ${hasMap ? "mapped" : ""}`)}
      ref={box}
      style={{ "--drawn-height": `${drawing.height}px` } as CSSProperties}
      onKeyDown={keys.onKeyDown}
      onFocus={keys.onFocus}
      {...dropHandlers(edit, view.toDrawing)}
    >
      <ReactFlow
        aria-label={props.label}
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        {...clickHandlers(onSelect)}
        {...FLOW_OPTIONS}
        {...changeHandlers(edit, framed)}
        onlyRenderVisibleElements={drawing.sockets.length > 80}
        translateExtent={view.extent}
      >
        <ViewportPortal>
          <EdgeLayer {...shown} />
          {props.children}
        </ViewportPortal>
      </ReactFlow>
      {hasMap && (
        <MiniMap
          drawing={drawing}
          stateOf={(id) => {
            const mark = marks?.sockets?.get(id);
            return mark?.problem?.severity === "error" ? "failed" : mark?.state;
          }}
          colorOf={(id) => graph.sockets[id] && materiaOf(graph, graph.sockets[id]).color}
          width={view.width}
          height={view.height}
        />
      )}
    </div>
  );
}

const NO_EDGES: never[] = [];
/** Borders and letters cannot be seen below it. */
const FAR_ZOOM = 0.3;

/** React Flow's own keys, selection and edges are off. */
const FLOW_OPTIONS = {
  nodesFocusable: false,
  edgesFocusable: false,
  selectionKeyCode: "Shift",
  multiSelectionKeyCode: null,
  deleteKeyCode: null,
  selectionMode: SelectionMode.Partial,
  disableKeyboardA11y: true,
  zoomOnScroll: false,
  panOnScroll: true,
  zoomOnDoubleClick: false,
  minZoom: LEAST_ZOOM,
  maxZoom: 2,
  connectionRadius: 48,
  proOptions: { hideAttribution: true },
} as const;

function clickHandlers(onSelect: GraphViewProps["onSelect"]) {
  return {
    onNodeClick: (event: MouseEvent, { id, type }: Node): void => {
      const add = event.shiftKey || event.ctrlKey || event.metaKey;
      if (type === "socket") onSelect?.({ kind: "socket", id }, { add });
      else if (type === "region") onSelect?.({ kind: "loop", id: id.slice("loop ".length) }, { add });
    },
    onPaneClick: (): void => onSelect?.(null, { add: false }),
  };
}

function changeHandlers(edit: GraphEditHandlers | undefined, framed: { current: Set<string> | null }) {
  return {
    elementsSelectable: edit !== undefined,
    nodesDraggable: edit !== undefined,
    nodesConnectable: edit !== undefined,
    onSelectionStart: (): void => void (framed.current = new Set()),
    onSelectionEnd: (): void => {
      edit?.onFrame([...(framed.current ?? [])]);
      framed.current = null;
    },
    onNodesChange: (changes: readonly NodeChange[]): void => {
      for (const change of changes)
        if (change.type === "select") framed.current?.[change.selected ? "add" : "delete"](change.id);
      const moves = changes.flatMap((change) =>
        change.type === "position" && change.position ? [[change.id, change.position] as const] : [],
      );
      const isDone = changes.some((change) => change.type === "position" && change.dragging === false);
      if (moves.length > 0) edit?.onMove(Object.fromEntries(moves), isDone);
    },
    onConnect: ({ source, target, sourceHandle }: Connection): void =>
      edit?.onConnect(source, target, (sourceHandle ?? "forward") as "forward" | "return" | "rework"),
  };
}

function dropHandlers(edit: GraphEditHandlers | undefined, toDrawing: (point: Point) => Point) {
  return {
    onDragOver: (event: DragEvent): void => {
      if (edit && event.dataTransfer.types.includes("text/materia")) event.preventDefault();
    },
    onDrop: (event: DragEvent): void => {
      const materia = event.dataTransfer.getData("text/materia");
      if (materia !== "") edit?.onDrop(materia, toDrawing({ x: event.clientX, y: event.clientY }));
    },
  };
}

const LEGEND_EDGES = [
  ["", "always", null],
  ["good", "✓ satisfied", null],
  ["rework", "✗ not satisfied", null],
  ["", "loop exit", "M9 0v10"],
  ["items", "work items", null],
] as const;

const LEGEND_MATERIA_TYPES = ["agent", "utility", "person"] as const;

export function GraphLegend(): ReactElement {
  return (
    <div className={css("legend")}>
      {LEGEND_EDGES.map(([tone, text, gate]) => (
        <span key={text}>
          <svg viewBox="0 0 28 10" className={css("edges")} aria-hidden="true">
            <g className={css(tone)}>
              <path d="M0 5H26" />
              {gate !== null && <path className={css("gate")} d={gate} />}
            </g>
          </svg>
          {renderSymbols(text)}
        </span>
      ))}
      {LEGEND_MATERIA_TYPES.map((type) => (
        <span key={type}>
          <MateriaIcon materia={{ type }} size="sm" />
          {type}
        </span>
      ))}
    </div>
  );
}
