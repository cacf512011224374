import type { Graph } from "../../compile/graph.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import { END } from "../../model/ids.ts";
import { appendTo } from "../../model/lists.ts";
import type { Layout } from "../../model/loadout.ts";
import { stitchNumber, type DrawnWay } from "../graph/drawn-ways.ts";
import { type RouteStyle, REGULAR_METRICS, measureLabel, type LayoutMetrics, type Size } from "./drawing.ts";
import { buildLayoutGrid, drawnLinesOf, planRoutes, type EdgeRoute } from "./routes.ts";
import { isLabelInLoopHead, assignLanes, type RouteLane } from "./lanes.ts";

export interface LayoutOptions {
  readonly metrics?: LayoutMetrics;
  /** The longest text of a label, line by line. Reserving its space keeps the drawing still when counts change. */
  readonly longestLabelOf?: (way: DrawnWay, runs: RouteStyle) => readonly string[];
  readonly stitches?: readonly Stitch[];
  /** Positions that a person gave to sockets. */
  readonly layout?: Layout | undefined;
}

export type LayoutPlan = ReturnType<typeof planLayout>;

export function planLayout(
  graph: Graph,
  {
    metrics = REGULAR_METRICS,
    longestLabelOf: labelOf = ({ label }) => (label === "" ? [] : [label]),
    stitches = [],
  }: LayoutOptions,
) {
  const ways = drawnLinesOf(graph);
  const hasEnd = ways.some(({ to }) => to === END);
  const grid = buildLayoutGrid(graph, hasEnd);
  const routes = planRoutes(ways, grid);
  const widest = metrics.socket.width - metrics.rail - LABEL_OFFSET - SEAM_OFFSET;
  const sizes = new Map(
    routes.map((route) => [route, measureLabel(labelOf(route.way, routeStyleOf(route)), metrics, widest)]),
  );
  const sizeOf = (route: EdgeRoute): Size | null => sizes.get(route) ?? null;
  return { metrics, grid, routes, sizeOf, stitches, lanes: assignLanes(routes, { grid, metrics, sizeOf }) };
}

/** A lane has space for a second line; the main column has not. */
export function routeStyleOf(route: EdgeRoute): RouteStyle {
  return route.kind === "lane" || route.kind === "items" ? "lane" : "rail";
}

/** From a line to its label; a bar or a stitch on the line needs more. */
const LABEL_OFFSET = 9;
const SEAM_OFFSET = 5;
/** Space below the label of work items, for its arrowhead. */
export const ARROW_HEIGHT = 9;

export interface ColumnPositions {
  /** The left border of the sockets of a column. */
  readonly x: (column: number) => number;
  readonly width: number;
  readonly laneX: (lane: RouteLane) => number;
}

export function placeColumns({ metrics, grid, lanes }: LayoutPlan): ColumnPositions {
  const { socket, margin, band, columnGap } = metrics;
  const title = grid.bands.length > 0 ? band.title : 0;
  const xs = [margin.x + title + lanes.roomBeside(0, "left")];
  for (let column = 1; column < grid.columns; column += 1) {
    const before = (xs[column - 1] ?? 0) + socket.width + lanes.roomBeside(column - 1, "right");
    xs.push(before + columnGap + lanes.roomBeside(column, "left"));
  }
  const x = (column: number): number => xs[column] ?? 0;
  const last = grid.columns - 1;
  return {
    x,
    width: x(last) + socket.width + lanes.roomBeside(last, "right") + margin.x,
    laneX: ({ column, side, distance }) =>
      side === "left" ? x(column) - distance : x(column) + socket.width + distance,
  };
}

