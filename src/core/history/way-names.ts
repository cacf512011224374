import { type Graph, chooseEdge, type GraphSocket, loopOf } from "../compile/graph.ts";
import type { CastEvent } from "../cast/state/event.ts";
import { type SocketId, END } from "../model/ids.ts";
import { NEXT_ITEM, type Edge } from "../model/loadout.ts";
import type { Flow } from "../compile/flow.ts";
import { foldVisits } from "./visits.ts";

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

/** The parts of the name of an edge, such as `Build satisfied then Eval`. Names of materia may contain spaces; the condition between them may not. */
export function parseWayName(name: string) {
  const match = /^(.+?) ((?:always|satisfied|not_satisfied|otherwise)(?: then)?) (.+)$/.exec(name);
  if (!match || name.startsWith("limit ")) return undefined;
  const [, from = "", how = "", to = ""] = match;
  return { from, how, to };
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

function limitWayName(graph: Graph, { limit, where }: Extract<CastEvent, { type: "limit_reached" }>) {
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

/** [T7] How many parts of a loadout its tests took, and the missing ones. */
export interface Coverage {
  readonly taken: number;
  readonly of: number;
  readonly missing: readonly string[];
}

export interface CoveredRun {
  readonly loadout: string;
  readonly graph: Graph;
  readonly flow: Flow;
  readonly events: readonly CastEvent[];
}

export function measureCoverage(runs: readonly CoveredRun[]): Readonly<Record<string, Coverage>> {
  const names = [...new Set(runs.map(({ loadout }) => loadout))].toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const own = runs.filter(({ loadout }) => loadout === name);
      const all = new Set(own.flatMap(({ graph, flow }) => coverableNames(graph, flow)));
      const taken = new Set(own.flatMap(({ graph, events }) => coveredNames(graph, events)));
      const missing = [...all].filter((each) => !taken.has(each));
      return [name, { taken: all.size - missing.length, of: all.size, missing }];
    }),
  );
}

/** Whole percent, rounded down, so that 100 means complete. */
export function coveragePercent({ taken, of }: Pick<Coverage, "taken" | "of">): number {
  return of === 0 ? 100 : Math.floor((taken / of) * 100);
}

/** The sockets that a cast visited and the ways that it took. */
export function coveredNames(graph: Graph, events: readonly CastEvent[]): readonly string[] {
  return [...foldVisits(events).map(({ socket }) => socket), ...countWaysTaken(graph, events).keys()];
}

export function coverableNames(graph: Graph, flow: Flow): readonly string[] {
  const { reached } = flow;
  const sockets = flow.sockets.filter((_, number) => reached.has(number));
  const loops = new Set(sockets.flatMap((socket) => loopOf(graph, socket) ?? []));
  const names = [
    ...sockets.map(({ id }) => id),
    ...sockets.flatMap((socket) => coverableWaysFrom(graph, flow, socket)),
    ...[...loops].filter(({ items }) => items !== null).map(({ id }) => emptyListName(id)),
  ];
  return [...new Set(names)];
}

function coverableWaysFrom(graph: Graph, flow: Flow, socket: GraphSocket): readonly string[] {
  const { id } = socket;
  return (flow.steps[flow.numberOf.get(id) ?? -1] ?? []).flatMap(({ way, exhausted }) => {
    if (way.via === "exit") return [exitName(graph, socket.loop ?? "", way.exit.id)];
    // The visit itself covers the end of a socket without edges.
    if (way.via === "none") return exhausted || socket.edges.length > 0 ? [unmatchedName(id, way.to)] : [];
    const { edge } = way;
    // The edge itself lists the way after its last traversal.
    if (way.then) return [];
    if (edge.maxTraversals === undefined || !canRepeat(graph, flow, socket, edge)) return [edgeName(id, edge)];
    const used = edge.then === undefined || (edge.then === NEXT_ITEM && socket.loop === null);
    return [edgeName(id, edge), used ? edgeLimitName(id, edge) : exhaustedEdgeName(id, edge)];
  });
}

/** Whether a cast can take an edge again before its count restarts. Otherwise its limit is unreachable. */
function canRepeat(graph: Graph, flow: Flow, from: GraphSocket, { to }: Pick<Edge, "to">): boolean {
  if (to === END) return false;
  // [G8] Inside a loop an edge counts for the current item.
  const perItem = from.loop !== null && loopOf(graph, from)?.items != null && graph.sockets[to]?.loop === from.loop;
  const start = flow.numberOf.get(to) ?? -1;
  const goal = flow.numberOf.get(from.id);
  const seen = new Set<number>();
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const { advanced, landings } of flow.steps[at] ?? []) if (!(perItem && advanced)) open.push(...landings);
  }
  return false;
}
