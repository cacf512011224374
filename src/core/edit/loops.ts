import * as v from "valibot";
import { END, sortSocketIds, type SocketId } from "../model/ids.ts";
import { ok, type Result } from "../model/issue.ts";
import { Loop, type Loadout, type Socket } from "../model/loadout.ts";
import {
  addSocket,
  editLoop,
  loopContaining,
  nextSocketId,
  refuseUnknownLoop,
  refuseUnknownSocket,
  refuseEdit,
  findSocket,
  withField,
  withLoop,
  withoutStrayAdvances,
  withSocket,
  withoutKeys,
  freeLoopId,
} from "./loadout-edit.ts";
import { addExit, connectSockets, findAuthoredWay, setWay, unknownWay } from "./edges-and-exits.ts";

/**
 * [E8] A complete loop around the selected sockets: it takes the list of the generator before it, its last member
 * advances it and returns to the first, and the former target of that member becomes the exit.
 */
export function createLoop(
  loadout: Loadout,
  members: readonly string[],
  isGenerator: (materia: string) => boolean,
): Result<Loadout> {
  const refused = loopRefusal(loadout, members);
  if (refused) return refused;
  const ordered = memberOrder(loadout, members) as SocketId[]; // keys of sockets, checked above
  const id = freeLoopId(loadout, "workItemIteration");
  const source = generatorBefore(loadout, ordered, isGenerator);
  const made = withLoop(loadout, id, { sockets: ordered, exits: [] });
  if (source === undefined) return ok(made);
  const fed = setLoopGenerator(made, id, source);
  const isAdvanced = ordered.some((member) => findSocket(loadout, member)?.advance);
  return fed.ok && !isAdvanced ? ok(closeLoop(fed.value, id, ordered)) : fed;
}

function loopRefusal(loadout: Loadout, members: readonly string[]): Result<never> | undefined {
  if (members.length === 0) return refuseEdit("loops", "a loop needs at least one socket", "select its sockets first");
  const refusals = members.map((id) =>
    findSocket(loadout, id) ? memberRefusal(loadout, id) : refuseUnknownSocket(id),
  );
  return refusals.find((refusal) => refusal !== undefined);
}

function memberRefusal(loadout: Loadout, socket: string): Result<never> | undefined {
  const other = loopContaining(loadout, socket);
  if (other === undefined) return undefined;
  return refuseEdit(socket, `${socket} already belongs to the loop ${other}`, "a socket belongs to at most one loop");
}

/** The last member advances, returns to the first, and its way out becomes the exit. */
function closeLoop(loadout: Loadout, id: string, inside: readonly SocketId[]): Loadout {
  const [first, last = first] = [inside[0], inside.at(-1)];
  const socket = last && findSocket(loadout, last);
  if (!socket || !first) return loadout;
  const isOut = (to: string): boolean => to !== END && !inside.some((member) => member === to);
  const hasRework = socket.edges.some((edge) => edge.when === "not_satisfied");
  const onward = socket.edges.find((edge) => edge.when === "always" || (hasRework && edge.when === "satisfied"));
  const out = onward && isOut(onward.to) ? onward.to : undefined;
  const when = onward?.when ?? "always";
  const kept = socket.edges.filter((edge) => edge !== onward);
  const back = onward && !isOut(onward.to) && onward.to !== END ? onward : { when, to: first };
  // With `always` a refused item would count as done.
  const advance: Socket["advance"] = { when: hasRework ? "satisfied" : "always" };
  const advancing: Socket = { ...socket, advance, edges: [...kept, back] };
  const looped = withSocket(loadout, last, advancing);
  if (out === undefined) return looped;
  const exited = addExit(looped, id, { from: last, to: out, when });
  return exited.ok ? exited.value : looped;
}

/** [E9] Removes a loop with its exits and `advance`; its sockets and their edges stay. */
export function removeLoop(loadout: Loadout, id: string): Result<Loadout> {
  if (!loadout.loops[id]) return refuseUnknownLoop(id);
  return ok(withoutStrayAdvances({ ...loadout, loops: withoutKeys(loadout.loops, id) }));
}

export function renameLoop(loadout: Loadout, id: string, name: string): Result<Loadout> {
  if (!loadout.loops[id]) return refuseUnknownLoop(id);
  if (name === id) return ok(loadout);
  if (!/^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/.test(name))
    return refuseEdit(id, `"${name}" is not a loop id`, "use letters, digits, - and _");
  if (Object.hasOwn(loadout.loops, name)) return refuseEdit(id, `there is already a loop ${name}`);
  const loops = Object.entries(loadout.loops).map(([key, loop]) => [key === id ? name : key, loop]);
  return ok({ ...loadout, loops: Object.fromEntries(loops) });
}

