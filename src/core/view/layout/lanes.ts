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
  readonly key: string;
  readonly route: EdgeRoute | null;
  readonly column: number;
  readonly side: RouteSide;
  readonly span: readonly [number, number];
  readonly halfWidth: number;
  /** 0 for the lane out of the source, 1 for the lane into the target. */
  readonly endIndex: number;
}

interface PlacedSegment extends LaneSegment {
  readonly distance: number;
  readonly reach: number;
}

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
  const laid = new Map<string, PlacedSegment[]>();
  const byRoute = new Map<EdgeRoute, readonly PlacedSegment[]>();
  const reaches = new Map<string, number>();
  const room = new Map<string, number>();
  const beside = (stretch: LaneSegment): readonly PlacedSegment[] =>
    (laid.get(stretch.key) ?? []).filter(
      (other) => stretch.span[0] <= other.span[1] && other.span[0] <= stretch.span[1],
    );
  const keep = (stretch: LaneSegment, distance: number): PlacedSegment => {
    const placed: PlacedSegment = { ...stretch, distance, reach: distance + stretch.halfWidth };
    appendTo(laid, stretch.key, placed);
    room.set(stretch.key, Math.max(room.get(stretch.key) ?? 0, placed.reach));
    return placed;
  };
  const layRoute = (stretch: LaneSegment): PlacedSegment => {
    const placed = keep(stretch, firstFreeDistance(stretch, beside(stretch), metrics));
    if (stretch.route)
      byRoute.set(
        stretch.route,
        [...(byRoute.get(stretch.route) ?? []), placed].toSorted((a, b) => a.endIndex - b.endIndex),
      );
    return placed;
  };
  const layBorder = (loop: LoopSpan, side: RouteSide, least = 0): void => {
    const former = reaches.get(`${loop.id} ${side}`);
    if (former !== undefined && former >= least) return;
    const column = side === "left" ? loop.first.column : loop.last.column;
    const span = [4 * loop.first.row + HEAD, 4 * loop.last.row + FOOT] as const;
    const stretch = { key: sideKey(column, side), route: null, column, side, span, halfWidth: 0, endIndex: 0 };
    const inner = beside(stretch).reduce((most, { reach }) => Math.max(most, reach), 0);
    const distance = former === undefined ? Math.max(2 * metrics.region.side, inner + metrics.region.side) : least;
    reaches.set(`${loop.id} ${side}`, keep(stretch, distance).distance);
  };

  const all = routes.flatMap((route) => laneSegmentsOf(route, grid, (sizeOf(route)?.width ?? metrics.lane.apart) / 2));
  const short = (a: LaneSegment, b: LaneSegment): number => a.span[1] - a.span[0] - (b.span[1] - b.span[0]);
  const inside = all.filter(({ route }) => route?.kind === "lane" && route.inside !== null).toSorted(short);
  const items = all.filter(({ route }) => route?.kind === "items").toSorted(short);
  const outside = all.filter((stretch) => !inside.includes(stretch) && !items.includes(stretch)).toSorted(short);

  inside.forEach(layRoute);
  for (const loop of grid.loops) for (const side of ["left", "right"] as const) layBorder(loop, side);
  for (const stretch of items) {
    const { distance, column } = layRoute(stretch);
    const route = stretch.route;
    // The line ends at the top of the region, so the region must be wide enough.
    if (route?.kind === "items" && column === route.loop.last.column)
      layBorder(route.loop, "right", distance + metrics.region.side);
  }
  outside.forEach(layRoute);
  return {
    lanesOf: (route) => byRoute.get(route) ?? [],
    regionReach: (loop, side) => reaches.get(`${loop} ${side}`) ?? 0,
    roomBeside: (column, side) => room.get(sideKey(column, side)) ?? 0,
  };
}

/** The innermost position where a lane meets no other lane and no region that it passes. */
function firstFreeDistance(
  { halfWidth: half }: LaneSegment,
  others: readonly PlacedSegment[],
  { lane }: LayoutMetrics,
): number {
  const border = others.reduce((most, { route, reach }) => (route === null ? Math.max(most, reach) : most), 0);
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

function laneSegmentsOf(route: EdgeRoute, grid: LayoutGrid, half: number): readonly LaneSegment[] {
  if (route.kind === "items") {
    const { column, row } = route.from;
    return [createSegment(route, { column, row }, "right", [4 * row + BODY, 4 * route.loop.first.row + GAP], half)];
  }
  if (route.kind !== "lane") return [];
  const { from, to, leaves, enters, track } = route;
  if (track === null) return [createSegment(route, from, leaves, laneRowSpan(route, grid), half)];
  // A route with a track has its label on the track.
  return [
    createSegment(route, from, leaves, sortedPair(4 * from.row + BODY, 4 * track + GAP), 4),
    { ...createSegment(route, to, enters, sortedPair(4 * to.row + BODY, 4 * track + GAP), 4), endIndex: 1 },
  ];
}

function createSegment(
  route: EdgeRoute,
  { column }: Pick<GridCell, "column" | "row">,
  side: RouteSide,
  span: readonly [number, number],
  half: number,
): LaneSegment {
  return { key: sideKey(column, side), route, column, side, span, halfWidth: half, endIndex: 0 };
}

function sortedPair(a: number, b: number): readonly [number, number] {
  return a < b ? [a, b] : [b, a];
}

function laneRowSpan(route: LaneRoute, grid: LayoutGrid): readonly [number, number] {
  const { from, to } = route;
  if (from.row !== to.row) return sortedPair(4 * from.row + BODY, 4 * to.row + BODY);
  return [4 * from.row + (isLabelInLoopHead(route, grid) ? HEAD : GAP), 4 * from.row + BODY];
}

/** The gap for the label of a lane: in the middle of the lane, or above its row. */
export function labelGap({ from, to, track }: LaneRoute): number {
  if (track !== null) return track;
  const [first, last] = [Math.min(from.row, to.row), Math.max(from.row, to.row)];
  return first === last ? first : first + Math.ceil((last - first) / 2);
}

/** A way inside the first row of its loop has no gap in the region; it uses the head. */
export function isLabelInLoopHead({ from, to, inside, track }: LaneRoute, grid: LayoutGrid): boolean {
  if (from.row !== to.row || inside === null || track !== null) return false;
  return grid.loops.some(({ id, first }) => id === inside && first.row === from.row);
}
