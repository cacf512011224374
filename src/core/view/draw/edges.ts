import { END } from "../../model/ids.ts";
import type { Box, PlacedEdge, Point } from "./drawing.ts";
import type { Cell } from "./measure/grid.ts";
import { ARROW_ROOM, labelX, runsOf, type Columns, type Plan, type Rows } from "./plan.ts";
import { portsOf } from "./ports.ts";
import { stitchOf, type Route } from "./routes.ts";

export interface Placed {
  readonly columns: Columns;
  readonly rows: Rows;
  readonly boxOf: (cell: Cell) => Box;
  readonly regions: ReadonlyMap<string, Box>;
}

export function edgesOf(plan: Plan, placed: Placed): readonly PlacedEdge[] {
  const heightOf = (id: string): number => (id === END ? plan.metrics.end.height : plan.metrics.socket.height);
  const ports = portsOf(plan.routes, plan.lanes, heightOf);
  return plan.routes.map((route) => {
    const points = pointsOf(plan, placed, route, { out: ports.leaving(route), into: ports.entering(route) });
    const loop = route.way.via === "exit" ? placed.regions.get(route.way.loop ?? "") : undefined;
    return {
      way: route.way,
      runs: runsOf(route),
      points,
      label: labelBox(plan, placed, route),
      bar: loop ? crossing(points, loop) : null,
      stitch: stitchOf(route.way, plan.stitches),
    };
  });
}

function pointsOf(
  { metrics, lanes }: Plan,
  { columns, rows, boxOf, regions }: Placed,
  route: Route,
  { out, into }: { readonly out: number; readonly into: number },
): readonly Point[] {
  const from = boxOf(route.from);
  const laneXs = lanes.of(route).map(columns.laneX);
  const [x1 = 0, x2 = x1] = laneXs;
  const y1 = from.y + out;
  if (route.kind === "items") {
    const top = regions.get(route.loop.id)?.y ?? 0;
    return [at(from.x + from.width, y1), at(x1, y1), at(x1, top)];
  }
  const to = boxOf(route.to);
  const y2 = to.y + into;
  switch (route.kind) {
    case "direct": {
      const x = columns.x(route.from.column) + metrics.rail;
      return [at(x, from.y + from.height), at(x, to.y)];
    }
    case "over": {
      const x = to.x + metrics.rail;
      return [at(from.x + from.width, y1), at(x, y1), at(x, to.y)];
    }
    case "into": {
      const x = from.x + metrics.rail;
      return [at(x, from.y + from.height), at(x, y2), at(to.x + to.width, y2)];
    }
    case "lane": {
      const start = route.leaves === "left" ? from.x : from.x + from.width;
      const stop = route.enters === "left" ? to.x : to.x + to.width;
      const track = route.track === null ? undefined : rows.middleOf(route);
      const middle =
        track === undefined ? [at(x1, y1), at(x1, y2)] : [at(x1, y1), at(x1, track), at(x2, track), at(x2, y2)];
      return [at(start, y1), ...middle, at(stop, y2)];
    }
  }
}

function at(x: number, y: number): Point {
  return { x, y };
}

function labelBox(plan: Plan, { columns, rows, boxOf }: Placed, route: Route): Box | null {
  const size = plan.sizeOf(route);
  if (!size) return null;
  const middle = rows.middleOf(route);
  const x = labelX(plan, columns, route, size);
  const above = route.kind === "items" ? ARROW_ROOM / 2 : 0;
  if (middle !== undefined) return { x, y: middle - above - size.height / 2, ...size };
  // In the head of its region, just above the row that it does not leave.
  return { x, y: boxOf(route.from).y - size.height - 1, ...size };
}

/** Where a route leaves a region. */
function crossing(points: readonly Point[], { x, y, width, height }: Box): PlacedEdge["bar"] {
  for (const [index, to] of points.slice(1).entries()) {
    const from = points[index] ?? to;
    const isInside = (point: Point): boolean =>
      point.x > x && point.x < x + width && point.y > y && point.y < y + height;
    if (!isInside(from) || isInside(to)) continue;
    if (from.x === to.x) return { x: from.x, y: to.y > from.y ? y + height : y, lies: "flat" };
    return { x: to.x > from.x ? x + width : x, y: from.y, lies: "upright" };
  }
  return null;
}
