import { useState, type FocusEvent, type KeyboardEvent, type RefObject } from "react";
import type { Box, GraphDrawing, PlacedSocket } from "../../../core/view/layout/drawing.ts";
import type { GraphViewProps } from "./graph-view.tsx";
import { boxOfPart, socketPart, type GraphPart } from "./graph-marks.ts";

/** One tab stop for the graph: up and down along the rail, left and right to branches and lanes, E to edges. */
export function useGraphKeys(
  box: RefObject<HTMLDivElement | null>,
  { drawing, onKey, onOpen, onSelect, reveal }: GraphViewProps & { readonly reveal: (box: Box) => void },
) {
  const [focus, setFocus] = useState<GraphPart | null>(null);
  const move = (part: GraphPart | undefined): void => {
    if (!part) return;
    setFocus(part);
    const target = boxOfPart(drawing, part.id);
    if (target) reveal(target);
    // The element may need to be drawn first.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[data-part="${CSS.escape(`${part.kind} ${part.id}`)}"]`)?.focus(),
      ),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = partFromElement(event.target);
    if (!here && event.target !== box.current) return;
    const taken = onKey?.(event, here) === true || event.ctrlKey || event.metaKey || event.altKey;
    const to = taken ? undefined : partForKey(event.key, here, drawing);
    if (to) move(to);
    else if (!taken && event.key === "Enter" && here) {
      onSelect?.(here, { add: false });
      onOpen?.(here);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return {
    focus,
    onKeyDown,
    onFocus: (event: FocusEvent): void => {
      const part = partFromElement(event.target);
      if (part) setFocus(part);
    },
  };
}

export function partFromElement(target: EventTarget | null): GraphPart | null {
  const text = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-part]")?.dataset["part"] : undefined;
  const [, kind, id] = /^(socket|edge|loop) (.*)$/.exec(text ?? "") ?? [];
  return id === undefined ? null : { kind: kind as GraphPart["kind"], id }; // the expression matches only these kinds
}

function partForKey(key: string, here: GraphPart | null, drawing: GraphDrawing): GraphPart | undefined {
  const { sockets } = drawing;
  const edge = here?.kind === "edge" ? drawing.edges.find(({ way }) => way.id === here.id) : undefined;
  const from = here?.kind === "loop" ? undefined : (edge?.way.from ?? here?.id);
  const at = sockets.find(({ id }) => id === from);
  if (!at) return key.startsWith("Arrow") ? partOf(sockets[0]) : undefined;
  if (here?.kind === "edge" && (key === "Escape" || key.startsWith("Arrow"))) return partOf(at);
  switch (key) {
    case "ArrowDown":
    case "ArrowUp":
      return partInNextRow(sockets, at, key === "ArrowDown" ? 1 : -1);
    case "ArrowLeft":
    case "ArrowRight":
      return partBeside(drawing, at, key === "ArrowRight" ? 1 : -1);
    case "e":
    case "E":
      return nextEdge(drawing, at, here);
    case "Home":
      return partOf(sockets[0]);
    case "End":
      return partOf(sockets.at(-1));
    default:
      return undefined;
  }
}

function partOf(socket: PlacedSocket | undefined): GraphPart | undefined {
  return socket && socketPart(socket.id);
}

function nearestColumn(sockets: readonly PlacedSocket[], { column }: PlacedSocket): PlacedSocket | undefined {
  return sockets.toSorted((a, b) => Math.abs(a.column - column) - Math.abs(b.column - column))[0];
}

/** The nearest row in that direction, then the nearest column. */
function partInNextRow(sockets: readonly PlacedSocket[], at: PlacedSocket, step: 1 | -1): GraphPart | undefined {
  const beyond = sockets.filter(({ row }) => (row - at.row) * step > 0);
  const near = Math.min(...beyond.map(({ row }) => Math.abs(row - at.row)));
  const inRow = beyond.filter(({ row }) => Math.abs(row - at.row) === near);
  return partOf(nearestColumn(inRow, at));
}

function partBeside({ sockets, edges }: GraphDrawing, at: PlacedSocket, step: 1 | -1): GraphPart | undefined {
  const inRow = sockets.filter(({ row, column }) => row === at.row && (column - at.column) * step > 0);
  const beside = nearestColumn(inRow, at);
  if (beside) return partOf(beside);
  const edge = edges.find(({ way, points: [start] }) => {
    if (way.from !== at.id || way.via === "items" || !start) return false;
    return step > 0 ? start.x >= at.box.x + at.box.width : start.x <= at.box.x;
  });
  return edge && { kind: "edge", id: edge.way.id };
}

function nextEdge({ edges }: GraphDrawing, { id }: PlacedSocket, here: GraphPart | null): GraphPart | undefined {
  const own = edges.filter(({ way }) => way.from === id && way.via !== "items");
  const index = here?.kind === "edge" ? own.findIndex(({ way }) => way.id === here.id) : -1;
  const edge = own[(index + 1) % Math.max(1, own.length)];
  return edge && { kind: "edge", id: edge.way.id };
}
