import type { CastState, CastPhase } from "../../cast/state/state.ts";
import { countOf } from "../../cast/state/persistent-map.ts";
import { socketOf } from "../../compile/graph.ts";
import { END, type SocketId } from "../../model/ids.ts";
import { assertNever } from "../../model/issue.ts";
import { nameText } from "../graph/labels.ts";
import { line, lineColumns, toned, type Line, type Tone } from "../line.ts";
import type { CastStatus } from "../../cast/summary.ts";

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
    default:
      return assertNever(phase);
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
  const pieces = path.stops.map((stop) => stopLine(stop, status));
  const here = path.stops.findIndex(({ mark }) => mark === "here");
  const start = here === -1 ? pieces.length - 1 : here;
  let [from, to] = [start, start];
  const whole =
    pieces.reduce((sum, piece) => sum + lineColumns(piece) + 1, -1) <= width &&
    path.more.before + path.more.after === 0;
  let room = width - (whole ? 0 : "… ".length + " …".length) - lineColumns(pieces[start] ?? []);
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
  const cutLeft = from > 0 || path.more.before > 0;
  const cutRight = to < pieces.length - 1 || path.more.after > 0;
  return line(toned("dim", cutLeft ? "… " : ""), ...shown, toned("dim", cutRight ? " …" : ""));
}

const HERE_SYMBOLS: Readonly<Partial<Record<CastStatus, { readonly glyph: string; readonly tone: Tone }>>> = {
  waiting: { glyph: "‖", tone: "wait" },
  failed: { glyph: "✕", tone: "bad" },
  aborted: { glyph: "■", tone: "dim" },
  interrupted: { glyph: "╌", tone: "rework" },
};

function stopLine({ materia, mark }: PathStop, status: CastStatus): Line {
  const name = nameText(materia);
  if (mark === "visited") return line(toned("ok", "✓ "), name);
  if (mark === "to_come") return line(toned("dim", `· ${name}`));
  const { glyph, tone } = HERE_SYMBOLS[status] ?? { glyph: "▸", tone: "accent" as const };
  return line(toned(tone, `${glyph} ${name}`));
}
