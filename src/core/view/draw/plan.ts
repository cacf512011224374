import type { Graph } from "../../compile/graph.ts";
import type { Stitch } from "../../compile/targets/stitch.ts";
import { END } from "../../model/ids.ts";
import type { Layout } from "../../model/loadout.ts";
import type { AnyWay, RouteRun } from "./drawing.ts";
import { packGap } from "./measure/gaps.ts";
import { gridOf, type Grid } from "./measure/grid.ts";
import { labelGap, labelsInHead, layLanes, type Lane, type RouteLanes } from "./lanes.ts";
import { REGULAR, labelSize, type Metrics, type Size } from "./measure/metrics.ts";
import { drawnWays, routesOf, stitchOf, type Route } from "./routes.ts";

export interface LayoutOptions {
  readonly metrics?: Metrics;
  /** The longest text that a label will have, line by line; room is kept for it, so that nothing moves later. */
  readonly labelOf?: (way: AnyWay, runs: RouteRun) => readonly string[];
  readonly stitches?: readonly Stitch[];
  /** Sockets that a person put somewhere stay there. */
  readonly layout?: Layout;
}

export interface Plan {
  readonly metrics: Metrics;
  readonly grid: Grid;
  readonly routes: readonly Route[];
  readonly lanes: RouteLanes;
  readonly sizeOf: (route: Route) => Size | null;
  readonly stitches: readonly Stitch[];
}

export function planOf(graph: Graph, { metrics = REGULAR, labelOf = plainLabel, stitches = [] }: LayoutOptions): Plan {
  const ways = drawnWays(graph);
  const grid = gridOf(
    graph,
    ways.some((way) => way.via !== "items" && way.to === END),
  );
  const routes = routesOf(ways, grid);
  const widest = metrics.socket.width - metrics.rail - BESIDE - SEAM;
  const sizes = new Map(routes.map((route) => [route, labelSize(labelOf(route.way, runsOf(route)), metrics, widest)]));
  const sizeOf = (route: Route): Size | null => sizes.get(route) ?? null;
  return { metrics, grid, routes, sizeOf, stitches, lanes: layLanes(routes, { grid, metrics, sizeOf }) };
}

/** A lane has room for a second line where the rail has none. */
export function runsOf(route: Route): RouteRun {
  return route.kind === "lane" || route.kind === "items" ? "lane" : "rail";
}

function plainLabel(way: AnyWay): readonly string[] {
  if (way.via === "items") return ["work items"];
  return way.label === "" ? [] : [way.label];
}

/** From the rail to a label beside it; a bar or a cross-stitch on the line needs a little more. */
const BESIDE = 9;
const SEAM = 5;
/** Below the label of work items, for the head of the arrow that ends there. */
export const ARROW_ROOM = 9;

export interface Columns {
  /** The left border of the sockets of a column. */
  readonly x: (column: number) => number;
  readonly width: number;
  readonly laneX: (lane: Lane) => number;
}

export function planColumns({ metrics, grid, lanes }: Plan): Columns {
  const { socket, margin, band, columnGap } = metrics;
  const title = grid.bands.length > 0 ? band.title : 0;
  const xs = [margin.x + title + lanes.room(0, "left")];
  for (let column = 1; column < grid.columns; column += 1) {
    const before = (xs[column - 1] ?? 0) + socket.width + lanes.room(column - 1, "right");
    xs.push(before + columnGap + lanes.room(column, "left"));
  }
  const x = (column: number): number => xs[column] ?? 0;
  const last = grid.columns - 1;
  return {
    x,
    width: x(last) + socket.width + lanes.room(last, "right") + margin.x,
    laneX: ({ column, side, distance }) =>
      side === "left" ? x(column) - distance : x(column) + socket.width + distance,
  };
}

/** A label or a track in the gap above a row. */
interface GapContent {
  readonly route: Route;
  readonly x: number;
  readonly width: number;
  readonly height: number;
}

export interface Rows {
  readonly top: (row: number) => number;
  readonly height: number;
  /** The middle of what a route has in its gap. */
  readonly middleOf: (route: Route) => number | undefined;
}

