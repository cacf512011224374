import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { socketOf } from "../../compile/graph.ts";
import { NEXT_ITEM } from "../../model/loadout.ts";
import { edgeWayId, emptyListWayId, implicitEndWayId, exitWayId, loopEndWayId, thenWayId } from "../../model/way-id.ts";

/** A way that was walked, by the id under which it is drawn. */
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
