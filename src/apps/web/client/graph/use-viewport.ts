import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Ref, RefObject } from "react";
import type { Box, Drawing, Point } from "../../../../core/view/draw/drawing.ts";

/** What can be asked of a graph from outside. */
export interface GraphHandle {
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Brings a socket or edge into the middle. */
  readonly center: (part: string) => void;
  /** Brings it into view where it is not, moving as little as possible. */
  readonly reveal: (part: string) => void;
  readonly focus: (part: string) => void;
  /** Where a part is drawn, in pixels of the drawing. */
  readonly boxOf: (part: string) => Box | undefined;
}

interface Viewport {
  readonly extent: [[number, number], [number, number]];
  readonly height: number;
  readonly toDrawing: (point: Point) => Point;
  /** Brings something into view, moving as little as possible. */
  readonly reveal: (box: Box) => void;
}

const LEAST_ZOOM = 0.8;
const ROOM = 24;
const CALM_MS = 220;

export function useViewport(
  box: RefObject<HTMLDivElement | null>,
  drawing: Drawing,
  { grows, handle }: { readonly grows: boolean; readonly handle: Ref<GraphHandle> | undefined },
): Viewport {
  const flow = useReactFlow();
  const size = useSize(box);
  const zoom = size.width === 0 ? 1 : Math.min(1, Math.max(grows ? 0.3 : LEAST_ZOOM, size.width / drawing.width));
  const placed = useRef("");

  // At first, and whenever the frame changes: whole width, from the top. What a person moved stays where it is.
  useLayoutEffect(() => {
    const now = `${size.width} ${grows} ${Math.round(drawing.width)}`;
    if (size.width === 0 || placed.current === now) return;
    placed.current = now;
    const fits = drawing.width * zoom <= size.width + 1;
    const entry = drawing.sockets[0]?.box;
    // What is too wide begins at its rail, not at its outermost lane.
    const middle = fits || !entry ? drawing.width / 2 : entry.x + entry.width / 2;
    void flow.setViewport({ x: size.width / 2 - middle * zoom, y: 0, zoom });
  }, [flow, size.width, grows, drawing, zoom]);

  const boxOf = useCallback(
    (part: string): Box | undefined => {
      const edge = drawing.edges.find(({ way }) => way.id === part);
      return (
        drawing.sockets.find(({ id }) => id === part)?.box ??
        edge?.label ??
        drawing.loops.find(({ id }) => id === part)?.box
      );
    },
    [drawing],
  );
  const center = useCallback(
    (part: string): void => {
      const target = boxOf(part);
      if (!target || !box.current) return;
      if (grows)
        return box.current.querySelector(`[data-part$=" ${CSS.escape(part)}"]`)?.scrollIntoView({ block: "center" });
      const now = flow.getZoom();
      const x = drawing.width * now <= size.width ? drawing.width / 2 : target.x + target.width / 2;
      void flow.setCenter(x, target.y + target.height / 2, { zoom: now, duration: calm() });
    },
    [box, boxOf, drawing.width, flow, grows, size.width],
  );
  const reveal = useCallback(
    (target: Box): void => {
      if (grows) return;
      const { x, y, zoom: now } = flow.getViewport();
      const left = target.x * now + x;
      const top = target.y * now + y;
      const shift = (start: number, length: number, room: number): number =>
        start < ROOM ? ROOM - start : start + length > room - ROOM ? room - ROOM - start - length : 0;
      const [dx, dy] = [shift(left, target.width * now, size.width), shift(top, target.height * now, size.height)];
      if (dx !== 0 || dy !== 0) void flow.setViewport({ x: x + dx, y: y + dy, zoom: now }, { duration: calm() });
    },
    [flow, grows, size.height, size.width],
  );
  useImperativeHandle(
    handle,
    () => ({
      fit: () => {
        const whole = Math.min(1, size.width / drawing.width, size.height / drawing.height);
        void flow.setViewport({ x: (size.width - drawing.width * whole) / 2, y: 0, zoom: whole }, { duration: calm() });
      },
      zoom: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: calm() }),
      center,
      boxOf,
      reveal: (part) => {
        const target = boxOf(part);
        if (target) reveal(target);
      },
      focus: (part) => {
        const target = boxOf(part);
        if (target) reveal(target);
        requestAnimationFrame(() =>
          box.current
            ?.querySelector<HTMLElement>(`[data-part$=" ${CSS.escape(part)}"]`)
            ?.focus({ preventScroll: !grows }),
        );
      },
    }),
    [box, boxOf, center, drawing, flow, grows, reveal, size],
  );
  const extent = useMemo<Viewport["extent"]>(
    () => [
      [-drawing.width - 400, -400],
      [2 * drawing.width + 400, drawing.height + 600],
    ],
    [drawing.width, drawing.height],
  );
  return { extent, height: Math.ceil(drawing.height * zoom), toDrawing: flow.screenToFlowPosition, reveal };
}

function calm(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : CALM_MS;
}

function useSize(box: RefObject<HTMLDivElement | null>): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}
