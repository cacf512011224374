import type { CastState } from "../../cast/state/state.ts";
import { traversalCount, traversalScopeOf } from "../../cast/state/traversals.ts";
import { socketOf, socketsOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";

/** How often the item in hand (outside loops: the cast) has taken an edge. */
export function currentTraversals(state: CastState, from: SocketId, index: number): number {
  const edge = socketOf(state.graph, from).edges[index];
  if (!edge) return 0;
  return traversalCount(state, "taken", traversalScopeOf(state, from, { via: "edge", to: edge.to, edge, index }));
}

/** The rework of the item in hand that is nearest to its limit; null where nothing came back. */
export function currentRework(state: CastState): { readonly taken: number; readonly of: number | null } | null {
  const limited = socketsOf(state.graph).flatMap(({ id, edges }) =>
    edges.flatMap(({ when, maxTraversals }, index) =>
      when === "not_satisfied" ? [{ taken: currentTraversals(state, id, index), of: maxTraversals ?? null }] : [],
    ),
  );
  const [most] = limited
    .filter(({ taken }) => taken > 0)
    .toSorted((a, b) => (a.of ?? 1e9) - a.taken - (b.of ?? 1e9) + b.taken);
  return most ?? null;
}
