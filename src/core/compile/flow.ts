import { END } from "../model/ids.ts";
import type { Destination, SocketId } from "../model/ids.ts";
import type { Graph, GraphSocket } from "./graph.ts";
import { loopOf, socketOf, socketsOf } from "./graph.ts";
import { neededFields } from "./needs.ts";
import { edgeFor, emptyExit, exitFor, matches } from "./route.ts";
import type { Way } from "./route.ts";

/** One step that a cast may take, as far as the graph alone tells. */
export interface Step {
  readonly way: Way;
  readonly satisfied: boolean | undefined;
  /** Whether the loop's cursor moved on before it. */
  readonly advanced: boolean;
  /** Whether the list was at its end, so that the exits decided. */
  readonly exhausted: boolean;
}

/** The graph as a walker sees it, worked out once and shared by every check. */
export interface Flow {
  readonly steps: ReadonlyMap<SocketId, readonly Step[]>;
  /** Sockets (and the end) reached from each socket, an empty list's way round its loop included. */
  readonly next: ReadonlyMap<SocketId, readonly Destination[]>;
}

export function flowOf(graph: Graph): Flow {
  const steps = new Map(socketsOf(graph).map((socket) => [socket.id, stepsFrom(graph, socket)]));
  const next = new Map(
    socketsOf(graph).map((socket) => {
      const reached: Destination[] = [];
      for (const { way } of steps.get(socket.id) ?? []) {
        for (const to of landings(graph, way.to, socket.loop)) if (!reached.includes(to)) reached.push(to);
      }
      return [socket.id, reached];
    }),
  );
  return { steps, next };
}

/** Everywhere a visit can lead: the same rules that route a cast, asked for every answer the socket may give. */
function stepsFrom(graph: Graph, socket: GraphSocket): readonly Step[] {
  const loop = loopOf(graph, socket);
  return answersOf(graph, socket).flatMap((satisfied) => {
    const onward: Step = { way: edgeFor(socket, satisfied), satisfied, advanced: false, exhausted: false };
    if (!loop?.items || socket.advance === null || !matches(socket.advance, satisfied)) return [onward];
    return [
      { ...onward, advanced: true },
      { way: exitFor(loop, socket.id, satisfied), satisfied, advanced: true, exhausted: true },
    ];
  });
}

const EVERY_ANSWER = [true, false, undefined] as const;

function answersOf(graph: Graph, socket: GraphSocket): readonly (boolean | undefined)[] {
  if (socket.parse === "text" || isIndifferent(graph, socket)) return [undefined];
  return neededFields(graph, socket).has("satisfied") ? [true, false] : EVERY_ANSWER;
}

/** Nothing about this socket asks what it answered. */
function isIndifferent(graph: Graph, socket: GraphSocket): boolean {
  if (socket.edges.some((edge) => edge.when !== "always")) return false;
  if (socket.advance === null) return true;
  return (
    socket.advance === "always" &&
    !loopOf(graph, socket)?.exits.some((exit) => exit.from === socket.id && exit.condition !== "always")
  );
}

/** Where a step to `to` may come to rest: there, or behind the loops that turn out to be empty. */
export function landings(graph: Graph, to: Destination, fromLoop: string | null): readonly Destination[] {
  const reached: Destination[] = [];
  let place: Destination = to;
  let inside = fromLoop;
  while (!reached.includes(place)) {
    reached.push(place);
    if (place === END) break;
    const loop = loopOf(graph, socketOf(graph, place));
    if (!loop?.items || loop.id === inside) break;
    place = emptyExit(loop).to;
    inside = null;
  }
  return reached;
}

/** All that can be reached from the entry. */
export function reachable(graph: Graph, flow: Flow): ReadonlySet<SocketId> {
  const seen = new Set<SocketId>();
  const open: Destination[] = [...landings(graph, graph.entry, null)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === END || seen.has(at)) continue;
    seen.add(at);
    open.push(...(flow.next.get(at) ?? []));
  }
  return seen;
}
