import { useReactFlow } from "@xyflow/react";
import { useCallback, useImperativeHandle, type Ref, type RefObject } from "react";
import type { Box, GraphDrawing } from "../../../../../core/view/draw/drawing.ts";

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

/** The frame around a drawing. */
export interface GraphFrame {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly drawing: GraphDrawing;
  readonly width: number;
  readonly height: number;
  /** As high as the drawing: the page scrolls, and the drawing never moves inside its frame. */
  readonly fullHeight: boolean;
}

const REVEAL_MARGIN = 24;
const ANIMATION_MS = 220;

export function useGraphHandle(handle: Ref<GraphHandle> | undefined, frame: GraphFrame, reveal: (box: Box) => void): void {
  const flow = useReactFlow();
  const { box, drawing, width, height, fullHeight: grows } = frame;
  useImperativeHandle(handle, () => {
    const boxOf = (part: string): Box | undefined => findPartBox(drawing, part);
    const elementOf = (part: string): HTMLElement | null | undefined =>
      box.current?.querySelector<HTMLElement>(`[data-part$=" ${CSS.escape(part)}"]`);
    const revealPart = (part: string): void => {
      const target = boxOf(part);
      if (target) reveal(target);
    };
    return {
      boxOf,
      reveal: revealPart,
      fit: () => {
        const whole = Math.min(1, width / drawing.width, height / drawing.height);
        void flow.setViewport({ x: (width - drawing.width * whole) / 2, y: 0, zoom: whole }, { duration: animationDuration() });
      },
      zoom: (factor) => void flow.zoomTo(flow.getZoom() * factor, { duration: animationDuration() }),
      center: (part) => {
        const target = boxOf(part);
        if (!target) return;
        if (grows) return elementOf(part)?.scrollIntoView({ block: "center" });
        const zoom = flow.getZoom();
        const x = drawing.width * zoom <= width ? drawing.width / 2 : target.x + target.width / 2;
        void flow.setCenter(x, target.y + target.height / 2, { zoom, duration: animationDuration() });
      },
      focus: (part) => {
        revealPart(part);
        // What was out of sight is drawn in the next frame.
        requestAnimationFrame(() => elementOf(part)?.focus({ preventScroll: !grows }));
      },
    };
  }, [box, drawing, flow, grows, height, reveal, width]);
}

function findPartBox({ sockets, edges, loops }: GraphDrawing, part: string): Box | undefined {
  return (
    sockets.find(({ id }) => id === part)?.box ??
    edges.find(({ way }) => way.id === part)?.label ??
    loops.find(({ id }) => id === part)?.box
  );
}

/** Moves the drawing as little as possible, so that something is in view. */
export function useRevealBox({ fullHeight: grows, width, height }: Omit<GraphFrame, "box" | "drawing">): (target: Box) => void {
  const flow = useReactFlow();
  return useCallback(
    (target) => {
      if (grows) return;
      const { x, y, zoom } = flow.getViewport();
      const dx = revealShift(target.x * zoom + x, target.width * zoom, width);
      const dy = revealShift(target.y * zoom + y, target.height * zoom, height);
      if (dx !== 0 || dy !== 0) void flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: animationDuration() });
    },
    [flow, grows, height, width],
  );
}

function revealShift(start: number, length: number, room: number): number {
  if (start < REVEAL_MARGIN) return REVEAL_MARGIN - start;
  return start + length > room - REVEAL_MARGIN ? room - REVEAL_MARGIN - start - length : 0;
}

function animationDuration(): number {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ANIMATION_MS;
}
