import { traversalKey } from "../../cast/limits.ts";
import type { CastState } from "../../cast/state.ts";
import { countOf } from "../../cast/tally.ts";
import { socketOf, socketsOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import type { Edge } from "../../model/loadout.ts";

/** How often the item in hand (outside loops: the cast) has taken an edge. */
export function takenNow(state: CastState, from: SocketId, { when, to }: Pick<Edge, "when" | "to">): number {
  const socket = socketOf(state.graph, from);
  const index = socket.edges.findIndex((edge) => edge.when === when && edge.to === to);
  const edge = socket.edges[index];
  if (!edge) return 0;
  const { scope, key } = traversalKey(state, from, { via: "edge", to: edge.to, edge, index });
  return countOf(state.counts[scope], key);
}

/** The rework of the item in hand that is nearest to its limit; null where nothing came back. */
export function reworkNow(state: CastState): { readonly taken: number; readonly of: number | null } | null {
  const limited = socketsOf(state.graph).flatMap(({ id, edges }) =>
    edges
      .filter(({ when }) => when === "not_satisfied")
      .map((edge) => ({ taken: takenNow(state, id, edge), of: edge.maxTraversals ?? null })),
  );
  const [most] = limited
    .filter(({ taken }) => taken > 0)
    .toSorted((a, b) => (a.of ?? 1e9) - a.taken - (b.of ?? 1e9) + b.taken);
  return most ?? null;
}
