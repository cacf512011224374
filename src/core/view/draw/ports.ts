import type { RouteLanes } from "./lanes.ts";
import type { Route, Side } from "./routes.ts";

/** Where routes touch the sides of a socket, from its top. */
interface RoutePorts {
  readonly leaving: (route: Route) => number;
  readonly entering: (route: Route) => number;
}

interface Touch {
  readonly route: Route;
  readonly end: "leaving" | "entering";
  /** Which way the route turns from here. */
  readonly turns: "up" | "round" | "down";
  readonly distance: number;
}

const MOST_APART = 12;

/** Ordered so that routes of one side do not cross each other on their way to their lanes. */
export function portsOf(routes: readonly Route[], lanes: RouteLanes, heightOf: (socket: string) => number): RoutePorts {
  const sides = new Map<string, Touch[]>();
  const note = (socket: string, side: Side, touch: Touch): void => {
    const key = `${side} ${socket}`;
    const known = sides.get(key);
    if (known) known.push(touch);
    else sides.set(key, [touch]);
  };
  for (const route of routes) noteTouches(route, lanes, note);
  const places = { leaving: new Map<Route, number>(), entering: new Map<Route, number>() };
  for (const [key, touches] of sides) {
    const height = heightOf(key.slice(key.indexOf(" ") + 1));
    const apart = Math.min(MOST_APART, (height - 8) / Math.max(1, touches.length - 1));
    touches.toSorted(compareTouches).forEach(({ route, end }, index) => {
      places[end].set(route, height / 2 + (index - (touches.length - 1) / 2) * apart);
    });
  }
  return {
    leaving: (route) => places.leaving.get(route) ?? 0,
    entering: (route) => places.entering.get(route) ?? 0,
  };
}

function noteTouches(route: Route, lanes: RouteLanes, note: (socket: string, side: Side, touch: Touch) => void): void {
  const [first, last = first] = lanes.of(route);
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
      note(from.id, leaves, { route, end: "leaving", turns: turnOf(onward), distance: first?.distance ?? 0 });
      note(to.id, enters, { route, end: "entering", turns: turnOf(back), distance: last?.distance ?? 0 });
    }
  }
}

function turnOf(rows: number): Touch["turns"] {
  return rows === 0 ? "round" : rows < 0 ? "up" : "down";
}

const TURNS = { up: 0, round: 1, down: 2 } as const;

/** From the top: inner lanes that go up, then outer ones, then outer lanes that go down, then inner ones. */
function compareTouches(a: Touch, b: Touch): number {
  if (a.turns !== b.turns) return TURNS[a.turns] - TURNS[b.turns];
  if (a.turns === "round") return a.end === b.end ? a.distance - b.distance : a.end === "entering" ? -1 : 1;
  const outward = a.distance === b.distance ? 0 : a.distance - b.distance;
  return a.turns === "up" ? outward : -outward;
}
