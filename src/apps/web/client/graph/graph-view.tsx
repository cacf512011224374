/**
 * The one drawing of a graph. Give it a compiled graph and `layoutGraph(graph, …)`; what is true of the moment comes
 * as `marks`. An editor passes `edit` (drag, connect, drop) and `onKey`; without it nothing can be moved.
 */
import { ReactFlow, ReactFlowProvider, ViewportPortal } from "@xyflow/react";
import type { Node, NodeChange } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useMemo, useRef } from "react";
import type { KeyboardEvent, ReactElement, ReactNode, Ref } from "react";
import { materiaOf } from "../../../../core/compile/graph.ts";
import type { Graph, Origin } from "../../../../core/compile/graph.ts";
import type { Drawing, Point } from "../../../../core/view/draw/drawing.ts";
import { Edges } from "./edges.tsx";
import { useGraphKeys } from "./graph-keys.ts";
import type { Marks, Part } from "./marks.ts";
import { BandNode, EndNode, RegionNode, SocketNode } from "./nodes.tsx";
import { useViewport } from "./use-viewport.ts";
import type { GraphHandle } from "./use-viewport.ts";
import { classesOf } from "../browser/classes.ts";
import edgesSheet from "./edges.module.css";
import graphSheet from "./graph.module.css";
import nodeSheet from "./node.module.css";

const css = classesOf(nodeSheet, graphSheet, edgesSheet);

/** Changes by hand. Nothing is kept here: the editor answers with another graph or drawing. */
export interface GraphEdit {
  /** While sockets are dragged, and once more with `isDone` when they are let go; in pixels of the drawing. */
  readonly onMove?: (positions: Readonly<Record<string, Point>>, isDone: boolean) => void;
  /** From the round (forward), square (return) or diamond (rework) handle of a socket onto a socket or the end. */
  readonly onConnect?: (from: string, to: string, handle: "forward" | "return" | "rework") => void;
  /** Something was dropped that was dragged with `dataTransfer.setData("text/materia", name)`. */
  readonly onDrop?: (materia: string, at: Point) => void;
}

export interface GraphViewProps {
  readonly graph: Graph;
  readonly drawing: Drawing;
  readonly label: string;
  readonly marks?: Marks;
  /** Sockets, edges and loops that are chosen. */
  readonly selected?: readonly Part[];
  readonly onSelect?: (part: Part | null, options: { readonly add: boolean }) => void;
  readonly onOpen?: (part: Part) => void;
  /** Before the keys of the graph itself; true means that it was taken. */
  readonly onKey?: (event: KeyboardEvent, focus: Part | null) => boolean;
  readonly edit?: GraphEdit;
  readonly compact?: boolean;
  /** As high as the drawing, so that the page scrolls and not the graph: on small screens. */
  readonly grows?: boolean;
  readonly handle?: Ref<GraphHandle>;
  /** Callouts and the like, in pixels of the drawing. */
  readonly children?: ReactNode;
}

const NODE_TYPES = { socket: SocketNode, region: RegionNode, band: BandNode, end: EndNode };

