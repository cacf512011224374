import { useReactFlow, useViewport } from "@xyflow/react";
import type { PointerEvent, ReactElement } from "react";
import type { Box, GraphDrawing } from "../../../../../core/view/draw/drawing.ts";
import { bindClassNames } from "../../browser/classes.ts";
import mapSheet from "./mini-map.module.css";

const css = bindClassNames(mapSheet);

/** More than this is seldom seen at once at a size that can be read. */
const MINI_MAP_MIN_SOCKETS = 20;

export function needsMiniMap({ sockets }: GraphDrawing): boolean {
  return sockets.length > MINI_MAP_MIN_SOCKETS;
}

/**
 * [W40] All of a large graph beside the part in sight: a click or a drag goes there. For pointers alone; keys reach
 * every socket in the graph itself.
 */
export function MiniMap(props: {
  readonly drawing: GraphDrawing;
  /** How a socket stands: `live`, `failed`, … */
  readonly stateOf: (id: string) => string | undefined;
  readonly width: number;
  readonly height: number;
}): ReactElement {
  const { drawing, stateOf, width, height } = props;
  const { x, y, zoom } = useViewport();
  const flow = useReactFlow();
  const goTo = (event: PointerEvent<SVGSVGElement>): void => {
    if (event.buttons !== 1) return;
    const toDrawing = event.currentTarget.getScreenCTM()?.inverse();
    if (!toDrawing) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toDrawing);
    const middle = drawing.width * zoom <= width ? drawing.width / 2 : at.x;
    void flow.setCenter(middle, at.y, { zoom });
  };
  return (
    <svg
      className={css("mini-map")}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      preserveAspectRatio="xMidYMin meet"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={goTo}
    >
      {drawing.loops.map(({ id, box }) => (
        <rect key={`loop ${id}`} className={css("map-loop")} {...rectOf(box)} />
      ))}
      {drawing.sockets.map(({ id, box }) => (
        <rect key={id} className={css("map-socket")} data-state={stateOf(id)} {...rectOf(box)} />
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

function rectOf({ x, y, width, height }: Box): Box {
  return { x, y, width, height };
}
