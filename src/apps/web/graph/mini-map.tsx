import { useReactFlow, useViewport } from "@xyflow/react";
import type { PointerEvent, ReactElement } from "react";
import type { Box, GraphDrawing } from "../../../core/view/layout/drawing.ts";
import { bindSheets } from "../ui/classes.ts";
import { materiaColorStyle } from "../ui/icons.tsx";
import mapSheet from "./mini-map.module.css";

const css = bindSheets(mapSheet);

/** Larger graphs rarely fit at a readable size. */
const MINI_MAP_MIN_SOCKETS = 20;

export function needsMiniMap({ sockets }: GraphDrawing): boolean {
  return sockets.length > MINI_MAP_MIN_SOCKETS;
}

/**
 * [W40] A small map of a large graph: a click or a drag moves the view. It is for pointers only; keys reach every
 * socket in the graph itself.
 */
export function MiniMap(props: MapProps): ReactElement {
  const { drawing, width, height } = props;
  const { zoom } = useViewport();
  const flow = useReactFlow();
  const columns = mapColumns(drawing, height);
  const columnHeight = drawing.height / columns;
  const goTo = (event: PointerEvent<SVGSVGElement>): void => {
    if (event.buttons !== 1) return;
    const toMap = event.currentTarget.getScreenCTM()?.inverse();
    if (!toMap) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toMap);
    const column = Math.max(0, Math.min(columns - 1, Math.floor(at.x / drawing.width)));
    const middle = drawing.width * zoom <= width ? drawing.width / 2 : at.x - column * drawing.width;
    void flow.setCenter(middle, at.y + column * columnHeight, { zoom });
  };
  return (
    <svg
      className={css("mini-map")}
      viewBox={`0 0 ${columns * drawing.width} ${columnHeight}`}
      preserveAspectRatio="xMidYMin meet"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        goTo(event);
      }}
      onPointerMove={goTo}
    >
      {Array.from({ length: columns }, (_, column) => (
        <MapColumn key={column} {...props} column={column} columnHeight={columnHeight} />
      ))}
    </svg>
  );
}

interface MapProps {
  readonly drawing: GraphDrawing;
  /** The state of a socket: `live`, `failed`, … */
  readonly stateOf: (id: string) => string | undefined;
  readonly colorOf: (id: string) => string | undefined;
  readonly width: number;
  readonly height: number;
}

function MapColumn(props: MapProps & { readonly column: number; readonly columnHeight: number }): ReactElement {
  const { drawing, stateOf, colorOf, width, height, column, columnHeight } = props;
  const { x, y, zoom } = useViewport();
  const isHere = ({ box }: { readonly box: Box }): boolean =>
    Math.floor((box.y + box.height / 2) / columnHeight) === column;
  return (
    <svg
      x={column * drawing.width}
      width={drawing.width}
      height={columnHeight}
      viewBox={`0 ${column * columnHeight} ${drawing.width} ${columnHeight}`}
    >
      {drawing.loops.map(({ id, box }) => (
        <rect key={`loop ${id}`} className={css("map-loop")} {...rectOf(box)} />
      ))}
      {drawing.sockets.filter(isHere).map(({ id, box }) => (
        <rect
          key={id}
          className={css("map-socket")}
          data-state={stateOf(id)}
          style={materiaColorStyle(colorOf(id))}
          {...rectOf(box)}
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

const MAP_WIDTH = 72;

/** A long graph is folded into columns, as many as make its sockets largest. */
function mapColumns({ width, height }: GraphDrawing, room: number): number {
  const scale = (columns: number): number => Math.min(MAP_WIDTH / (columns * width), (columns * room) / height);
  let best = 1;
  for (let columns = 2; columns <= 6; columns += 1) if (scale(columns) > scale(best)) best = columns;
  return best;
}

function rectOf({ x, y, width, height }: Box): Box {
  return { x, y, width, height };
}
