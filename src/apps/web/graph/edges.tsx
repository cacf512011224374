import { memo, type MouseEvent, type ReactElement } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import { type GraphDrawing, type PlacedEdge, type Point, boxesOverlap } from "../../../core/view/layout/drawing.ts";
import { destinationText } from "../../../core/view/graph/labels.ts";
import { LineText } from "../ui/line-text.tsx";
import type { GraphViewProps } from "./graph-view.tsx";
import { firstSegmentMiddle, includesPart, type EdgeMark, type GraphMarks, type GraphPart } from "./graph-marks.ts";
import { bindSheets } from "../ui/classes.ts";
import edgesSheet from "./edges.module.css";

const css = bindSheets(edgesSheet);

export interface EdgeLayerProps {
  readonly graph: Graph;
  readonly drawing: GraphDrawing;
  readonly marks: GraphMarks | undefined;
  readonly selected: readonly GraphPart[];
  readonly focus: GraphPart | null;
  readonly editing: boolean;
  readonly onSelect: GraphViewProps["onSelect"];
}

/** All edges and labels, in one layer between regions and sockets. */
export const EdgeLayer = memo(function Edges(props: EdgeLayerProps): ReactElement {
  const { drawing, marks } = props;
  const markOf = (edge: PlacedEdge): EdgeMark => marks?.edges?.get(edge.way.id) ?? {};
  // Taken edges lie above the others.
  const lines = drawing.edges.toSorted((a, b) => drawOrder(markOf(a)) - drawOrder(markOf(b)));
  return (
    <>
      <svg className={css("edges")} width={drawing.width} height={drawing.height} aria-hidden="true">
        {lines.map((edge) => (
          <EdgeLine key={edge.way.id} edge={edge} mark={markOf(edge)} {...props} />
        ))}
      </svg>
      {drawing.edges.map((edge) => (
        <EdgeLabel key={edge.way.id} edge={edge} mark={markOf(edge)} {...props} />
      ))}
    </>
  );
});

function drawOrder({ visits, problem }: EdgeMark): number {
  return problem ? 3 : visits === "last" ? 2 : visits === "visited" ? 1 : 0;
}

type EdgeProps = EdgeLayerProps & { readonly edge: PlacedEdge; readonly mark: EdgeMark };

function EdgeLine({ edge, mark, selected, editing, onSelect }: EdgeProps): ReactElement {
  const { way, points, bar, stitch } = edge;
  const end = way.via === "items" ? 2 : editing ? 8 : 3;
  const last = mark.visits === "last" ? "last-taken" : "";
  return (
    <g className={css(`${edgeClasses(edge, mark)} ${last} ${includesPart(selected, edgePart(edge)) ? "chosen" : ""}`)}>
      <path d={roundedPath(points, end)} />
      <path className={css("arrow-head")} d={arrowHeadPath(points, end - 2)} />
      {bar && (
        <path
          className={css("gate")}
          d={bar.lies === "flat" ? `M${bar.x - 9} ${bar.y}h18` : `M${bar.x} ${bar.y - 9}v18`}
        />
      )}
      {stitch !== null && <path className={css("stitch-crosses")} d={stitchPath(points)} />}
      {onSelect && way.via !== "items" && (
        <path
          className={css("hit")}
          d={roundedPath(points, 0)}
          onClick={(event) => onSelect(edgePart(edge), { add: event.shiftKey })}
        />
      )}
    </g>
  );
}

function edgePart({ way }: PlacedEdge): GraphPart {
  return { kind: "edge", id: way.id };
}

const CONDITION_CLASSES = { always: "", satisfied: "good", not_satisfied: "rework" } as const;

function edgeClasses({ way, stitch }: PlacedEdge, { visits, problem }: EdgeMark) {
  const isItems = way.via === "items";
  const kind = isItems ? "items" : stitch !== null ? "stitch" : CONDITION_CLASSES[way.when ?? "always"];
  const walked = visits === "unvisited" && !isItems ? "unvisited" : "";
  return `${kind} ${walked} ${problem === "error" ? "refused-edge" : problem ? "doubtful-edge" : ""}` as const;
}