/** Sets the generator of the list; `null` for none. */
export function setLoopGenerator(loadout: Loadout, id: string, from: string | null): Result<Loadout> {
  return editLoop(loadout, id, (loop) => {
    if (from === null) return ok(withField(loop, "consumes", null));
    if (!findSocket(loadout, from)) return refuseUnknownSocket(from);
    if (loop.sockets.some((member) => member === from))
      return refuseEdit(id, `${from} stands inside the loop ${id}`, "the generator stands before the loop");
    return ok({ ...loop, consumes: { from: from as SocketId, output: "workItems" } }); // a key of sockets
  });
}

/** [E33] How many items run at once; `null` runs one after the other. */
export function setLoopParallel(loadout: Loadout, id: string, items: number | null): Result<Loadout> {
  return editLoop(loadout, id, (loop) =>
    v.is(Loop.entries.parallel, items ?? undefined)
      ? ok(withField(loop, "parallel", items))
      : refuseEdit(id, `${String(items)} items cannot run at once`, "a whole number from 1 to 64"),
  );
}

/** Removes a member; the loop disappears with its last member. */
export function setLoopMember(loadout: Loadout, id: string, socket: string, isMember: boolean): Result<Loadout> {
  const loop = loadout.loops[id];
  if (!loop) return refuseUnknownLoop(id);
  if (!findSocket(loadout, socket)) return refuseUnknownSocket(socket);
  if (!isMember) {
    const sockets = loop.sockets.filter((member) => member !== socket);
    if (sockets.length === 0) return removeLoop(loadout, id);
    const exits = loop.exits.filter((exit) => exit.from !== socket);
    return ok(withoutStrayAdvances(withLoop(loadout, id, { ...loop, sockets, exits })));
  }
  if (loopContaining(loadout, socket) === id) return ok(loadout);
  const refused = memberRefusal(loadout, socket);
  if (refused) return refused;
  if (loop.consumes?.from === socket) {
    const message = "the generator stands before the loop";
    return refuseEdit(socket, `${socket} makes the list that the loop ${id} walks`, message);
  }
  const exits = loop.exits.filter((exit) => exit.targetSocketId !== socket);
  return ok(withLoop(loadout, id, { ...loop, sockets: [...loop.sockets, socket as SocketId], exits })); // a key of sockets
}

/** [E28] Inserts a socket into an edge: the edge leads to it, and it leads to the former target. In a loop it becomes a member. */
export function insertSocketInWay(loadout: Loadout, way: string, materia: string): Result<Loadout> {
  const found = findAuthoredWay(loadout, way);
  if (!found) return unknownWay(way);
  const id = nextSocketId(loadout);
  const { from, to } = found;
  const added = addSocket(loadout, materia);
  const redirected = added.ok ? setWay(added.value, way, { to: id }) : added;
  const joined = redirected.ok ? connectSockets(redirected.value, { from: id, to, when: "always" }) : redirected;
  const loop = loopContaining(loadout, from);
  const isInside = found.kind === "edge" && loop !== undefined && to !== "end" && loopContaining(loadout, to) === loop;
  return joined.ok && isInside ? setLoopMember(joined.value, loop, id, true) : joined;
}

/** The members in the order of a cast: from the entered one along the edges. */
function memberOrder(loadout: Loadout, members: readonly string[]): readonly string[] {
  const sorted = sortSocketIds(members);
  const into = Object.entries(loadout.sockets)
    .filter(([id]) => !members.includes(id))
    .flatMap(([, socket]) => socket.edges.map((edge) => edge.to as string)); // sockets and the end alike
  const start = sorted.find((id) => into.includes(id)) ?? sorted.find((id) => id === loadout.entry) ?? sorted[0];
  const seen: string[] = [];
  const walk = (id: string): void => {
    if (seen.includes(id) || !members.includes(id)) return;
    seen.push(id);
    for (const edge of findSocket(loadout, id)?.edges ?? []) walk(edge.to);
  };
  for (const id of start === undefined ? sorted : [start, ...sorted]) walk(id);
  return seen;
}

function generatorBefore(
  loadout: Loadout,
  members: readonly string[],
  isGenerator: (materia: string) => boolean,
): string | undefined {
  const seen = new Set(members);
  for (let front = members; front.length > 0;) {
    const before = sortSocketIds(Object.keys(loadout.sockets)).filter(
      (id) => !seen.has(id) && findSocket(loadout, id)?.edges.some((edge) => front.includes(edge.to)),
    );
    const found = before.find((id) => isGenerator(findSocket(loadout, id)?.materia ?? ""));
    if (found !== undefined) return found;
    for (const id of before) seen.add(id);
    front = before;
  }
  return undefined;
}
