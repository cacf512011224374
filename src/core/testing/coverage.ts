import type { Flow } from "../compile/flow.ts";
import { type Graph, type GraphSocket, loopOf } from "../compile/graph.ts";
import type { CastEvent } from "../cast/state/event.ts";
import { END } from "../model/ids.ts";
import { NEXT_ITEM, type Edge } from "../model/loadout.ts";
import {
  edgeName,
  emptyListName,
  exitName,
  edgeLimitName,
  unmatchedName,
  exhaustedEdgeName,
  countWaysTaken,
} from "../history/way-names.ts";
import { foldVisits } from "../history/visits.ts";

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

/** Every socket and way that a cast can reach. */
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
