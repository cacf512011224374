import { memo, type ReactElement } from "react";
import type { Graph } from "../../../core/compile/graph.ts";
import { type GraphDrawing, type PlacedEdge, type Point, boxesOverlap } from "../../../core/view/layout/drawing.ts";
import { destinationText } from "../../../core/view/graph/labels.ts";
import type { Line } from "../../../core/view/line.ts";
import { LineText } from "../ui/line-text.tsx";
import type { GraphViewProps } from "./graph-view.tsx";
import type { EdgeMark, GraphMarks, GraphPart } from "./graph-marks.ts";
import { arrowHeadPath, stitchPath, firstSegmentMiddle, roundedPath } from "./edge-paths.ts";
import { bindSheets } from "../ui/classes.ts";
import edgesSheet from "./edges.module.css";

const css = bindSheets(edgesSheet);

interface EdgeLayerProps {
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
  const chosen = selected.some(({ kind, id }) => kind === "edge" && id === way.id);
  const tone = edgeClasses(edge, mark);
  const end = way.via === "items" ? 2 : editing ? 8 : 3;
  return (
    <g className={css(`${tone} ${mark.visits === "last" ? "last-taken" : ""} ${chosen ? "chosen" : ""}`)}>
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
          onClick={(event) => onSelect({ kind: "edge", id: way.id }, { add: event.shiftKey })}
        />
      )}
    </g>
  );
}

function edgeClasses({ way, stitch }: PlacedEdge, { visits, problem }: EdgeMark) {
  const kind =
    way.via === "items"
      ? "items"
      : stitch !== null
        ? "stitch"
        : way.when === "satisfied"
          ? "good"
          : way.when === "not_satisfied"
            ? "rework"
            : "";
  const walked = visits === "unvisited" && way.via !== "items" ? "unvisited" : "";
  return `${kind} ${walked} ${problem === "error" ? "refused-edge" : problem ? "doubtful-edge" : ""}` as const;
}

function EdgeLabel(props: EdgeProps): ReactElement | null {
  const { edge, mark, graph, drawing, selected, focus, editing, onSelect } = props;
  const { way, label } = edge;
  const lines = mark.label ?? defaultLabel(edge);
  if (!label || lines.length === 0)
    return editing && onSelect ? <UnlabeledEdgeButton {...props} onSelect={onSelect} /> : null;
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
  if (!onSelect || way.via === "items")
    return (
      <span className={css(classes)} style={style}>
        {words}
      </span>
    );
  const chosen = selected.some(({ kind, id }) => kind === "edge" && id === way.id);
  return (
    <button
      type="button"
      className={css(`${classes} ${chosen ? "chosen" : ""}`)}
      style={style}
      data-part={`edge ${way.id}`}
      tabIndex={focus?.kind === "edge" && focus.id === way.id ? 0 : -1}
      onClick={(event) => onSelect({ kind: "edge", id: way.id }, { add: event.shiftKey })}
    >
      <span
        className={css("spoken")}
      >{`Edge from ${destinationText(graph, way.from)} to ${destinationText(graph, way.to)}: `}</span>
      {words}
    </button>
  );
}

/** The focus target of an edge without a label: invisible until focus or hover. */
function UnlabeledEdgeButton({
  edge,
  graph,
  focus,
  onSelect,
}: EdgeProps & { readonly onSelect: NonNullable<EdgeLayerProps["onSelect"]> }): ReactElement | null {
  const { way } = edge;
  if (way.via === "items") return null;
  const { x, y } = firstSegmentMiddle(edge);
  return (
    <button
      type="button"
      className={css("edge-dot")}
      style={{ transform: `translate(${x - 12}px, ${y - 12}px)` }}
      data-part={`edge ${way.id}`}
      tabIndex={focus?.kind === "edge" && focus.id === way.id ? 0 : -1}
      aria-label={`Edge from ${destinationText(graph, way.from)} to ${destinationText(graph, way.to)}: always`}
      onClick={(event) => onSelect({ kind: "edge", id: way.id }, { add: event.shiftKey })}
    />
  );
}

function defaultLabel({ way, stitch }: PlacedEdge): readonly Line[] {
  if (way.via === "items") return [[{ text: "work items" }]];
  const words = [...(stitch === null ? [] : [`stitch ${stitch}`]), ...(way.label === "" ? [] : [way.label])].join(
    " · ",
  );
  return words === "" ? [] : [[{ text: words }]];
}

/** A label in a lane lies on its line; one beside the rail does not. */
function isLabelOnLine({ label, points }: PlacedEdge): boolean {
  if (!label) return false;
  const middle = label.x + label.width / 2;
  const upright = points.slice(1).some((to: Point, index) => points[index]?.x === to.x && Math.abs(to.x - middle) < 1);
  return upright;
}
