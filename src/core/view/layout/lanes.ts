import { appendTo } from "../../model/lists.ts";
import type { GridCell, LayoutGrid, LoopSpan, LaneRoute, EdgeRoute, RouteSide } from "./routes.ts";
import type { LayoutMetrics, Size } from "./drawing.ts";

/** Each row has four parts, from the top: the gap above, the head of a region, the sockets, the foot of a region. */
const [GAP, HEAD, BODY, FOOT] = [0, 1, 2, 3] as const;

/** A vertical piece of a route beside a column. */
export interface RouteLane {
  readonly column: number;
  readonly side: RouteSide;
  /** The distance from the border of the socket to the line. */
  readonly distance: number;
}

export interface LaneAssignment {
  /** One lane, or two that a track joins: out of the source, into the target. */
  readonly lanesOf: (route: EdgeRoute) => readonly RouteLane[];
  /** How far a loop's region reaches beyond its outer columns. */
  readonly regionReach: (loop: string, side: RouteSide) => number;
  /** The space that a column needs on one side. */
  readonly roomBeside: (column: number, side: RouteSide) => number;
}

interface LaneSegment {
  /** Null for the border of a region. */
  readonly route: EdgeRoute | null;
  readonly column: number;
  readonly side: RouteSide;
  readonly span: readonly [number, number];
  readonly halfWidth: number;
}

type PlacedSegment = LaneSegment & RouteLane;

interface LaneContext {
  readonly grid: LayoutGrid;
  readonly metrics: LayoutMetrics;
  readonly sizeOf: (route: EdgeRoute) => Size | null;
}

/**
 * Places every lane as near to the column as possible: lanes inside a loop first, then the border of the region, then
 * the rest; short lanes inside long ones. A lane has the width of its label, so that no label meets another lane.
 */
export function assignLanes(routes: readonly EdgeRoute[], { grid, metrics, sizeOf }: LaneContext): LaneAssignment {
  const segments = new Map(
    routes.map((route) => [route, laneSegmentsOf(route, grid, (sizeOf(route)?.width ?? metrics.lane.apart) / 2)]),
  );
  const placed = new Map<LaneSegment, PlacedSegment>();
  const bySide = new Map<string, PlacedSegment[]>();
  const reaches = new Map<string, number>();
  const beside = ({ column, side, span }: LaneSegment): readonly PlacedSegment[] =>
    (bySide.get(sideKey(column, side)) ?? []).filter((other) => span[0] <= other.span[1] && other.span[0] <= span[1]);
  const keep = (segment: LaneSegment, distance: number): void => {
    const lane = { ...segment, distance };
    placed.set(segment, lane);
    appendTo(bySide, sideKey(segment.column, segment.side), lane);
  };
  const layRoute = (segment: LaneSegment): void => keep(segment, firstFreeDistance(segment, beside(segment), metrics));
  const layBorder = (loop: LoopSpan, side: RouteSide, least = 0): void => {
    const former = reaches.get(`${loop.id} ${side}`);
    if (former !== undefined && former >= least) return;
    const column = side === "left" ? loop.first.column : loop.last.column;
    const span = [4 * loop.first.row + HEAD, 4 * loop.last.row + FOOT] as const;
    const segment = { route: null, column, side, span, halfWidth: 0 };
    const inner = Math.max(0, ...beside(segment).map(reachOf));
    const distance = former === undefined ? Math.max(2 * metrics.region.side, inner + metrics.region.side) : least;
    keep(segment, distance);
    reaches.set(`${loop.id} ${side}`, distance);
  };

  const all = [...segments.values()].flat().toSorted((a, b) => a.span[1] - a.span[0] - (b.span[1] - b.span[0]));
  const {
    inside = [],
    items = [],
    outside = [],
  } = Object.groupBy(all, ({ route }) =>
    route?.kind === "items" ? "items" : route?.kind === "lane" && route.inside !== null ? "inside" : "outside",
  );
  inside.forEach(layRoute);
  for (const loop of grid.loops) for (const side of ["left", "right"] as const) layBorder(loop, side);
  for (const segment of items) {
    layRoute(segment);
    const { route, column } = segment;
    // The line ends at the top of the region, so the region must be wide enough.
    if (route?.kind === "items" && column === route.loop.last.column)
      layBorder(route.loop, "right", (placed.get(segment)?.distance ?? 0) + metrics.region.side);
  }
  outside.forEach(layRoute);
  return {
    lanesOf: (route) => (segments.get(route) ?? []).flatMap((segment) => placed.get(segment) ?? []),
    regionReach: (loop, side) => reaches.get(`${loop} ${side}`) ?? 0,
    roomBeside: (column, side) => Math.max(0, ...(bySide.get(sideKey(column, side)) ?? []).map(reachOf)),
  };
}

function reachOf({ distance, halfWidth }: PlacedSegment): number {
  return distance + halfWidth;
}

/** The innermost position where a lane meets no other lane and no region that it passes. */
function firstFreeDistance(
  { halfWidth: half }: LaneSegment,
  others: readonly PlacedSegment[],
  { lane }: LayoutMetrics,
): number {
  const border = Math.max(0, ...others.filter(({ route }) => route === null).map(reachOf));
  let distance = Math.max(lane.least, half + lane.beside, border === 0 ? 0 : border + half + lane.apart);
  const lanes = others.filter(({ route }) => route !== null).toSorted((a, b) => a.distance - b.distance);
  for (const other of lanes) {
    const clear = half + other.halfWidth + lane.apart;
    if (Math.abs(other.distance - distance) < clear) distance = other.distance + clear;
  }
  return distance;
}

function sideKey(column: number, side: RouteSide): string {
  return `${column} ${side}`;
}

/** None for a route without a lane; two for one with a track, which has its label there. */
function laneSegmentsOf(route: EdgeRoute, grid: LayoutGrid, halfWidth: number): readonly LaneSegment[] {
  if (route.kind === "items") {
    const { column, row } = route.from;
    return [{ route, column, side: "right", span: [4 * row + BODY, 4 * route.loop.first.row + GAP], halfWidth }];
  }
  if (route.kind !== "lane") return [];
  const { from, to, leaves, enters, track } = route;
  if (track === null) return [{ route, column: from.column, side: leaves, span: laneRowSpan(route, grid), halfWidth }];
  const toTrack = ({ row, column }: GridCell, side: RouteSide): LaneSegment => {
    return { route, column, side, span: sortedPair(4 * row + BODY, 4 * track + GAP), halfWidth: 4 };
  };
  return [toTrack(from, leaves), toTrack(to, enters)];
}

function sortedPair(a: number, b: number): readonly [number, number] {
  return a < b ? [a, b] : [b, a];
}

function laneRowSpan(route: LaneRoute, grid: LayoutGrid): readonly [number, number] {
  const { from, to } = route;
  if (from.row !== to.row) return sortedPair(4 * from.row + BODY, 4 * to.row + BODY);
  return [4 * from.row + (isLabelInLoopHead(route, grid) ? HEAD : GAP), 4 * from.row + BODY];
}

/** A way inside the first row of its loop has no gap in the region; it uses the head. */
export function isLabelInLoopHead({ from, to, inside, track }: LaneRoute, grid: LayoutGrid): boolean {
  if (from.row !== to.row || inside === null || track !== null) return false;
  return grid.loops.some(({ id, first }) => id === inside && first.row === from.row);
}