interface GapContent {
  readonly route: EdgeRoute;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export interface RowPositions {
  readonly top: (row: number) => number;
  readonly height: number;
  /** The middle of the label or track of a route in its gap. */
  readonly middleOf: (route: EdgeRoute) => number | undefined;
}

/** Stacks overlapping labels and tracks, which makes their gap higher; others are centred. */
export function placeRows(plan: LayoutPlan, columns: ColumnPositions): RowPositions {
  const { metrics, grid } = plan;
  const things = collectGapContents(plan, columns);
  const tops: number[] = [];
  const middles = new Map<EdgeRoute, number>();
  let y = 0;
  for (let row = 0; row <= grid.rows; row += 1) {
    const stacks = overlappingStacks(things.get(row) ?? []);
    const gap = Math.max(minGapHeight(plan, row), ...stacks.map((stack) => stackHeight(stack) + STACK_SPACING));
    for (const stack of stacks) {
      let top = y + (gap - stackHeight(stack)) / 2;
      for (const { route, height } of stack) {
        middles.set(route, top + height / 2);
        top += height + STACK_SPACING;
      }
    }
    y += gap + rowHeadHeight(plan, row);
    tops.push(y);
    y += (grid.at(row, 0)?.id === END ? metrics.end.height : metrics.socket.height) + rowFootHeight(plan, row);
    if (row === grid.rows) y = tops[row] ?? y;
  }
  return { top: (row) => tops[row] ?? 0, height: y, middleOf: (route) => middles.get(route) };
}

function minGapHeight({ metrics, grid }: LayoutPlan, row: number): number {
  if (row === 0 || row === grid.rows) return metrics.margin.y;
  if (grid.at(row, 0)?.id === END) return metrics.gap.beforeEnd;
  const inLoop = grid.loops.some(({ first, last }) => first.row < row && row <= last.row);
  return inLoop ? metrics.gap.inLoop : metrics.gap.plain;
}

export function rowHeadHeight({ metrics, grid }: LayoutPlan, row: number): number {
  const band = grid.bands.some(({ rows }) => rows[0] === row) ? metrics.band.top : 0;
  return band + (grid.loops.some(({ first }) => first.row === row) ? metrics.region.head : 0);
}

export function rowFootHeight({ metrics, grid }: LayoutPlan, row: number): number {
  const band = grid.bands.some(({ rows }) => rows[1] === row) ? metrics.band.foot : 0;
  return band + (grid.loops.some(({ last }) => last.row === row) ? metrics.region.foot : 0);
}

function collectGapContents(plan: LayoutPlan, columns: ColumnPositions): ReadonlyMap<number, readonly GapContent[]> {
  const gaps = new Map<number, GapContent[]>();
  for (const route of plan.routes) {
    const size = plan.sizeOf(route);
    const [lane, other] = plan.lanes.lanesOf(route);
    if (route.kind === "lane" && route.track !== null && lane && other) {
      const [a, b] = [columns.laneX(lane), columns.laneX(other)];
      appendTo(gaps, route.track, {
        route,
        x: Math.min(a, b) - 2,
        width: Math.abs(a - b) + 4,
        height: size?.height ?? 10,
      });
    } else if (size && !(route.kind === "lane" && isLabelInLoopHead(route, plan.grid))) {
      const height = size.height + (route.kind === "items" ? ARROW_HEIGHT : 0);
      appendTo(gaps, labelGapOf(route), { route, x: labelX(plan, columns, route, size), width: size.width, height });
    }
  }
  return gaps;
}

function labelGapOf(route: EdgeRoute): number {
  switch (route.kind) {
    case "direct":
    case "into":
      return route.from.row + 1;
    case "over":
      return route.to.row;
    case "items":
      return route.loop.first.row;
    case "lane":
      // In the middle of the lane, or above its row.
      return route.track ?? Math.ceil((route.from.row + route.to.row) / 2);
  }
}

/** Beside the line, in the middle of the lane, or on the track. */
export function labelX(
  { metrics, lanes, stitches }: LayoutPlan,
  columns: ColumnPositions,
  route: EdgeRoute,
  size: Size,
): number {
  const [lane, other] = lanes.lanesOf(route);
  // Above a column that the track passes: between columns there may be other lanes.
  if (lane && other) return columns.x(Math.min(lane.column, other.column) + 1) + metrics.rail + LABEL_OFFSET;
  if (lane) return columns.laneX(lane) - size.width / 2;
  const column = route.kind === "over" ? route.to.column : route.from.column;
  const seam = route.way.via === "exit" || stitchNumber(route.way, stitches) !== null ? SEAM_OFFSET : 0;
  return columns.x(column) + metrics.rail + LABEL_OFFSET + seam;
}

const STACK_SPACING = 2;

function stackHeight(stack: readonly GapContent[]): number {
  return stack.reduce((sum, { height }) => sum + height + STACK_SPACING, -STACK_SPACING);
}

/** Groups of overlapping extents, from left to right; in each the given order, which has first edges first. */
function overlappingStacks(things: readonly GapContent[]): readonly (readonly GapContent[])[] {
  const stacks: GapContent[][] = [];
  let right = -Infinity;
  for (const thing of things.toSorted((a, b) => a.x - b.x)) {
    const stack = stacks.at(-1);
    const overlaps = thing.x < right + STACK_SPACING;
    if (stack && overlaps) stack.push(thing);
    else stacks.push([thing]);
    right = Math.max(overlaps ? right : -Infinity, thing.x + thing.width);
  }
  return stacks.map((stack) => stack.toSorted((a, b) => things.indexOf(a) - things.indexOf(b)));
}
