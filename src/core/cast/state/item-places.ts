import { loopOf, socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import type { CastState } from "./state.ts";
import { getValue, withValue, withoutKeys, type PersistentMap } from "./persistent-map.ts";

/** Values by socket and, inside a loop, by the index of the item. */
export type ByItemPlace<T> = PersistentMap<Readonly<Record<string, T>>>;

/** The current item inside its loop; the first one before a loop is entered. */
export function itemPlaceFor({ graph, pass }: Pick<CastState, "graph" | "pass">, id: SocketId): string {
  const loop = loopOf(graph, socketOf(graph, id));
  if (!loop?.items) return "";
  return pass?.loop === loop.id ? String(pass.cursor) : "0";
}

/** [R4, G26] Without the values for this item, in any loop over the same list. */
export function withoutItemPlaces<T>(
  { loops }: CastState["graph"],
  values: ByItemPlace<T>,
  loop: string,
  index: number,
): ByItemPlace<T> {
  const list = loops[loop]?.items?.join(".");
  let left = values;
  for (const { items, sockets } of Object.values(loops))
    if (items?.join(".") === list) for (const socket of sockets) left = withoutPlace(left, socket, String(index));
  return left;
}

export function withoutPlace<T>(values: ByItemPlace<T>, socket: string, place: string): ByItemPlace<T> {
  const known = getValue(values, socket);
  if (known?.[place] === undefined) return values;
  const { [place]: _gone, ...others } = known;
  return Object.keys(others).length === 0 ? withoutKeys(values, [socket]) : withValue(values, socket, others);
}

export function withoutSocketPlaces<T>(values: ByItemPlace<T>, sockets: readonly string[]): ByItemPlace<T> {
  const known = sockets.filter((socket) => getValue(values, socket) !== undefined);
  return known.length === 0 ? values : withoutKeys(values, known);
}
