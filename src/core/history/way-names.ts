import { type Graph, chooseEdge } from "../compile/graph.ts";
import type { CastEvent } from "../cast/state/event.ts";
import type { SocketId } from "../model/ids.ts";
import { NEXT_ITEM, type Edge } from "../model/loadout.ts";

/** `Socket-2 not_satisfied Socket-1`: the name of a way in tests and coverage. */
export function edgeName(from: SocketId, { when, to }: Pick<Edge, "when" | "to">): string {
  return `${from} ${when} ${to}`;
}

/** The way that an edge leads once its traversals are used up. */
export function exhaustedEdgeName(from: SocketId, { when, then }: Pick<Edge, "when" | "then">): string {
  return `${from} ${when} then ${then ?? NEXT_ITEM}`;
}

/** The implicit way, if no edge or exit matches. */
export function unmatchedName(from: SocketId, to: string): string {
  return `${from} otherwise ${to}`;
}

/** The parts of the name of an edge, such as `Build satisfied then Eval`. */
export interface WayParts {
  readonly from: string;
  readonly how: string;
  readonly to: string;
}

/** Names of materia may contain spaces; the condition between them may not. */
export function parseWayName(name: string): WayParts | undefined {
  const match = /^(.+?) ((?:always|satisfied|not_satisfied|otherwise)(?: then)?) (.+)$/.exec(name);
  if (!match || name.startsWith("limit ")) return undefined;
  const [, from = "", how = "", to = ""] = match;
  return { from, how, to };
}

export function formatWayName({ from, how, to }: WayParts): string {
  return `${from} ${how} ${to}`;
}

/** The id of an exit is unique only in its loop, so the loop precedes it if two loops share the id. */
export function exitName(graph: Graph, loop: string, id: string): string {
  const loops = Object.values(graph.loops).filter(({ exits }) => exits.some((exit) => exit.id === id));
  return loops.length > 1 ? `exit ${loop}/${id}` : `exit ${id}`;
}

export function emptyListName(loop: string): string {
  return `empty ${loop}`;
}

/** The limit of an edge. Reaching it fails the cast. */
export function edgeLimitName(from: SocketId, edge: Pick<Edge, "when" | "to">): string {
  return `limit ${edgeName(from, edge)}`;
}

/** How often a cast took each way. Reaching a limit counts as a way. */
export function countWaysTaken(graph: Graph, events: readonly CastEvent[]): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  const count = (name: string | undefined): void => {
    if (name !== undefined) taken.set(name, (taken.get(name) ?? 0) + 1);
  };
  let satisfied: boolean | undefined;
  let last: SocketId | undefined;
  for (const event of events) {
    switch (event.type) {
      case "handoff_accepted":
        satisfied = typeof event.handoff["satisfied"] === "boolean" ? event.handoff["satisfied"] : undefined;
        break;
      case "output_accepted":
        satisfied = undefined;
        break;
      case "visit_completed":
        last = event.socket;
        break;
      case "item_given_up":
        count(givenUpWayName(graph, last, satisfied));
        break;
      case "loop_exhausted":
        if (event.by === "empty") count(emptyListName(event.loop));
        break;
      case "limit_reached":
        count(limitWayName(graph, event));
        break;
      case "edge_taken":
        count(takenWayName(graph, event));
        break;
      default:
        break;
    }
  }
  return taken;
}

function givenUpWayName(graph: Graph, from: SocketId | undefined, satisfied: boolean | undefined): string | undefined {
  const socket = from === undefined ? undefined : graph.sockets[from];
  const way = socket && chooseEdge(socket, satisfied);
  return socket && way?.via === "edge" ? exhaustedEdgeName(socket.id, way.edge) : undefined;
}

function limitWayName(
  graph: Graph,
  { limit, where }: Extract<CastEvent, { type: "limit_reached" }>,
): string | undefined {
  const edge = typeof where.index === "number" ? graph.sockets[where.socket]?.edges[where.index] : undefined;
  return limit === "maxTraversals" && edge ? edgeLimitName(where.socket, edge) : undefined;
}

function takenWayName(graph: Graph, event: Extract<CastEvent, { type: "edge_taken" }>): string | undefined {
  const { from, to, via, index } = event;
  const edge = typeof index === "number" ? graph.sockets[from]?.edges[index] : undefined;
  if (via === "none") return unmatchedName(from, to);
  if (via === "exit") return exitName(graph, graph.sockets[from]?.loop ?? "", event.exit ?? "");
  if (!edge) return undefined;
  // `item_given_up` has counted the way to the next item.
  return event.then ? (edge.then === NEXT_ITEM ? undefined : exhaustedEdgeName(from, edge)) : edgeName(from, edge);
}
