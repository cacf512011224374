import type { SocketId } from "../model/ids.ts";
import type { Condition, Edge, Exit } from "../model/loadout.ts";
import type { Materia, ParseMode } from "../model/materia.ts";
import type { Assignment } from "./assignment.ts";

/** A graph as compiled: every reference resolved, plain data, kept with the cast so that no later edit can change it. */
export interface Graph {
  readonly name: string;
  readonly entry: SocketId;
  readonly sockets: Readonly<Record<string, GraphSocket>>;
  readonly loops: Readonly<Record<string, GraphLoop>>;
  /** The materia seated in the sockets, by name. */
  readonly materia: Readonly<Record<string, Materia>>;
}

export interface GraphSocket {
  readonly id: SocketId;
  readonly materia: string;
  readonly parse: ParseMode;
  readonly generator: boolean;
  readonly interactive: boolean;
  readonly assign: readonly Assignment[];
  readonly advance: Condition | null;
  readonly edges: readonly Edge[];
  readonly loop: string | null;
  readonly origin: Origin;
}

export interface GraphLoop {
  readonly id: string;
  readonly sockets: readonly SocketId[];
  /** The generator whose list it walks; null where it names none. */
  readonly from: SocketId | null;
  /** Where the list stands in state; null for a region that walks none. */
  readonly items: readonly string[] | null;
  readonly exits: readonly Exit[];
  /** Where it stands in the user's own file. */
  readonly origin: { readonly name: string; readonly loop: string; readonly file?: string };
  /** Where an empty list leads when no `always` exit says so; a linked part has one where another part follows. */
  readonly emptyTo?: SocketId;
}

/** Where a socket stands in the user's own file, before any renumbering. */
export interface Origin {
  readonly target: number;
  readonly kind: "materia" | "loadout";
  readonly name: string;
  readonly socket: string;
  readonly file?: string;
}

export function socketOf(graph: Graph, id: SocketId): GraphSocket {
  const socket = Object.hasOwn(graph.sockets, id) ? graph.sockets[id] : undefined;
  if (!socket) throw new Error(`the graph has no socket ${id}`);
  return socket;
}

export function materiaOf(graph: Graph, socket: GraphSocket): Materia {
  const materia = Object.hasOwn(graph.materia, socket.materia) ? graph.materia[socket.materia] : undefined;
  if (!materia) throw new Error(`the graph has no materia ${socket.materia}`);
  return materia;
}

export function loopOf(graph: Graph, socket: GraphSocket): GraphLoop | undefined {
  return socket.loop === null ? undefined : graph.loops[socket.loop];
}

export function socketsOf(graph: Graph): readonly GraphSocket[] {
  return Object.values(graph.sockets);
}

/** `Socket-4 (Build)` as it stands in the user's own loadout: the number they see in the editor and the name they think in. */
export function socketLabel(socket: GraphSocket): string {
  return `${socket.origin.socket} (${socket.materia})`;
}

/** `Socket-4 (Build)` as the cast numbers it, which a chain may have changed. */
export function placeLabel(socket: GraphSocket): string {
  return `${socket.id} (${socket.materia})`;
}
