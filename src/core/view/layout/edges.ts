import { stitchNumber } from "../graph/drawn-ways.ts";
import { END } from "../../model/ids.ts";
import type { Box, PlacedEdge, Point } from "./drawing.ts";
import { type GridCell, type EdgeRoute, type RouteSide } from "./routes.ts";
import {
  ARROW_HEIGHT,
  labelX,
  routeStyleOf,
  type ColumnPositions,
  type LayoutPlan,
  type RowPositions,
} from "./plan.ts";
import type { LaneAssignment } from "./lanes.ts";

interface LayoutGeometry {
  readonly columns: ColumnPositions;
  readonly rows: RowPositions;
  readonly boxOf: (cell: GridCell) => Box;
  readonly regions: ReadonlyMap<string, Box>;
}

export function placeEdges(plan: LayoutPlan, placed: LayoutGeometry): readonly PlacedEdge[] {
  const heightOf = (id: string): number => (id === END ? plan.metrics.end.height : plan.metrics.socket.height);
  const ports = assignPorts(plan.routes, plan.lanes, heightOf);
  return plan.routes.map((route) => {
    const [out = 0, into = 0] = [ports.leaving.get(route), ports.entering.get(route)];
    const points = routePoints(plan, placed, route, { out, into });
    const loop = route.way.via === "exit" ? placed.regions.get(route.way.loop ?? "") : undefined;
    return {
      way: route.way,
      runs: routeStyleOf(route),
      points,
      label: labelBox(plan, placed, route),
      bar: loop ? findExitCrossing(points, loop) : null,
      stitch: stitchNumber(route.way, plan.stitches),
    };
  });
}

function routePoints(
  { metrics, lanes }: LayoutPlan,
  { columns, rows, boxOf, regions }: LayoutGeometry,
  route: EdgeRoute,
  { out, into }: { readonly out: number; readonly into: number },
): readonly Point[] {
  const from = boxOf(route.from);
  const laneXs = lanes.lanesOf(route).map(columns.laneX);
  const [x1 = 0, x2 = x1] = laneXs;
  const y1 = from.y + out;
  if (route.kind === "items") {
    const top = regions.get(route.loop.id)?.y ?? 0;
    return [pointAt(from.x + from.width, y1), pointAt(x1, y1), pointAt(x1, top)];
  }
  const to = boxOf(route.to);
  const y2 = to.y + into;
  switch (route.kind) {
    case "direct": {
      const x = columns.x(route.from.column) + metrics.rail;
      return [pointAt(x, from.y + from.height), pointAt(x, to.y)];
    }
    case "over": {
      const x = to.x + metrics.rail;
      return [pointAt(from.x + from.width, y1), pointAt(x, y1), pointAt(x, to.y)];
    }
    case "into": {
      const x = from.x + metrics.rail;
      return [pointAt(x, from.y + from.height), pointAt(x, y2), pointAt(to.x + to.width, y2)];
    }
    case "lane": {
      const start = route.leaves === "left" ? from.x : from.x + from.width;
      const stop = route.enters === "left" ? to.x : to.x + to.width;
      const track = route.track === null ? undefined : rows.middleOf(route);
      const across = track === undefined ? [] : [pointAt(x1, track), pointAt(x2, track)];
      return [pointAt(start, y1), pointAt(x1, y1), ...across, pointAt(x2, y2), pointAt(stop, y2)];
    }
  }
}

function pointAt(x: number, y: number): Point {
  return { x, y };
}

function labelBox(plan: LayoutPlan, { columns, rows, boxOf }: LayoutGeometry, route: EdgeRoute): Box | null {
  const size = plan.sizeOf(route);
  if (!size) return null;
  const middle = rows.middleOf(route);
  const above = route.kind === "items" ? ARROW_HEIGHT / 2 : 0;
  // Without a gap it stands in the head of its region, just above its row.
  const y = middle === undefined ? boxOf(route.from).y - size.height - 1 : middle - above - size.height / 2;
  return { x: labelX(plan, columns, route, size), y, ...size };
}

export function findExitCrossing(points: readonly Point[], { x, y, width, height }: Box): PlacedEdge["bar"] {
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

interface PortContact {
  readonly route: EdgeRoute;
  readonly end: "leaving" | "entering";
  readonly socket: string;
  readonly side: RouteSide;
  /** The direction of the route from here: -1 up, 0 round, 1 down. */
  readonly turns: number;
  readonly distance: number;
}

const MAX_PORT_GAP = 12;

/** Ordered so that routes of one side do not cross before their lanes. */
function assignPorts(routes: readonly EdgeRoute[], lanes: LaneAssignment, heightOf: (socket: string) => number) {
  const contacts = routes.flatMap((route) => contactsOf(route, lanes));
  const places = { leaving: new Map<EdgeRoute, number>(), entering: new Map<EdgeRoute, number>() };
  for (const touches of Map.groupBy(contacts, ({ side, socket }) => `${side} ${socket}`).values()) {
    const height = heightOf(touches[0]?.socket ?? "");
    const apart = Math.min(MAX_PORT_GAP, (height - 8) / Math.max(1, touches.length - 1));
    touches.toSorted(compareContacts).forEach(({ route, end }, index) => {
      places[end].set(route, height / 2 + (index - (touches.length - 1) / 2) * apart);
    });
  }
  return places;
}

function contactsOf(route: EdgeRoute, lanes: LaneAssignment): readonly PortContact[] {
  const [first, last = first] = lanes.lanesOf(route);
  const { from, to } = route;
  const leaving = { route, end: "leaving", socket: from.id, side: "right", turns: 1 } as const;
  const entering = { route, end: "entering", socket: to.id, side: "right", turns: -1 } as const;
  switch (route.kind) {
    case "direct":
      return [];
    case "over":
      return [{ ...leaving, distance: Infinity }];
    case "into":
      return [{ ...entering, distance: Infinity }];
    case "items":
      return [{ ...leaving, distance: first?.distance ?? 0 }];
    case "lane": {
      const { leaves, enters, track } = route;
      const onward = track === null ? to.row - from.row : track > from.row ? 1 : -1;
      const back = track === null ? from.row - to.row : track > to.row ? 1 : -1;
      return [
        { ...leaving, side: leaves, turns: Math.sign(onward), distance: first?.distance ?? 0 },
        { ...entering, side: enters, turns: Math.sign(back), distance: last?.distance ?? 0 },
      ];
    }
  }
}

/** From the top: inner lanes that go up, then outer ones, then outer lanes that go down, then inner ones. */
function compareContacts(a: PortContact, b: PortContact): number {
  if (a.turns !== b.turns) return a.turns - b.turns;
  if (a.turns === 0) return a.end === b.end ? a.distance - b.distance : a.end === "entering" ? -1 : 1;
  const outward = a.distance === b.distance ? 0 : a.distance - b.distance;
  return a.turns < 0 ? outward : -outward;
}
