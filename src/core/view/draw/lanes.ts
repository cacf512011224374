import type { Cell, Grid, GridSpan } from "./measure/grid.ts";
import type { Metrics, Size } from "./measure/metrics.ts";
import type { LaneRoute, Route, Side } from "./routes.ts";

/** Rows are cut into four, from the top: the gap above, the head of a region, the sockets, the foot of a region. */
const [GAP, HEAD, BODY, FOOT] = [0, 1, 2, 3] as const;

/** A vertical piece of a route beside a column. */
export interface Lane {
  readonly column: number;
  readonly side: Side;
  /** From the socket's border to the line. */
  readonly distance: number;
}

export interface RouteLanes {
  /** One lane, or two where a track joins them: out of the source, into the target. */
  readonly of: (route: Route) => readonly Lane[];
  /** How far a loop's region reaches beyond its outer columns. */
  readonly reachOf: (loop: string, side: Side) => number;
  /** How much room a column needs on a side. */
  readonly room: (column: number, side: Side) => number;
}

interface Stretch {
  readonly key: string;
  readonly route: Route | null;
  readonly column: number;
  readonly side: Side;
  readonly span: readonly [number, number];
  readonly half: number;
  /** Out of the source is 0, into the target 1. */
  readonly leg: number;
}

interface Laid extends Stretch {
  readonly distance: number;
  readonly reach: number;
}

/**
 * Every lane as far in as it can be: what stays in a loop first, then the border of its region, then the rest; short
 * ones inside long ones. A lane is as wide as its label, so that no label meets another lane.
 */
export function layLanes(
  routes: readonly Route[],
  {
    grid,
    metrics,
    sizeOf,
  }: { readonly grid: Grid; readonly metrics: Metrics; readonly sizeOf: (route: Route) => Size | null },
): RouteLanes {
  const laid = new Map<string, Laid[]>();
  const byRoute = new Map<Route, readonly Laid[]>();
  const reaches = new Map<string, number>();
  const room = new Map<string, number>();
  const beside = (stretch: Stretch): readonly Laid[] =>
    (laid.get(stretch.key) ?? []).filter((other) => touch(stretch, other));
  const keep = (stretch: Stretch, distance: number): Laid => {
    const placed: Laid = { ...stretch, distance, reach: distance + stretch.half };
    const known = laid.get(stretch.key);
    if (known) known.push(placed);
    else laid.set(stretch.key, [placed]);
    room.set(stretch.key, Math.max(room.get(stretch.key) ?? 0, placed.reach));
    return placed;
  };
  const layRoute = (stretch: Stretch): Laid => {
    const placed = keep(stretch, firstFree(stretch, beside(stretch), metrics));
    if (stretch.route) byRoute.set(stretch.route, [...(byRoute.get(stretch.route) ?? []), placed].toSorted(byLeg));
    return placed;
  };
  const layBorder = (loop: GridSpan, side: Side, least = 0): void => {
    const known = reaches.get(`${loop.id} ${side}`);
    if (known !== undefined && known >= least) return;
    const column = side === "left" ? loop.first.column : loop.last.column;
    const span = [4 * loop.first.row + HEAD, 4 * loop.last.row + FOOT] as const;
    const stretch: Stretch = { key: keyOf(column, side), route: null, column, side, span, half: 0, leg: 0 };
    const inner = beside(stretch).reduce((most, { reach }) => Math.max(most, reach), 0);
    const distance = known === undefined ? Math.max(2 * metrics.region.side, inner + metrics.region.side) : least;
    reaches.set(`${loop.id} ${side}`, keep(stretch, distance).distance);
  };

  const all = routes.flatMap((route) => stretchesOf(route, grid, halfOf(sizeOf(route), metrics)));
  const short = (a: Stretch, b: Stretch): number => a.span[1] - a.span[0] - (b.span[1] - b.span[0]);
  const inside = all.filter(({ route }) => route?.kind === "lane" && route.inside !== null).toSorted(short);
  const items = all.filter(({ route }) => route?.kind === "items").toSorted(short);
  const outside = all.filter((stretch) => !inside.includes(stretch) && !items.includes(stretch)).toSorted(short);

  inside.forEach(layRoute);
  for (const loop of grid.loops) for (const side of ["left", "right"] as const) layBorder(loop, side);
  for (const stretch of items) {
    const { distance, column } = layRoute(stretch);
    const route = stretch.route;
    // The line ends on top of the region, so the region must be there.
    if (route?.kind === "items" && column === route.loop.last.column)
      layBorder(route.loop, "right", distance + metrics.region.side);
  }
  outside.forEach(layRoute);
  return {
    of: (route) => byRoute.get(route) ?? [],
    reachOf: (loop, side) => reaches.get(`${loop} ${side}`) ?? 0,
    room: (column, side) => room.get(keyOf(column, side)) ?? 0,
  };
}

