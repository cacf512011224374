import { ok, type Result } from "../model/issue.ts";
import { type Destination, END, type SocketId } from "../model/ids.ts";
import { NEXT_ITEM, type Condition, type Edge, type Loadout, type Exit, type Loop } from "../model/loadout.ts";
import {
  destinationExists,
  loopContaining,
  unknownSocket,
  refuseEdit,
  findSocket,
  withField,
  withSocket,
} from "./loadout-edit.ts";

/** A connection that a person drew: from a handle of a socket to a target. */
interface EdgeRequest {
  readonly from: string;
  readonly to: Destination;
  /** The condition, if the person chose one. */
  readonly when?: Condition;
  /** The default condition of the socket: an evaluator answers whether it is satisfied. */
  readonly judges?: boolean;
}

/**
 * [E5] Adds an edge. Conditional edges come before `always`, which would hide them. From the socket that advances a loop,
 * an edge out of the loop becomes an exit, which the cast takes after the last item.
 */
export function connectSockets(loadout: Loadout, drawn: EdgeRequest): Result<Loadout> {
  const { from, to } = drawn;
  const socket = findSocket(loadout, from);
  if (!socket) return unknownSocket(from);
  if (!destinationExists(loadout, to)) return unknownSocket(to);
  const loop = loopContaining(loadout, from);
  const leaves = loop !== undefined && to !== "end" && loopContaining(loadout, to) !== loop;
  if (leaves && socket.advance)
    return addExit(loadout, loop, { from, to, ...(drawn.when === undefined ? {} : { when: drawn.when }) });
  const used = socket.edges.map((edge) => edge.when);
  const when = drawn.when ?? freeCondition(used, drawn.judges === true);
  if (when === undefined)
    return refuseEdit(from, `${from} already has an edge for every answer`, "change or remove one of them");
  if (when === "always" && used.includes("always"))
    return refuseEdit(from, `${from} already has an edge that is always taken`, "remove it, or choose a condition");
  if (socket.edges.some((edge) => edge.when === when && edge.to === to))
    return refuseEdit(from, `${from} already has this edge`);
  const behind = used.indexOf("always");
  const at = when === "always" || behind === -1 ? socket.edges.length : behind;
  const edges: readonly Edge[] = socket.edges.toSpliced(at, 0, { when, to });
  return ok(withSocket(loadout, from, { ...socket, edges: [...edges] }));
}

function freeCondition(used: readonly Condition[], judges: boolean): Condition | undefined {
  const order: readonly Condition[] =
    judges || used.length > 0 ? ["satisfied", "not_satisfied", "always"] : ["always", "satisfied", "not_satisfied"];
  return order.find((when) => !used.includes(when));
}

export interface EdgeChange {
  readonly when?: Condition;
  readonly to?: Destination;
  /** `null` removes the limit. */
  readonly maxTraversals?: number | null;
  /** The way after its last traversal; `null` removes it. */
  readonly then?: Edge["then"] | null;
}

export function setEdge(loadout: Loadout, from: string, index: number, changed: EdgeChange): Result<Loadout> {
  const socket = findSocket(loadout, from);
  const edge = socket?.edges[index];
  if (!socket || !edge) return unknownEdge(from, index);
  const { when = edge.when, to = edge.to, maxTraversals, then } = changed;
  if (!destinationExists(loadout, to)) return unknownSocket(to);
  if (typeof then === "string" && then !== NEXT_ITEM && !destinationExists(loadout, then)) return unknownSocket(then);
  if (typeof maxTraversals === "number" && !(Number.isSafeInteger(maxTraversals) && maxTraversals >= 1))
    return refuseEdit(from, "the number of traversals must be a whole number of at least 1");
  const next = { ...edge, when, to };
  const counted = maxTraversals === undefined ? next : withField(next, "maxTraversals", maxTraversals);
  // An edge without a limit is never used up.
  const after = maxTraversals === null ? null : then;
  const led = after === undefined ? counted : withField(counted, "then", after);
  return ok(withSocket(loadout, from, { ...socket, edges: socket.edges.with(index, led) }));
}

export function removeEdge(loadout: Loadout, from: string, index: number): Result<Loadout> {
  const socket = findSocket(loadout, from);
  if (!socket?.edges[index]) return unknownEdge(from, index);
  return ok(withSocket(loadout, from, { ...socket, edges: socket.edges.toSpliced(index, 1) }));
}

