import { useReactFlow } from "@xyflow/react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type Ref, type RefObject } from "react";
import type { Box, GraphDrawing, Point } from "../../../../../core/view/draw/drawing.ts";
import { textScale } from "../../browser/use-width.ts";
import { useGraphHandle, useRevealBox, type GraphHandle } from "./use-handle.ts";

interface GraphViewport {
  /** Of the frame that the drawing is seen in. */
  readonly width: number;
  readonly frameHeight: number;
  readonly extent: [[number, number], [number, number]];
  readonly height: number;
  readonly toDrawing: (point: Point) => Point;
  /** Brings something into view, moving as little as possible. */
  readonly reveal: (box: Box) => void;
}

/** Of letters of the usual size: larger ones may shrink until they are as small. */
const MIN_READABLE_ZOOM = 0.8;
const MIN_ZOOM = 0.3;

export function useGraphViewport(
  box: RefObject<HTMLDivElement | null>,
  drawing: GraphDrawing,
  options: { readonly grows: boolean; readonly whole: boolean; readonly handle: Ref<GraphHandle> | undefined },
): GraphViewport {
  const flow = useReactFlow();
  const { width, height } = useElementSize(box);
  const { grows, whole, handle } = options;
  const fits = whole && !grows ? Math.min(width / drawing.width, height / drawing.height) : width / drawing.width;
  const zoom = width === 0 ? 1 : Math.min(1, Math.max(grows || whole ? MIN_ZOOM : MIN_READABLE_ZOOM / textScale(), fits));
  useInitialViewport(drawing, { width, height: whole ? height : 0, zoom, grows });
  const reveal = useRevealBox({ fullHeight: grows, width, height });
  useGraphHandle(handle, { box, drawing, width, height, fullHeight: grows }, reveal);
  const extent = useMemo<GraphViewport["extent"]>(
    () => [
      [-drawing.width - 400, -400],
      [2 * drawing.width + 400, drawing.height + 600],
    ],
    [drawing.width, drawing.height],
  );
  const frame = { width, frameHeight: height };
  return { ...frame, extent, height: Math.ceil(drawing.height * zoom), toDrawing: flow.screenToFlowPosition, reveal };
}

/** At first, and whenever the frame changes: whole width, from the top. What a person moved stays where it is. */
function useInitialViewport(
  drawing: GraphDrawing,
  frame: { readonly width: number; readonly height: number; readonly zoom: number; readonly grows: boolean },
): void {
  const flow = useReactFlow();
  const placed = useRef("");
  const { width, height, zoom, grows } = frame;
  useLayoutEffect(() => {
    const now = `${width} ${height} ${grows} ${Math.round(drawing.width)}`;
    if (width === 0 || placed.current === now) return;
    placed.current = now;
    const fits = drawing.width * zoom <= width + 1;
    const entry = drawing.sockets[0]?.box;
    // What is too wide begins at its rail, not at its outermost lane.
    const middle = fits || !entry ? drawing.width / 2 : entry.x + entry.width / 2;
    void flow.setViewport({ x: width / 2 - middle * zoom, y: 0, zoom });
  }, [flow, width, height, grows, drawing, zoom]);
}

function useElementSize(box: RefObject<HTMLDivElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      // Without the room that a map beside it takes.
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}
