import { useReactFlow, useViewport } from "@xyflow/react";
import {
  useCallback,
  useImperativeHandle,
  type Ref,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type PointerEvent,
  type ReactElement,
} from "react";
import type { Box, GraphDrawing, Size } from "../../../core/view/layout/drawing.ts";
import { textScale } from "../browser/display.ts";
import { boxOfPart } from "./graph-marks.ts";
import { bindSheets } from "../ui/classes.ts";
import { Button } from "../ui/buttons.tsx";
import { materiaColorStyle } from "../ui/icons.tsx";
import mapSheet from "./mini-map.module.css";

export interface GraphHandle {
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  readonly center: (part: string) => void;
  readonly reveal: (part: string) => void;
  readonly focus: (part: string) => void;
  readonly boxOf: (part: string) => Box | undefined;
}

const REVEAL_MARGIN = 24;
const ANIMATION_MS = 220;

function useGraphHandle(
  handle: Ref<GraphHandle> | undefined,
  frame: Size & { readonly box: RefObject<HTMLDivElement | null>; readonly drawing: GraphDrawing },
  reveal: (box: Box) => void,
): void {
  const flow = useReactFlow();
  const { box, drawing, width, height } = frame;
  useImperativeHandle(handle, () => {
    const boxOf = (part: string): Box | undefined => boxOfPart(drawing, part);
    const elementOf = (part: string) => box.current?.querySelector<HTMLElement>(`[data-part$=" ${CSS.escape(part)}"]`);
    const revealPart = (part: string): void => {
      const target = boxOf(part);
      if (target) reveal(target);
    };
    return {
      boxOf,
      reveal: revealPart,
      fit: () => {
        const whole = Math.max(LEAST_ZOOM, Math.min(1, width / drawing.width, height / drawing.height));
        void flow.setViewport({ x: (width - drawing.width * whole) / 2, y: 0, zoom: whole }, animated());
      },
      zoom: (factor) => void flow.zoomTo(flow.getZoom() * factor, animated()),
      center: (part) => {
        const target = boxOf(part);
        if (!target) return;
        const zoom = flow.getZoom();
        const x = drawing.width * zoom <= width ? drawing.width / 2 : target.x + target.width / 2;
        void flow.setCenter(x, target.y + target.height / 2, { zoom, ...animated() });
      },
      focus: (part) => {
        revealPart(part);
        // Parts outside the view are drawn in the next frame.
        requestAnimationFrame(() => elementOf(part)?.focus({ preventScroll: true }));
      },
    };
  }, [box, drawing, flow, height, reveal, width]);
}

function useRevealBox({ width, height }: Size) {
  const flow = useReactFlow();
  return useCallback(
    (target: Box): void => {
      const { x, y, zoom } = flow.getViewport();
      const dx = revealShift(target.x * zoom + x, target.width * zoom, width);
      const dy = revealShift(target.y * zoom + y, target.height * zoom, height);
      if (dx !== 0 || dy !== 0) void flow.setViewport({ x: x + dx, y: y + dy, zoom }, animated());
    },
    [flow, height, width],
  );
}

function revealShift(start: number, length: number, room: number): number {
  if (start < REVEAL_MARGIN) return REVEAL_MARGIN - start;
  return start + length > room - REVEAL_MARGIN ? room - REVEAL_MARGIN - start - length : 0;
}

function animated(): { readonly duration: number } {
  return { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ANIMATION_MS };
}

/** A graph of 300 sockets is visible as a whole. */
export const LEAST_ZOOM = 0.03;
/** For letters of normal size: larger letters may shrink to the same size. */
const MIN_READABLE_ZOOM = 0.8;
const MIN_ZOOM = 0.3;

