import type { CastState } from "../../cast/state/state.ts";
import { countIn, scopeOf } from "../../cast/state/traversals.ts";
import { socketOf, socketsOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";

/** How often the item in hand (outside loops: the cast) has taken an edge. */
export function takenNow(state: CastState, from: SocketId, index: number): number {
  const edge = socketOf(state.graph, from).edges[index];
  if (!edge) return 0;
  return countIn(state, "taken", scopeOf(state, from, { via: "edge", to: edge.to, edge, index }));
}

/** The rework of the item in hand that is nearest to its limit; null where nothing came back. */
export function reworkNow(state: CastState): { readonly taken: number; readonly of: number | null } | null {
  const limited = socketsOf(state.graph).flatMap(({ id, edges }) =>
    edges.flatMap(({ when, maxTraversals }, index) =>
      when === "not_satisfied" ? [{ taken: takenNow(state, id, index), of: maxTraversals ?? null }] : [],
    ),
  );
  const [most] = limited
    .filter(({ taken }) => taken > 0)
    .toSorted((a, b) => (a.of ?? 1e9) - a.taken - (b.of ?? 1e9) + b.taken);
  return most ?? null;
}