/** [E6] Moves an edge one position earlier (-1) or later (1); the engine tries edges in order. */
export function moveEdge(loadout: Loadout, from: string, index: number, by: -1 | 1): Result<Loadout> {
  const socket = findSocket(loadout, from);
  const [edge, other] = [socket?.edges[index], socket?.edges[index + by]];
  if (!socket || !edge) return unknownEdge(from, index);
  if (!other) return refuseEdit(from, by < 0 ? "it is the first edge already" : "it is the last edge already");
  const edges = socket.edges.with(index, other).with(index + by, edge);
  return ok(withSocket(loadout, from, { ...socket, edges }));
}

function unknownEdge(from: string, index: number): Result<never> {
  return refuseEdit(from, `${from} has no edge ${index + 1}`);
}

/** [E7] Adds an exit to a loop. Edges stay unchanged. */
export function addExit(
  loadout: Loadout,
  loopId: string,
  { from, to, when }: { readonly from: string; readonly to: string; readonly when?: Condition },
): Result<Loadout> {
  const loop = loadout.loops[loopId];
  if (!loop) return unknownLoop(loopId);
  const used = loop.exits.filter((exit) => exit.from === from).map((exit) => exit.condition);
  const condition = when ?? (["always", "satisfied", "not_satisfied"] as const).find((each) => !used.includes(each));
  if (condition === undefined) return refuseEdit(loopId, `${from} already has an exit for every answer`);
  const added: Exit = {
    id: freeExitId(loop, `exit:${from}:${condition}`),
    from: from as SocketId, // checked below as a member
    condition,
    targetSocketId: to as SocketId, // checked below as a socket
  };
  return replaceExits(loadout, loopId, [...loop.exits, added], added);
}

export interface ExitChange {
  readonly from?: string;
  readonly condition?: Condition;
  readonly to?: string;
}

/** [E7] Changes an exit and keeps its id. */
export function setExit(loadout: Loadout, loopId: string, exitId: string, changed: ExitChange): Result<Loadout> {
  const loop = loadout.loops[loopId];
  if (!loop) return unknownLoop(loopId);
  const index = loop.exits.findIndex((exit) => exit.id === exitId);
  const exit = loop.exits[index];
  if (!exit) return refuseEdit(loopId, `the loop ${loopId} has no exit ${exitId}`);
  const next: Exit = {
    ...exit,
    from: (changed.from ?? exit.from) as SocketId, // checked below as a member
    condition: changed.condition ?? exit.condition,
    targetSocketId: (changed.to ?? exit.targetSocketId) as SocketId, // checked below as a socket
  };
  return replaceExits(loadout, loopId, loop.exits.with(index, next), next);
}

export function removeExit(loadout: Loadout, loopId: string, exitId: string): Result<Loadout> {
  const loop = loadout.loops[loopId];
  if (!loop) return unknownLoop(loopId);
  const exits = loop.exits.filter((exit) => exit.id !== exitId);
  if (exits.length === loop.exits.length) return refuseEdit(loopId, `the loop ${loopId} has no exit ${exitId}`);
  return ok(withLoop(loadout, loopId, { ...loop, exits }));
}

export function unknownLoop(id: string): Result<never> {
  return refuseEdit(id, `there is no loop ${id} in this loadout`);
}

export function withLoop(loadout: Loadout, id: string, loop: Loop): Loadout {
  return { ...loadout, loops: { ...loadout.loops, [id]: loop } };
}

/** Checks that an exit starts at a member, leads out of the loop, and has a condition of no other exit. */
function replaceExits(loadout: Loadout, loopId: string, exits: Exit[], changed: Exit): Result<Loadout> {
  const loop = loadout.loops[loopId];
  if (!loop) return unknownLoop(loopId);
  const { id, from, condition, targetSocketId: to } = changed;
  if (!loop.sockets.includes(from)) return refuseEdit(loopId, `${from} is no member of the loop ${loopId}`);
  if (to !== END && !findSocket(loadout, to)) return unknownSocket(to);
  if (to !== END && loop.sockets.includes(to))
    return refuseEdit(loopId, `${to} is a member of the loop ${loopId}`, "an exit leads to a socket outside the loop");
  if (exits.some((exit) => exit.id !== id && exit.from === from && exit.condition === condition))
    return refuseEdit(loopId, `${from} already has an exit for "${condition}"`);
  return ok(withLoop(loadout, loopId, { ...loop, exits }));
}

function freeExitId(loop: Loop, preferred: string): string {
  const taken = new Set(loop.exits.map((exit) => exit.id));
  let id = preferred;
  for (let number = 2; taken.has(id); number += 1) id = `${preferred}:${number}`;
  return id;
}