/** The innermost place where a lane meets no other that it runs beside; never inside a region that it passes. */
function firstFree({ half }: Stretch, others: readonly Laid[], { lane }: Metrics): number {
  const border = others.reduce((most, { route, reach }) => (route === null ? Math.max(most, reach) : most), 0);
  let distance = Math.max(lane.least, half + lane.beside, border === 0 ? 0 : border + half + lane.apart);
  const lanes = others.filter(({ route }) => route !== null).toSorted((a, b) => a.distance - b.distance);
  for (const other of lanes) {
    const clear = half + other.half + lane.apart;
    if (Math.abs(other.distance - distance) < clear) distance = other.distance + clear;
  }
  return distance;
}

function byLeg(a: Stretch, b: Stretch): number {
  return a.leg - b.leg;
}

function keyOf(column: number, side: Side): string {
  return `${column} ${side}`;
}

function touch(a: Stretch, b: Stretch): boolean {
  return a.span[0] <= b.span[1] && b.span[0] <= a.span[1];
}

function halfOf(size: Size | null, { lane }: Metrics): number {
  return size ? size.width / 2 : lane.apart / 2;
}

function stretchesOf(route: Route, grid: Grid, half: number): readonly Stretch[] {
  if (route.kind === "items") {
    const { column, row } = route.from;
    return [stretch(route, { column, row }, "right", [4 * row + BODY, 4 * route.loop.first.row + GAP], half)];
  }
  if (route.kind !== "lane") return [];
  const { from, to, leaves, enters, track } = route;
  if (track === null) return [stretch(route, from, leaves, spanOf(route, grid), half)];
  // The label of a route with a track stands on the track.
  return [
    stretch(route, from, leaves, between(4 * from.row + BODY, 4 * track + GAP), 4),
    { ...stretch(route, to, enters, between(4 * to.row + BODY, 4 * track + GAP), 4), leg: 1 },
  ];
}

function stretch(
  route: Route,
  { column }: Pick<Cell, "column" | "row">,
  side: Side,
  span: readonly [number, number],
  half: number,
): Stretch {
  return { key: keyOf(column, side), route, column, side, span, half, leg: 0 };
}

function between(a: number, b: number): readonly [number, number] {
  return a < b ? [a, b] : [b, a];
}

function spanOf(route: LaneRoute, grid: Grid): readonly [number, number] {
  const { from, to } = route;
  if (from.row !== to.row) return between(4 * from.row + BODY, 4 * to.row + BODY);
  return [4 * from.row + (labelsInHead(route, grid) ? HEAD : GAP), 4 * from.row + BODY];
}

/** The gap in which the label of a lane stands: in the middle of the way, or above a row that it does not leave. */
export function labelGap({ from, to, track }: LaneRoute): number {
  if (track !== null) return track;
  const [first, last] = [Math.min(from.row, to.row), Math.max(from.row, to.row)];
  return first === last ? first : first + Math.ceil((last - first) / 2);
}

/** A way that stays in the first row of its loop has no gap inside the region, but its head. */
export function labelsInHead({ from, to, inside, track }: LaneRoute, grid: Grid): boolean {
  if (from.row !== to.row || inside === null || track !== null) return false;
  return grid.loops.some(({ id, first }) => id === inside && first.row === from.row);
}
