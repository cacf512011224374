import type { CastEvent, EventOf } from "../../cast/event.ts";
import type { CastState } from "../../cast/state.ts";
import { socketOf } from "../../compile/graph.ts";

/** A way that was walked, by the id under which it is drawn. */
export interface WayTaken {
  readonly id: string;
  readonly seq: number;
}

export function wayTaken(before: CastState, event: CastEvent & EventOf<"edge_taken">): WayTaken {
  return { id: wayId(before, event), seq: event.seq };
}

function wayId({ graph, phase }: CastState, event: EventOf<"edge_taken">): string {
  const socket = socketOf(graph, event.from);
  if (event.via === "edge") {
    const index = socket.edges.findIndex(({ when, to }) => when === event.when && to === event.to);
    return `edge:${event.from}:${index + 1}`;
  }
  const loop = phase.kind === "bypassing" ? phase.loop : socket.loop;
  if (event.via === "exit") return `loop-exit:${loop ?? ""}:${event.exit ?? ""}`;
  if (phase.kind === "bypassing") return `loop-empty:${phase.loop}`;
  if (phase.kind === "leaving" && phase.moved === "exhausted") return `loop-end:${loop ?? ""}:${event.from}`;
  return `end:${event.from}`;
}
