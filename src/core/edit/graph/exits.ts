import { END, type SocketId } from "../../model/ids.ts";
import { ok, type Result } from "../../model/issue.ts";
import type { Condition, Exit, Loadout, Loop } from "../../model/loadout.ts";
import { unknownSocket, refuseEdit, findSocket } from "./base.ts";

/** [E7] A route of the loop itself; edges are never touched. */
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

/** [E7] The id of an exit is stable: it stays whatever else changes. */
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

/** Exits belong to members, lead out, and no two answer the same. */
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

function freeExitId(loop: Loop, wanted: string): string {
  const taken = new Set(loop.exits.map((exit) => exit.id));
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}:${number}`;
  return id;
}
