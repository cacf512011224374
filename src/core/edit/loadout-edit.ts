import { END, sortSocketIds, type Destination, type SocketId } from "../model/ids.ts";
import { failWith, ok, type Result } from "../model/issue.ts";
import { NEXT_ITEM, type Condition, type Edge, type Loadout, type Loop, type Socket } from "../model/loadout.ts";
import type { ParseMode } from "../model/materia.ts";
import type { Point } from "../view/layout/drawing.ts";

/** The result of an edit: the new loadout, or why the edit is impossible. */
export type LoadoutEdit = (loadout: Loadout) => Result<Loadout>;

export const EMPTY_LOADOUT: Loadout = {
  entry: "Socket-1" as SocketId, // a socket id by its form
  sockets: {},
  loops: {},
  layout: {},
};

export function refuseEdit(path: string, message: string, hint?: string): Result<never> {
  return failWith("invalid_edit", path, message, hint);
}

export function findSocket(loadout: Loadout, id: string): Socket | undefined {
  return Object.hasOwn(loadout.sockets, id) ? loadout.sockets[id] : undefined;
}

export function refuseUnknownSocket(id: string): Result<never> {
  return refuseEdit(id, `there is no ${id} in this loadout`);
}

export function withSocket(loadout: Loadout, id: string, socket: Socket): Loadout {
  return { ...loadout, sockets: { ...loadout.sockets, [id]: socket } };
}

export function destinationExists(loadout: Loadout, to: Destination): boolean {
  return to === END || findSocket(loadout, to) !== undefined;
}

export function loopContaining({ loops }: Loadout, id: string): string | undefined {
  return Object.keys(loops).find((loop) => loops[loop]?.sockets.some((member) => member === id));
}

export function editLoop(loadout: Loadout, id: string, edit: (loop: Loop) => Result<Loop>): Result<Loadout> {
  const loop = loadout.loops[id];
  if (!loop) return refuseUnknownLoop(id);
  const edited = edit(loop);
  return edited.ok ? ok(withLoop(loadout, id, edited.value)) : edited;
}

export function refuseUnknownLoop(id: string): Result<never> {
  return refuseEdit(id, `there is no loop ${id} in this loadout`);
}

export function withLoop(loadout: Loadout, id: string, loop: Loop): Loadout {
  return { ...loadout, loops: { ...loadout.loops, [id]: loop } };
}

function editSockets(loadout: Loadout, ids: readonly string[], edit: () => Loadout): Result<Loadout> {
  const missing = ids.find((id) => !findSocket(loadout, id));
  return missing === undefined ? ok(edit()) : refuseUnknownSocket(missing);
}

export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