export function planRows(plan: Plan, columns: Columns): Rows {
  const { metrics, grid } = plan;
  const things = thingsIn(plan, columns);
  const tops: number[] = [];
  const middles = new Map<Route, number>();
  let y = 0;
  for (let row = 0; row <= grid.rows; row += 1) {
    const inGap = things.get(row) ?? [];
    const gap = packGap(inGap, leastGap(plan, row));
    for (const thing of inGap) middles.set(thing.route, y + (gap.middles.get(thing) ?? 0));
    y += gap.height + rowHead(plan, row);
    tops.push(y);
    y += (grid.at(row, 0)?.id === END ? metrics.end.height : metrics.socket.height) + rowFoot(plan, row);
    if (row === grid.rows) y = tops[row] ?? y;
  }
  return { top: (row) => tops[row] ?? 0, height: y, middleOf: (route) => middles.get(route) };
}

function leastGap({ metrics, grid }: Plan, row: number): number {
  if (row === 0 || row === grid.rows) return metrics.margin.y;
  if (grid.at(row, 0)?.id === END) return metrics.gap.beforeEnd;
  const inLoop = grid.loops.some(({ first, last }) => first.row < row && row <= last.row);
  return inLoop ? metrics.gap.inLoop : metrics.gap.plain;
}

export function rowHead({ metrics, grid }: Plan, row: number): number {
  const band = grid.bands.some(({ rows }) => rows[0] === row) ? metrics.band.top : 0;
  return band + (grid.loops.some(({ first }) => first.row === row) ? metrics.region.head : 0);
}

export function rowFoot({ metrics, grid }: Plan, row: number): number {
  const band = grid.bands.some(({ rows }) => rows[1] === row) ? metrics.band.foot : 0;
  return band + (grid.loops.some(({ last }) => last.row === row) ? metrics.region.foot : 0);
}

/** What lies in each gap, by the row below it. */
function thingsIn(plan: Plan, columns: Columns): ReadonlyMap<number, readonly GapContent[]> {
  const gaps = new Map<number, GapContent[]>();
  const put = (gap: number, thing: GapContent): void => {
    const known = gaps.get(gap);
    if (known) known.push(thing);
    else gaps.set(gap, [thing]);
  };
  for (const route of plan.routes) {
    const size = plan.sizeOf(route);
    const [lane, other] = plan.lanes.of(route);
    if (route.kind === "lane" && route.track !== null && lane && other) {
      const [a, b] = [columns.laneX(lane), columns.laneX(other)].toSorted((one, two) => one - two);
      const x = a ?? 0;
      put(route.track, { route, x: x - 2, width: (b ?? x) - x + 4, height: size?.height ?? 10 });
    } else if (size && !(route.kind === "lane" && labelsInHead(route, plan.grid))) {
      const height = size.height + (route.kind === "items" ? ARROW_ROOM : 0);
      put(gapOf(route), { route, x: labelX(plan, columns, route, size), width: size.width, height });
    }
  }
  return gaps;
}

function gapOf(route: Route): number {
  switch (route.kind) {
    case "direct":
    case "into":
      return route.from.row + 1;
    case "over":
      return route.to.row;
    case "items":
      return route.loop.first.row;
    case "lane":
      return labelGap(route);
  }
}

/** Beside the rail, in the middle of the lane, or on the track. */
export function labelX({ metrics, lanes, stitches }: Plan, columns: Columns, route: Route, size: Size): number {
  const [lane, other] = lanes.of(route);
  // Over a column that the track passes: only its rail is there, while lanes of others may stand between columns.
  if (lane && other) return columns.x(Math.min(lane.column, other.column) + 1) + metrics.rail + BESIDE;
  if (lane) return columns.laneX(lane) - size.width / 2;
  const column = route.kind === "over" ? route.to.column : route.from.column;
  const seam = route.way.via === "exit" || stitchOf(route.way, stitches) !== null ? SEAM : 0;
  return columns.x(column) + metrics.rail + BESIDE + seam;
}
