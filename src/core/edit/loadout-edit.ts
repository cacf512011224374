import { END, type Destination, type SocketId } from "../model/ids.ts";
import { failWith, type Result } from "../model/issue.ts";
import type { Loadout, Socket } from "../model/loadout.ts";

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

export function unknownSocket(id: string): Result<never> {
  return refuseEdit(id, `there is no ${id} in this loadout`);
}

export function withSocket(loadout: Loadout, id: string, socket: Socket): Loadout {
  return { ...loadout, sockets: { ...loadout.sockets, [id]: socket } };
}

export function destinationExists(loadout: Loadout, to: Destination): boolean {
  return to === END || findSocket(loadout, to) !== undefined;
}

export function loopContaining(loadout: Loadout, id: string): string | undefined {
  return Object.keys(loadout.loops).find((loop) => loadout.loops[loop]?.sockets.some((member) => member === id));
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
