import type { LaneAssignment } from "./lanes.ts";
import type { EdgeRoute, RouteSide } from "./routes.ts";

/** Where routes touch the sides of a socket, from its top. */
interface RoutePorts {
  readonly leaving: (route: EdgeRoute) => number;
  readonly entering: (route: EdgeRoute) => number;
}

interface PortContact {
  readonly route: EdgeRoute;
  readonly end: "leaving" | "entering";
  /** Which way the route turns from here. */
  readonly turns: "up" | "round" | "down";
  readonly distance: number;
}

const MAX_PORT_GAP = 12;

/** Ordered so that routes of one side do not cross each other on their way to their lanes. */
export function assignPorts(routes: readonly EdgeRoute[], lanes: LaneAssignment, heightOf: (socket: string) => number): RoutePorts {
  const sides = new Map<string, PortContact[]>();
  const note = (socket: string, side: RouteSide, touch: PortContact): void => {
    const key = `${side} ${socket}`;
    const known = sides.get(key);
    if (known) known.push(touch);
    else sides.set(key, [touch]);
  };
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
    leaving: (route) => places.leaving.get(route) ?? 0,
    entering: (route) => places.entering.get(route) ?? 0,
  };
}

function collectContacts(route: EdgeRoute, lanes: LaneAssignment, note: (socket: string, side: RouteSide, touch: PortContact) => void): void {
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
