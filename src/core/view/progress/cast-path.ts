import type { CastState, CastPhase } from "../../cast/state/state.ts";
import { countOf } from "../../cast/state/persistent-map.ts";
import { socketOf, socketsOf } from "../../compile/graph.ts";
import {
  END,
  type SocketId,
  edgeWayId,
  emptyListWayId,
  implicitEndWayId,
  exitWayId,
  loopEndWayId,
  thenWayId,
} from "../../model/ids.ts";
import { nameText } from "../graph/labels.ts";
import { statusSymbol } from "../cast-list.ts";
import { line, lineColumns, toned, type Line } from "../line.ts";
import type { CastStatus } from "../../cast/summary.ts";
import type { EventOf } from "../../cast/state/event.ts";
import { NEXT_ITEM } from "../../model/loadout.ts";
import { traversalCount, traversalScopeOf } from "../../cast/state/traversal-counts.ts";

interface PathStop {
  readonly socket: SocketId;
  readonly materia: string;
  readonly mark: "visited" | "here" | "to_come";
}

/** The sockets around the position: a large graph would not fit. */
export interface CastPath {
  readonly stops: readonly PathStop[];
  readonly more: { readonly before: number; readonly after: number };
}

const MAX_STOPS_PER_SIDE = 20;

/** The current or last socket of a cast; null before the first and after the last. */
export function currentSocket(phase: CastPhase): SocketId | null {
  switch (phase.kind) {
    case "unstarted":
      return null;
    case "arriving":
      return phase.at === END ? null : phase.at;
    case "forked":
      return phase.fork.door;
    case "bypassing":
      return phase.member;
    case "sleeping":
    case "failing":
    case "ended":
      return currentSocket(phase.before);
    case "visiting":
    case "answered":
    case "waiting":
    case "accepted":
    case "leaving":
      return phase.visit.socket;
  }
}

export function castPath(state: CastState, order: readonly SocketId[]): CastPath {
  const here = currentSocket(state.phase);
  const behind = state.phase.kind === "unstarted" ? 0 : order.length;
  const at = here === null ? behind : order.indexOf(here);
  const [from, to] = [Math.max(0, at - MAX_STOPS_PER_SIDE), Math.min(order.length, at + MAX_STOPS_PER_SIDE + 1)];
  const loop = here === null ? null : socketOf(state.graph, here).loop;
  const stops = order.slice(from, to).map((id, offset): PathStop => {
    const socket = socketOf(state.graph, id);
    // Later sockets of the loop were visited for another item; for this item they are still to come.
    const ahead = loop !== null && socket.loop === loop && from + offset > at;
    const visited = countOf(state.visits, id) > 0 && !ahead;
    return { socket: id, materia: socket.materia, mark: id === here ? "here" : visited ? "visited" : "to_come" };
  });
  return { stops, more: { before: from, after: order.length - to } };
}

/** `✓ Auto-Plan ▸ Build · Auto-Eval`, as many sockets on both sides of the position as fit. */
export function pathLine(path: CastPath, status: CastStatus, width: number): Line {
  const { stops, more } = path;
  const pieces = stops.map((stop) => stopLine(stop, status));
  const here = stops.findIndex(({ mark }) => mark === "here");
  const start = here === -1 ? pieces.length - 1 : here;
  let [from, to] = [start, start];
  const isAll = more.before + more.after === 0;
  const isWhole = isAll && pieces.reduce((sum, piece) => sum + lineColumns(piece) + 1, -1) <= width;
  let room = width - (isWhole ? 0 : "… ".length + " …".length) - lineColumns(pieces[start] ?? []);
  for (let grown = true; grown;) {
    grown = false;
    for (const side of [to + 1, from - 1]) {
      const piece = pieces[side];
      const columns = piece ? lineColumns(piece) + 1 : Infinity;
      if (columns > room) continue;
      room -= columns;
      grown = true;
      if (side > to) to = side;
      else from = side;
    }
  }
  const shown = pieces
    .slice(Math.max(0, from), to + 1)
    .flatMap((piece, index) => (index === 0 ? piece : [{ text: " " }, ...piece]));
  const cutLeft = from > 0 || more.before > 0;
  const cutRight = to < pieces.length - 1 || more.after > 0;
  return line(toned("dim", cutLeft ? "… " : ""), ...shown, toned("dim", cutRight ? " …" : ""));
}

const STOPPED: ReadonlySet<CastStatus> = new Set(["waiting", "failed", "aborted", "interrupted"]);

function stopLine({ materia, mark }: PathStop, status: CastStatus): Line {
  const name = nameText(materia);
  if (mark === "visited") return line(toned("ok", "✓ "), name);
  if (mark === "to_come") return line(toned("dim", `· ${name}`));
  const symbol = STOPPED.has(status) ? statusSymbol(status) : toned("accent", "▸");
  return line({ ...symbol, text: `${symbol.text} ${name}` });
}

export interface WayTaken {
  readonly id: string;
  readonly seq: number;
}

export function takenWayId({ graph, phase }: CastState, event: EventOf<"edge_taken">): string {
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
    edges.flatMap(({ when, maxTraversals }, index) => {
      const taken = when === "not_satisfied" ? currentTraversals(state, id, index) : 0;
      return taken > 0 ? [{ taken, of: maxTraversals ?? null }] : [];
    }),
  );
  return limited.toSorted((a, b) => (a.of ?? 1e9) - a.taken - (b.of ?? 1e9) + b.taken)[0] ?? null;
}