export function withoutKeys<T>(record: Readonly<Record<string, T>>, ...keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** A copy with the field set, or without it for null and undefined. */
export function withField<T extends object, K extends keyof T>(object: T, key: K, value: T[K] | null): T {
  const { [key]: _before, ...rest } = object;
  return value === null || value === undefined ? (rest as T) : ({ ...rest, [key]: value } as T); // the same keys, the optional one absent
}

export function freeLoopId(loadout: Loadout, preferred: string): string {
  let id = preferred;
  for (let number = 2; Object.hasOwn(loadout.loops, id); number += 1) id = `${preferred}-${number}`;
  return id;
}

/** The id of the next socket: one above the highest number. */
export function nextSocketId(loadout: Loadout): SocketId {
  const numbers = Object.keys(loadout.sockets).map((id) => Number(/^Socket-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return `Socket-${Math.max(0, ...numbers) + 1}` as SocketId; // of that form by construction
}

/** [E2] Adds an unconnected socket; the first socket is the entry. */
export function addSocket(loadout: Loadout, materia: string, at?: Point): Result<Loadout> {
  const id = nextSocketId(loadout);
  const entry = Object.keys(loadout.sockets).length === 0 ? id : loadout.entry;
  const added = withSocket({ ...loadout, entry }, id, { materia, edges: [] });
  return at ? placeSockets(added, { [id]: at }) : ok(added);
}

/** [E3] Removes a socket with all references: edges, membership, exits, its list, its position. */
export function removeSockets(loadout: Loadout, ids: readonly string[]): Result<Loadout> {
  const isRemoved = (id: Destination): boolean => id !== END && ids.includes(id);
  return editSockets(loadout, ids, () => {
    const sockets = mapValues(withoutKeys(loadout.sockets, ...ids), (socket) => ({
      ...socket,
      edges: socket.edges.filter((edge) => !isRemoved(edge.to)).map((edge) => withoutThen(edge, isRemoved)),
    }));
    const kept = Object.entries(mapValues(loadout.loops, (loop) => withoutMembers(loop, isRemoved)));
    const loops = Object.fromEntries(kept.filter(([, loop]) => loop.sockets.length > 0));
    const entry = isRemoved(loadout.entry) ? nextEntry(loadout, ids) : loadout.entry;
    return withoutStrayAdvances({ ...loadout, entry, sockets, loops, layout: withoutKeys(loadout.layout, ...ids) });
  });
}

function withoutMembers(loop: Loop, gone: (id: Destination) => boolean): Loop {
  const kept: Loop = {
    ...loop,
    sockets: loop.sockets.filter((id) => !gone(id)),
    exits: loop.exits.filter(({ from, targetSocketId }) => !gone(from) && !gone(targetSocketId)),
  };
  return loop.consumes && gone(loop.consumes.from) ? withField(kept, "consumes", null) : kept;
}

/** Removes `advance`, which is an error outside loops. */
export function withoutStrayAdvances(loadout: Loadout): Loadout {
  const sockets = mapValues(loadout.sockets, (socket, id) =>
    socket.advance && loopContaining(loadout, id) === undefined ? withField(socket, "advance", null) : socket,
  );
  return { ...loadout, sockets };
}

/** The new entry: the first remaining target of the old one, else the first socket. */
function nextEntry(loadout: Loadout, gone: readonly string[]): SocketId {
  const stays = (id: string): boolean => findSocket(loadout, id) !== undefined && !gone.includes(id);
  const next = findSocket(loadout, loadout.entry)?.edges.find((edge) => edge.to !== END && stays(edge.to))?.to;
  const [first = "Socket-1"] = sortSocketIds(Object.keys(loadout.sockets)).filter(stays);
  return (next ?? first) as SocketId; // a key of sockets, or "Socket-1"
}

function withoutThen({ then, ...edge }: Edge, gone: (id: Destination) => boolean): Edge {
  return then === undefined || (then !== NEXT_ITEM && gone(then)) ? edge : { ...edge, then };
}

/** [E4] Copies sockets with new ids. Edges between copied sockets connect the copies; others keep their target. */
export function duplicateSockets(loadout: Loadout, ids: readonly string[]): Result<Loadout> {
  return editSockets(loadout, ids, () => {
    const { result, copies } = addCopies(loadout, loadout, ids);
    const loops = mapValues(result.loops, ({ sockets, ...loop }) => ({
      ...loop,
      sockets: [...sockets, ...sockets.flatMap((member) => copies.get(member) ?? [])],
    }));
    return { ...result, loops };
  });
}

/** [E31] Only these sockets, as a loadout that can be pasted into another or imported. */
export function copySockets(loadout: Loadout, ids: readonly string[]): Result<Loadout> {
  const others = Object.keys(loadout.sockets).filter((id) => !ids.includes(id));
  return removeSockets(loadout, others);
}

/** [E31] Adds the sockets and loops of a copy with new ids. */
export function pasteSockets(loadout: Loadout, copied: Loadout): Result<Loadout> {
  const { result, copies } = addCopies(loadout, copied, Object.keys(copied.sockets));
  const newId = (id: SocketId): SocketId => copies.get(id) ?? id;
  const loops = Object.entries(copied.loops).map(([id, loop]): [string, Loop] => [
    freeLoopId(loadout, id),
    {
      ...loop,
      sockets: loop.sockets.map(newId),
      ...(loop.consumes ? { consumes: { ...loop.consumes, from: newId(loop.consumes.from) } } : {}),
      exits: loop.exits.map((exit) => ({
        ...exit,
        from: newId(exit.from),
        targetSocketId: exit.targetSocketId === END ? END : newId(exit.targetSocketId),
      })),
    },
  ]);
  const entry = Object.keys(loadout.sockets).length === 0 ? newId(copied.entry) : loadout.entry;
  return ok({ ...result, entry, loops: { ...result.loops, ...Object.fromEntries(loops) } });
}

/** Adds sockets of `source` under new ids, a little aside. Edges among them lead to the copies. */
function addCopies(loadout: Loadout, source: Loadout, ids: readonly string[]) {
  const copies = new Map<string, SocketId>();
  let result = loadout;
  for (const id of sortSocketIds(ids)) {
    const socket = findSocket(source, id);
    if (!socket) continue;
    const copy = nextSocketId(result);
    const at = source.layout[id];
    copies.set(id, copy);
    result = withSocket(result, copy, socket);
    if (at) result = { ...result, layout: { ...result.layout, [copy]: { x: at.x + 24, y: at.y + 24 } } };
  }
  for (const copy of copies.values()) {
    const socket = result.sockets[copy];
    const edges = (socket?.edges ?? []).map((edge) => ({
      ...edge,
      to: copies.get(edge.to) ?? edge.to,
      ...(edge.then === undefined ? {} : { then: copies.get(edge.then) ?? edge.then }),
    }));
    if (socket) result = withSocket(result, copy, { ...socket, edges });
  }
  return { result, copies };
}

export function setMateria(loadout: Loadout, id: string, materia: string): Result<Loadout> {
  return editSocket(loadout, id, (socket) => ({ ...socket, materia }));
}

/** `null` takes the value of the materia. */
export function setParse(loadout: Loadout, id: string, parse: ParseMode | null): Result<Loadout> {
  return editSocket(loadout, id, (socket) => withField(socket, "parse", parse));
}

/** `null` never advances the loop. */
export function setAdvance(loadout: Loadout, id: string, when: Condition | null): Result<Loadout> {
  if (when !== null && loopContaining(loadout, id) === undefined)
    return refuseEdit(id, `${id} is in no loop, so it cannot advance`, "make it a member of a loop first");
  return editSocket(loadout, id, (socket) =>
    withField(socket, "advance", when === null ? null : { ...socket.advance, when }),
  );
}

/** Sets one target of `assign`; `null` as the source removes it. */
export function setAssign(
  loadout: Loadout,
  id: string,
  { target, source, was }: { readonly target: string; readonly source: string | null; readonly was?: string },
): Result<Loadout> {
  return editSocket(loadout, id, (socket) => {
    const before = Object.entries(socket.assign ?? {});
    const next: [string, string][] = source === null ? [] : [[target, source]];
    const index = before.findIndex(([key]) => key === (was ?? target));
    const after = index === -1 ? [...before, ...next] : before.toSpliced(index, 1, ...next);
    return withField(socket, "assign", after.length === 0 ? null : Object.fromEntries(after));
  });
}

export function setEntry(loadout: Loadout, id: string): Result<Loadout> {
  return findSocket(loadout, id) ? ok({ ...loadout, entry: id as SocketId }) : refuseUnknownSocket(id); // a key of sockets
}

export function setDescription(loadout: Loadout, description: string): Result<Loadout> {
  return ok(withField(loadout, "description", description === "" ? null : description));
}

/** [E11] Stores the position of a socket in the file. */
export function placeSockets(loadout: Loadout, places: Readonly<Record<string, Point>>): Result<Loadout> {
  const placed = mapValues(places, ({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
  return editSockets(loadout, Object.keys(places), () => ({ ...loadout, layout: { ...loadout.layout, ...placed } }));
}

/** [E11] Removes all positions, which restores the automatic layout. */
export function resetLayout(loadout: Loadout): Result<Loadout> {
  return ok({ ...loadout, layout: {} });
}

function editSocket(loadout: Loadout, id: string, edit: (socket: Socket) => Socket): Result<Loadout> {
  const socket = findSocket(loadout, id);
  return socket ? ok(withSocket(loadout, id, edit(socket))) : refuseUnknownSocket(id);
}