export function GraphView(props: GraphViewProps): ReactElement {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas(props: GraphViewProps): ReactElement {
  const {
    graph,
    drawing,
    label,
    marks,
    selected = [],
    onSelect,
    edit,
    compact = false,
    grows = false,
    children,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useViewport(box, drawing, { grows, handle: props.handle });
  const keys = useGraphKeys(box, { ...props, reveal: view.reveal });
  const nodes = useMemo(
    () => nodesOf({ graph, drawing, marks, selected, compact, edit: edit !== undefined, focus: keys.focus }),
    [graph, drawing, marks, selected, compact, edit, keys.focus],
  );
  const onNodesChange = (changes: readonly NodeChange[]): void => {
    const moves = changes.flatMap((change) =>
      change.type === "position" && change.position ? [[change.id, change.position] as const] : [],
    );
    const isDone = changes.some((change) => change.type === "position" && change.dragging === false);
    if (moves.length > 0) edit?.onMove?.(Object.fromEntries(moves), isDone);
  };
  return (
    <div
      data-graph
      className={css(`graph-box ${compact ? "compact" : ""} ${grows ? "grows" : ""} ${edit ? "editing" : ""}`)}
      ref={box}
      style={grows ? { height: view.height } : undefined}
      onKeyDown={keys.onKeyDown}
      onFocus={keys.onFocus}
      onDragOver={(event) => {
        if (edit?.onDrop && event.dataTransfer.types.includes("text/materia")) event.preventDefault();
      }}
      onDrop={(event) => {
        const materia = event.dataTransfer.getData("text/materia");
        if (materia !== "") edit?.onDrop?.(materia, view.toDrawing({ x: event.clientX, y: event.clientY }));
      }}
    >
      <ReactFlow
        aria-label={label}
        nodes={nodes}
        edges={NO_EDGES}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onNodeClick={(event, { id, type }) => {
          const add = event.shiftKey || event.ctrlKey || event.metaKey;
          if (type === "socket") onSelect?.({ kind: "socket", id }, { add });
          else if (type === "region") onSelect?.({ kind: "loop", id: id.slice("loop ".length) }, { add });
        }}
        onPaneClick={() => onSelect?.(null, { add: false })}
        onConnect={({ source, target, sourceHandle }) =>
          edit?.onConnect?.(source, target, (sourceHandle ?? "forward") as "forward" | "return" | "rework")
        }
        nodesDraggable={edit?.onMove !== undefined}
        nodesConnectable={edit?.onConnect !== undefined}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        onlyRenderVisibleElements={drawing.sockets.length > 80}
        panOnDrag={!grows}
        panOnScroll={!grows}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        zoomOnPinch={!grows}
        preventScrolling={!grows}
        minZoom={0.15}
        maxZoom={2}
        connectionRadius={48}
        translateExtent={view.extent}
        proOptions={HIDE}
      >
        <ViewportPortal>
          <Edges
            graph={graph}
            drawing={drawing}
            marks={marks}
            selected={selected}
            focus={keys.focus}
            editing={edit !== undefined}
            onSelect={onSelect}
          />
          {children}
        </ViewportPortal>
      </ReactFlow>
    </div>
  );
}

const NO_EDGES: never[] = [];
const HIDE = { hideAttribution: true };

interface Drawn extends Pick<GraphViewProps, "graph" | "drawing"> {
  readonly marks: Marks | undefined;
  readonly selected: readonly Part[];
  readonly compact: boolean;
  readonly edit: boolean;
  readonly focus: Part | null;
}

function nodesOf({ graph, drawing, marks, selected, compact, edit, focus }: Drawn): Node[] {
  const isChosen = (kind: Part["kind"], id: string): boolean =>
    selected.some((part) => part.kind === kind && part.id === id);
  const first = drawing.sockets[0]?.id;
  const stop = focus?.kind === "socket" ? focus.id : first;
  return [
    ...drawing.bands.map(({ target, name, box, title }) =>
      node(`band ${target}`, "band", box, -1, { target, kind: kindOf(graph, target), name, title, box }),
    ),
    ...drawing.loops.map((loop) =>
      node(`loop ${loop.id}`, "region", loop.box, 0, {
        loop,
        mark: marks?.loops?.get(loop.id),
        chosen: isChosen("loop", loop.id),
        clickable: edit,
      }),
    ),
    ...drawing.sockets.flatMap(({ id, box }) => {
      const socket = graph.sockets[id];
      if (!socket) return [];
      return [
        {
          ...node(id, "socket", box, 3, {
            socket,
            materia: materiaOf(graph, socket),
            isEntry: edit && id === graph.entry,
            isConsumer: socket.loop !== null && (graph.loops[socket.loop]?.from ?? null) !== null,
            mark: marks?.sockets?.get(id),
            chosen: isChosen("socket", id),
            isStop: id === stop && focus?.kind !== "edge",
            compact,
            edit,
          }),
          draggable: edit,
        },
      ];
    }),
    ...(drawing.end ? [node("end", "end", drawing.end, 3, { edit })] : []),
  ];
}

function kindOf(graph: Graph, target: number): Origin["kind"] {
  return Object.values(graph.sockets).find(({ origin }) => origin.target === target)?.origin.kind ?? "loadout";
}

function node(
  id: string,
  type: string,
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  zIndex: number,
  data: Record<string, unknown>,
): Node {
  return {
    id,
    type,
    position: { x, y },
    width,
    height,
    // Told, not measured: the layout decides every size, and nothing waits for the browser.
    measured: { width, height },
    zIndex,
    draggable: false,
    selectable: false,
    data,
  };
}