/** The label; an edge without one is a focus target while editing, invisible until focus or hover. */
function EdgeLabel({ edge, mark, graph, drawing, selected, focus, editing, onSelect }: EdgeProps): ReactElement | null {
  const { way, label } = edge;
  const lines = mark.label ?? [];
  const name = `Edge from ${destinationText(graph, way.from)} to ${destinationText(graph, way.to)}: `;
  const button = onSelect &&
    way.via !== "items" && {
      type: "button" as const,
      "data-part": `edge ${way.id}`,
      tabIndex: focus?.kind === "edge" && focus.id === way.id ? 0 : -1,
      onClick: (event: MouseEvent): void => onSelect(edgePart(edge), { add: event.shiftKey }),
    };
  if (!label || lines.length === 0) {
    if (!editing || !button) return null;
    const { x, y } = firstSegmentMiddle(edge);
    const transform = `translate(${x - 12}px, ${y - 12}px)`;
    return <button {...button} className={css("edge-dot")} style={{ transform }} aria-label={`${name}always`} />;
  }
  const isIn = drawing.loops.some(({ box }) => boxesOverlap(box, label));
  const ground = isIn ? "on-loop" : drawing.bands.some(({ box }) => boxesOverlap(box, label)) ? "on-band" : "";
  const centered = isLabelOnLine(edge);
  const classes = `edge-label ${ground} ${centered ? "" : "beside"} ${edgeClasses(edge, mark)}` as const;
  const style = {
    transform: `translate(${centered ? label.x + label.width / 2 : label.x}px, ${label.y + label.height / 2}px) translate(${centered ? "-50%" : "0"}, -50%)`,
    maxWidth: label.width + 8,
  };
  const words = lines.map((line, index) => (
    // The index is the key: lines never move.
    <span key={index} className={css("edge-line cut")}>
      <LineText line={line} />
    </span>
  ));
  if (!button)
    return (
      <span className={css(classes)} style={style}>
        {words}
      </span>
    );
  const chosen = includesPart(selected, edgePart(edge)) ? "chosen" : "";
  return (
    <button {...button} className={css(`${classes} ${chosen}`)} style={style}>
      <span className={css("spoken")}>{name}</span>
      {words}
    </button>
  );
}

/** A label in a lane lies on its line; one beside the rail does not. */
function isLabelOnLine({ label, points }: PlacedEdge): boolean {
  if (!label) return false;
  const middle = label.x + label.width / 2;
  return points.slice(1).some(({ x }, index) => points[index]?.x === x && Math.abs(x - middle) < 1);
}

const CORNER_RADIUS = 10;

/** A line through the points with round corners, ending `before` its last point for the arrowhead. */
function roundedPath(points: readonly Point[], before: number): string {
  const [last, end] = points.slice(-2);
  const line = last && end ? [...points.slice(0, -1), pointToward(end, last, before)] : points;
  const pieces = line.map((point, index) => {
    const [from, next] = [line[index - 1], line[index + 1]];
    if (!from || !next) return `${from ? "L" : "M"}${point.x} ${point.y}`;
    const radius = Math.min(CORNER_RADIUS, distance(from, point) / 2, distance(point, next) / 2);
    const [start, stop] = [pointToward(point, from, radius), pointToward(point, next, radius)];
    return `L${start.x} ${start.y}Q${point.x} ${point.y} ${stop.x} ${stop.y}`;
  });
  return pieces.join("");
}

/** An arrowhead whose tip is `before` the last point. */
function arrowHeadPath(points: readonly Point[], before: number): string {
  const [from, to] = points.slice(-2);
  if (!from || !to) return "";
  const tip = pointToward(to, from, Math.max(0, before));
  const base = pointToward(to, from, Math.max(0, before) + 8);
  const [dx, dy] = [(tip.y - base.y) / 8, (tip.x - base.x) / 8];
  return `M${base.x - 5 * dx} ${base.y - 5 * dy}L${tip.x} ${tip.y}L${base.x + 5 * dx} ${base.y + 5 * dy}z`;
}

/** Two stitches in the middle of the longest segment. */
function stitchPath(points: readonly Point[]): string {
  const segments = points.slice(1).map((to, index): [Point, Point] => [points[index] ?? to, to]);
  const [longest] = segments.toSorted((a, b) => distance(...b) - distance(...a));
  if (!longest) return "";
  const [from, to] = longest;
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const upright = from.x === to.x;
  const at = (shift: number): Point => (upright ? { x, y: y + shift } : { x: x + shift, y });
  return [at(-4), at(4)].map((point) => `M${point.x - 4} ${point.y - 3}l8 6m0 -6l-8 6`).join("");
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function pointToward(from: Point, to: Point, by: number): Point {
  const length = distance(from, to);
  if (length === 0) return from;
  const part = Math.min(1, by / length);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
