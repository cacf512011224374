import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { socketOf, socketsOf } from "../../compile/graph.ts";
import { NEXT_ITEM } from "../../model/loadout.ts";
import {
  edgeWayId,
  emptyListWayId,
  implicitEndWayId,
  exitWayId,
  loopEndWayId,
  thenWayId,
  type SocketId,
} from "../../model/ids.ts";
import { traversalCount, traversalScopeOf } from "../../cast/state/traversal-counts.ts";

/** A way that the cast took, by its id in the drawing. */
export interface WayTaken {
  readonly id: string;
  readonly seq: number;
}

export function toWayTaken(before: CastState, event: CastEvent & EventOf<"edge_taken">): WayTaken {
  return { id: takenWayId(before, event), seq: event.seq };
}

function takenWayId({ graph, phase }: CastState, event: EventOf<"edge_taken">): string {
  const socket = socketOf(graph, event.from);
  if (event.via === "edge") {
    const index = event.index ?? -1;
    const isDrawn = event.then && socket.edges[index]?.then !== NEXT_ITEM;
    return isDrawn ? thenWayId(event.from, index) : edgeWayId(event.from, index);
  }
  const loop = phase.kind === "bypassing" ? phase.loop : socket.loop;
  if (event.via === "exit") return exitWayId(loop ?? "", event.exit ?? "");
  if (phase.kind === "bypassing") return emptyListWayId(phase.loop);
  if (phase.kind === "leaving" && phase.moved === "exhausted") return loopEndWayId(loop ?? "", event.from);
  return implicitEndWayId(event.from);
}

/** How often the current item, or the cast outside loops, has taken an edge. */
export function currentTraversals(state: CastState, from: SocketId, index: number): number {
  const edge = socketOf(state.graph, from).edges[index];
  if (!edge) return 0;
  return traversalCount(state, "taken", traversalScopeOf(state, from, { via: "edge", to: edge.to, edge, index }));
}

/** The rework of the current item that is nearest to its limit; null without rework. */
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