export function useGraphViewport(
  box: RefObject<HTMLDivElement | null>,
  drawing: GraphDrawing,
  options: { readonly whole: boolean; readonly handle: Ref<GraphHandle> | undefined },
) {
  const flow = useReactFlow();
  const { width, height } = useElementSize(box);
  const { whole, handle } = options;
  const fits = whole ? Math.min(width / drawing.width, height / drawing.height) : width / drawing.width;
  // What cannot be seen as a whole starts readable.
  const least = whole && fits >= MIN_ZOOM ? MIN_ZOOM : MIN_READABLE_ZOOM / textScale();
  const zoom = width === 0 ? 1 : Math.min(1, Math.max(least, fits));
  useInitialViewport(drawing, { width, height: whole ? height : 0 }, zoom);
  const reveal = useRevealBox({ width, height });
  useGraphHandle(handle, { box, drawing, width, height }, reveal);
  const extent = useMemo<[[number, number], [number, number]]>(
    () => [
      [-drawing.width - 400, -400],
      [2 * drawing.width + 400, drawing.height + 600],
    ],
    [drawing.width, drawing.height],
  );
  return { width, height, extent, toDrawing: flow.screenToFlowPosition, reveal };
}

/** Fits the whole width from the top, at first and after a resize. A person's own view stays. */
function useInitialViewport(drawing: GraphDrawing, frame: Size, zoom: number): void {
  const flow = useReactFlow();
  const placed = useRef("");
  const { width, height } = frame;
  useLayoutEffect(() => {
    const now = `${width} ${height} ${Math.round(drawing.width)}`;
    if (width === 0 || placed.current === now) return;
    placed.current = now;
    const fits = drawing.width * zoom <= width + 1;
    const entry = drawing.sockets[0]?.box;
    // A graph that is too wide starts at its rail, not at its outermost lane.
    const middle = fits || !entry ? drawing.width / 2 : entry.x + entry.width / 2;
    const x = width / 2 - middle * zoom;
    void flow.setViewport({ x: fits ? x : Math.min(0, x), y: 0, zoom });
  }, [flow, width, height, drawing, zoom]);
}

function useElementSize(box: RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      // Without the area of the small map.
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}

const css = bindSheets(mapSheet);

/** [W40] For a graph that is larger than its box. */
export function ZoomButtons({ handle }: { readonly handle: RefObject<GraphHandle | null> }): ReactElement {
  return (
    <div className={css("zoom")} role="group" aria-label="Zoom">
      <Button look="bare" icon="minus" label="Draw it smaller" onClick={() => handle.current?.zoom(1 / 1.2)} />
      <Button look="bare" onClick={() => handle.current?.fit()}>
        Fit
      </Button>
      <Button look="bare" icon="plus" label="Draw it larger" onClick={() => handle.current?.zoom(1.2)} />
    </div>
  );
}

/** Larger graphs rarely fit at a readable size. */
export const MINI_MAP_MIN_SOCKETS = 20;

/**
 * [W40] A small map of a large graph, stretched over its strip: a click or a drag moves the view. It is for pointers
 * only; keys reach every socket in the graph itself.
 */
export function MiniMap(props: {
  readonly drawing: GraphDrawing;
  readonly stateOf: (id: string) => string | undefined;
  readonly colorOf: (id: string) => string | undefined;
  readonly width: number;
  readonly height: number;
}): ReactElement {
  const { drawing, stateOf, colorOf, width, height } = props;
  const { x, y, zoom } = useViewport();
  const flow = useReactFlow();
  const goTo = (event: PointerEvent<SVGSVGElement>): void => {
    const toMap = event.currentTarget.getScreenCTM()?.inverse();
    if (event.buttons !== 1 || !toMap) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toMap);
    const middle = drawing.width * zoom <= width ? drawing.width / 2 : at.x;
    void flow.setCenter(middle, at.y, { zoom });
  };
  return (
    <svg
      className={css("mini-map")}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={goTo}
    >
      {drawing.loops.map(({ id, box }) => (
        <rect key={`loop ${id}`} className={css("map-loop")} {...box} />
      ))}
      {drawing.sockets.map(({ id, box }) => (
        <rect
          key={id}
          className={css("map-socket")}
          data-state={stateOf(id)}
          style={materiaColorStyle(colorOf(id))}
          {...box}
        />
      ))}
      <rect
        className={css("map-sight")}
        x={-x / zoom}
        y={-y / zoom}
        width={width / zoom}
        height={height / zoom}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
