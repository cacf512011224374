import { type Destination, edgeWayId, exitWayId, thenWayId } from "../model/ids.ts";
import { type Result, ok } from "../model/issue.ts";
import type { Condition, Edge, Exit, Loadout } from "../model/loadout.ts";
import { refuseEdit, loopContaining } from "./loadout-edit.ts";
import { removeEdge, setEdge, removeExit, setExit, connectSockets } from "./edges-and-exits.ts";
import { setLoopMember } from "./loops.ts";
import { addSocket, nextSocketId } from "./sockets.ts";
import { withoutUndefined } from "../model/json.ts";

/** The part of the loadout behind a drawn edge; implicit ways have none. */
export type AuthoredWay =
  | { readonly kind: "edge"; readonly from: string; readonly index: number; readonly edge: Edge }
  | { readonly kind: "exit"; readonly loop: string; readonly exit: Exit };

export function findAuthoredWay(loadout: Loadout, id: string): AuthoredWay | undefined {
  for (const [from, { edges }] of Object.entries(loadout.sockets)) {
    const index = edges.findIndex((_, each) => id === edgeWayId(from, each) || id === thenWayId(from, each));
    const edge = edges[index];
    if (edge) return { kind: "edge", from, index, edge };
  }
  for (const [loop, { exits }] of Object.entries(loadout.loops)) {
    const exit = exits.find((each) => id === exitWayId(loop, each.id));
    if (exit) return { kind: "exit", loop, exit };
  }
  return undefined;
}

export interface WayChange {
  readonly when?: Condition;
  readonly to?: Destination;
  readonly maxTraversals?: number | null;
}

/** [E7] Changes an exit in its loop, or an edge in its socket. */
export function setWay(loadout: Loadout, id: string, changed: WayChange): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  if (way.kind === "edge") return setEdge(loadout, way.from, way.index, changed);
  const { when, to } = changed;
  return setExit(loadout, way.loop, way.exit.id, {
    ...withoutUndefined({ condition: when, to }),
  });
}

export function removeWay(loadout: Loadout, id: string): Result<Loadout> {
  const way = findAuthoredWay(loadout, id);
  if (!way) return unknownWay(id);
  return way.kind === "edge" ? removeEdge(loadout, way.from, way.index) : removeExit(loadout, way.loop, way.exit.id);
}

function unknownWay(id: string): Result<never> {
  const message = "it is taken where nothing else matches; add an edge or an exit instead";
  return refuseEdit(id, "this way is implicit: the loadout has no edge for it", message);
}

/** [E28] Inserts a socket into an edge: the edge leads to it, and it leads to the former target. In a loop it becomes a member. */
export function insertSocketInWay(loadout: Loadout, way: string, materia: string): Result<Loadout> {
  const found = findAuthoredWay(loadout, way);
  if (!found) return refuseEdit(way, "this way is implicit: the loadout has no edge for it", "add an edge first");
  const id = nextSocketId(loadout);
  const [from, to] = found.kind === "edge" ? [found.from, found.edge.to] : [found.exit.from, found.exit.targetSocketId];
  const added = addSocket(loadout, materia);
  const redirected = added.ok ? setWay(added.value, way, { to: id }) : added;
  const joined = redirected.ok ? connectSockets(redirected.value, { from: id, to, when: "always" }) : redirected;
  const loop = loopContaining(loadout, from);
  const isInside = found.kind === "edge" && loop !== undefined && to !== "end" && loopContaining(loadout, to) === loop;
  return joined.ok && isInside ? setLoopMember(joined.value, loop, id, true) : joined.ok ? ok(joined.value) : joined;
}
