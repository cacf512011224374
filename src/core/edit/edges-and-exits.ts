import { ok, type Result } from "../model/issue.ts";
import { type Destination, edgeWayId, END, exitWayId, type SocketId, thenWayId } from "../model/ids.ts";
import { NEXT_ITEM, type Condition, type Edge, type Loadout, type Exit, type Loop } from "../model/loadout.ts";
import {
  destinationExists,
  editLoop,
  loopContaining,
  refuseUnknownSocket,
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
  readonly when?: Condition | undefined;
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
  if (!socket) return refuseUnknownSocket(from);
  if (!destinationExists(loadout, to)) return refuseUnknownSocket(to);
  const loop = loopContaining(loadout, from);
  const leaves = loop !== undefined && to !== "end" && loopContaining(loadout, to) !== loop;
  if (leaves && socket.advance) return addExit(loadout, loop, { from, to, when: drawn.when });
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
  return ok(withSocket(loadout, from, { ...socket, edges: socket.edges.toSpliced(at, 0, { when, to }) }));
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
  return editEdges(loadout, from, index, (edges, edge) => {
    const { when = edge.when, to = edge.to, maxTraversals, then } = changed;
    if (!destinationExists(loadout, to)) return refuseUnknownSocket(to);
    if (typeof then === "string" && then !== NEXT_ITEM && !destinationExists(loadout, then))
      return refuseUnknownSocket(then);
    if (typeof maxTraversals === "number" && !(Number.isSafeInteger(maxTraversals) && maxTraversals >= 1))
      return refuseEdit(from, "the number of traversals must be a whole number of at least 1");
    const next = { ...edge, when, to };
    const counted = maxTraversals === undefined ? next : withField(next, "maxTraversals", maxTraversals);
    // An edge without a limit is never used up.
    const after = maxTraversals === null ? null : then;
    return ok(edges.with(index, after === undefined ? counted : withField(counted, "then", after)));
  });
}

export function removeEdge(loadout: Loadout, from: string, index: number): Result<Loadout> {
  return editEdges(loadout, from, index, (edges) => ok(edges.toSpliced(index, 1)));
}

/** [E6] Moves an edge earlier (-1) or later (1); the engine tries edges in order. */
export function moveEdge(loadout: Loadout, from: string, index: number, by: number): Result<Loadout> {
  return editEdges(loadout, from, index, (edges, edge) =>
    edges[index + by]
      ? ok(edges.toSpliced(index, 1).toSpliced(index + by, 0, edge))
      : refuseEdit(from, by < 0 ? "it is the first edge already" : "it is the last edge already"),
  );
}

function editEdges(
  loadout: Loadout,
  from: string,
  index: number,
  edit: (edges: readonly Edge[], edge: Edge) => Result<Edge[]>,
): Result<Loadout> {
  const socket = findSocket(loadout, from);
  const edge = socket?.edges[index];
  if (!socket || !edge) return refuseEdit(from, `${from} has no edge ${index + 1}`);
  const edited = edit(socket.edges, edge);
  return edited.ok ? ok(withSocket(loadout, from, { ...socket, edges: edited.value })) : edited;
}

/** [E7] Adds an exit to a loop. Edges stay unchanged. */
export function addExit(
  loadout: Loadout,
  loopId: string,
  { from, to, when }: { readonly from: string; readonly to: string; readonly when?: Condition | undefined },
): Result<Loadout> {
  return editLoop(loadout, loopId, (loop) => {
    const used = loop.exits.filter((exit) => exit.from === from).map((exit) => exit.condition);
    const condition = when ?? (["always", "satisfied", "not_satisfied"] as const).find((each) => !used.includes(each));
    if (condition === undefined) return refuseEdit(loopId, `${from} already has an exit for every answer`);
    const added: Exit = {
      id: freeExitId(loop, `exit:${from}:${condition}`),
      from: from as SocketId, // checked below as a member
      condition,
      targetSocketId: to as SocketId, // checked below as a socket
    };
    return withExits(loadout, loopId, { ...loop, exits: [...loop.exits, added] }, added);
  });
}

export interface ExitChange {
  readonly from?: string | undefined;
  readonly condition?: Condition | undefined;
  readonly to?: string | undefined;
}

