import { END } from "../../model/ids.ts";
import { appendTo } from "../../model/lists.ts";
import type { Box, PlacedEdge, Point } from "./drawing.ts";
import { type GridCell, stitchNumber, type EdgeRoute, type RouteSide } from "./routes.ts";
import {
  ARROW_HEIGHT,
  labelX,
  routeStyleOf,
  type ColumnPositions,
  type LayoutPlan,
  type RowPositions,
} from "./plan.ts";
import type { LaneAssignment } from "./lanes.ts";

export interface LayoutGeometry {
  readonly columns: ColumnPositions;
  readonly rows: RowPositions;
  readonly boxOf: (cell: GridCell) => Box;
  readonly regions: ReadonlyMap<string, Box>;
}

export function placeEdges(plan: LayoutPlan, placed: LayoutGeometry): readonly PlacedEdge[] {
  const heightOf = (id: string): number => (id === END ? plan.metrics.end.height : plan.metrics.socket.height);
  const ports = assignPorts(plan.routes, plan.lanes, heightOf);
  return plan.routes.map((route) => {
    const points = routePoints(plan, placed, route, { out: ports.leaving(route), into: ports.entering(route) });
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
      const middle =
        track === undefined
          ? [pointAt(x1, y1), pointAt(x1, y2)]
          : [pointAt(x1, y1), pointAt(x1, track), pointAt(x2, track), pointAt(x2, y2)];
      return [pointAt(start, y1), ...middle, pointAt(stop, y2)];
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
  const x = labelX(plan, columns, route, size);
  const above = route.kind === "items" ? ARROW_HEIGHT / 2 : 0;
  if (middle !== undefined) return { x, y: middle - above - size.height / 2, ...size };
  // In the head of its region, just above its row.
  return { x, y: boxOf(route.from).y - size.height - 1, ...size };
}

/** The point where a route leaves a region. */
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
  /** The direction of the route from here. */
  readonly turns: "up" | "round" | "down";
  readonly distance: number;
}

const MAX_PORT_GAP = 12;

/** Ordered so that routes of one side do not cross before their lanes. */
function assignPorts(routes: readonly EdgeRoute[], lanes: LaneAssignment, heightOf: (socket: string) => number) {
  const sides = new Map<string, PortContact[]>();
  const note = (socket: string, side: RouteSide, touch: PortContact): void =>
    appendTo(sides, `${side} ${socket}`, touch);
  for (const route of routes) collectContacts(route, lanes, note);
  const places = { leaving: new Map<EdgeRoute, number>(), entering: new Map<EdgeRoute, number>() };
  for (const [key, touches] of sides) {
    const height = heightOf(key.slice(key.indexOf(" ") + 1));
    const apart = Math.min(MAX_PORT_GAP, (height - 8) / Math.max(1, touches.length - 1));
    touches.toSorted(compareContacts).forEach(({ route, end }, index) => {
      places[end].set(route, height / 2 + (index - (touches.length - 1) / 2) * apart);
    });
  }
  return {
    leaving: (route: EdgeRoute) => places.leaving.get(route) ?? 0,
    entering: (route: EdgeRoute) => places.entering.get(route) ?? 0,
  };
}

function collectContacts(
  route: EdgeRoute,
  lanes: LaneAssignment,
  note: (socket: string, side: RouteSide, touch: PortContact) => void,
): void {
  const [first, last = first] = lanes.lanesOf(route);
  switch (route.kind) {
    case "direct":
      return;
    case "over":
      return note(route.from.id, "right", { route, end: "leaving", turns: "down", distance: Infinity });
    case "into":
      return note(route.to.id, "right", { route, end: "entering", turns: "up", distance: Infinity });
    case "items":
      return note(route.from.id, "right", { route, end: "leaving", turns: "down", distance: first?.distance ?? 0 });
    case "lane": {
      const { from, to, leaves, enters, track } = route;
      const onward = track === null ? to.row - from.row : track > from.row ? 1 : -1;
      const back = track === null ? from.row - to.row : track > to.row ? 1 : -1;
      note(from.id, leaves, { route, end: "leaving", turns: turnDirection(onward), distance: first?.distance ?? 0 });
      note(to.id, enters, { route, end: "entering", turns: turnDirection(back), distance: last?.distance ?? 0 });
    }
  }
}

function turnDirection(rows: number): PortContact["turns"] {
  return rows === 0 ? "round" : rows < 0 ? "up" : "down";
}

const TURN_ORDER = { up: 0, round: 1, down: 2 } as const;

/** From the top: inner lanes that go up, then outer ones, then outer lanes that go down, then inner ones. */
function compareContacts(a: PortContact, b: PortContact): number {
  if (a.turns !== b.turns) return TURN_ORDER[a.turns] - TURN_ORDER[b.turns];
  if (a.turns === "round") return a.end === b.end ? a.distance - b.distance : a.end === "entering" ? -1 : 1;
  const outward = a.distance === b.distance ? 0 : a.distance - b.distance;
  return a.turns === "up" ? outward : -outward;
}