/** [E7] Changes an exit and keeps its id. */
export function setExit(loadout: Loadout, loopId: string, exitId: string, changed: ExitChange): Result<Loadout> {
  return editLoop(loadout, loopId, (loop) => {
    const index = loop.exits.findIndex((exit) => exit.id === exitId);
    const exit = loop.exits[index];
    if (!exit) return unknownExit(loopId, exitId);
    const next: Exit = {
      ...exit,
      from: (changed.from ?? exit.from) as SocketId, // checked below as a member
      condition: changed.condition ?? exit.condition,
      targetSocketId: (changed.to ?? exit.targetSocketId) as SocketId, // checked below as a socket
    };
    return withExits(loadout, loopId, { ...loop, exits: loop.exits.with(index, next) }, next);
  });
}

export function removeExit(loadout: Loadout, loopId: string, exitId: string): Result<Loadout> {
  return editLoop(loadout, loopId, (loop) => {
    const exits = loop.exits.filter((exit) => exit.id !== exitId);
    return exits.length === loop.exits.length ? unknownExit(loopId, exitId) : ok({ ...loop, exits });
  });
}

function unknownExit(loopId: string, exitId: string): Result<never> {
  return refuseEdit(loopId, `the loop ${loopId} has no exit ${exitId}`);
}

/** Checks that an exit starts at a member, leads out of the loop, and has a condition of no other exit. */
function withExits(loadout: Loadout, loopId: string, loop: Loop, changed: Exit): Result<Loop> {
  const { id, from, condition, targetSocketId: to } = changed;
  if (!loop.sockets.includes(from)) return refuseEdit(loopId, `${from} is no member of the loop ${loopId}`);
  if (to !== END && !findSocket(loadout, to)) return refuseUnknownSocket(to);
  if (to !== END && loop.sockets.includes(to))
    return refuseEdit(loopId, `${to} is a member of the loop ${loopId}`, "an exit leads to a socket outside the loop");
  if (loop.exits.some((exit) => exit.id !== id && exit.from === from && exit.condition === condition))
    return refuseEdit(loopId, `${from} already has an exit for "${condition}"`);
  return ok(loop);
}

function freeExitId(loop: Loop, preferred: string): string {
  const taken = new Set(loop.exits.map((exit) => exit.id));
  let id = preferred;
  for (let number = 2; taken.has(id); number += 1) id = `${preferred}:${number}`;
  return id;
}

/** The part of the loadout behind a drawn edge; implicit ways have none. */
export type AuthoredWay = { readonly from: string; readonly to: Destination; readonly when: Condition } & (
  | { readonly kind: "edge"; readonly index: number }
  | { readonly kind: "exit"; readonly loop: string; readonly exit: Exit }
);

export function findAuthoredWay(loadout: Loadout, id: string): AuthoredWay | undefined {
  for (const [from, { edges }] of Object.entries(loadout.sockets)) {
    const index = edges.findIndex((_, each) => id === edgeWayId(from, each) || id === thenWayId(from, each));
    const edge = edges[index];
    if (edge) return { kind: "edge", from, to: edge.to, when: edge.when, index };
  }
  for (const [loop, { exits }] of Object.entries(loadout.loops)) {
    const exit = exits.find((each) => id === exitWayId(loop, each.id));
    if (exit) return { kind: "exit", from: exit.from, to: exit.targetSocketId, when: exit.condition, loop, exit };
  }
  return undefined;
}

/** [E7] Changes an exit in its loop, or an edge in its socket. */
export function setWay(loadout: Loadout, id: string, changed: Omit<EdgeChange, "then">): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  if (way.kind === "edge") return setEdge(loadout, way.from, way.index, changed);
  return setExit(loadout, way.loop, way.exit.id, { condition: changed.when, to: changed.to });
}

export function removeWay(loadout: Loadout, id: string): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  return way.kind === "edge" ? removeEdge(loadout, way.from, way.index) : removeExit(loadout, way.loop, way.exit.id);
}

export function unknownWay(id: string): Result<never> {
  const hint = "it is taken where nothing else matches; add an edge or an exit instead";
  return refuseEdit(id, "this way is implicit: the loadout has no edge for it", hint);
}
