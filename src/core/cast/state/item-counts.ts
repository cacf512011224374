import { loopOf, socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import type { CastState } from "./state.ts";
import { EMPTY_MAP, getValue, withValue, withoutKeys, type PersistentMap } from "./persistent-map.ts";

/** Counts by item, then by name, in pages: a step costs the same after any number of items. */
export type CountsByItem = readonly CountPage[];

type CountPage = readonly (NamedCounts | null)[];

export type NamedCounts = Readonly<Record<string, number>>;

const PAGE = 64;
const NO_PAGE: CountPage = [];
const NO_COUNTS: NamedCounts = {};

export const NO_ITEM_COUNTS: CountsByItem = [];

export function itemCount(counts: CountsByItem, index: number, name: string): number {
  return counts[Math.floor(index / PAGE)]?.[index % PAGE]?.[name] ?? 0;
}

export function countsOfItem(counts: CountsByItem, index: number): NamedCounts {
  return counts[Math.floor(index / PAGE)]?.[index % PAGE] ?? NO_COUNTS;
}

export function withItemCounts(counts: CountsByItem, index: number, named: NamedCounts): CountsByItem {
  return Object.entries(named).reduce((all, [name, count]) => {
    const had = itemCount(all, index, name);
    return had === count ? all : addItemCount(all, index, name, count - had);
  }, counts);
}

export function addItemCount(counts: CountsByItem, index: number, name: string, times: number): CountsByItem {
  const [at, place] = [Math.floor(index / PAGE), index % PAGE];
  const page = counts[at] ?? NO_PAGE;
  const counted = page[place] ?? NO_COUNTS;
  const changed = { ...counted, [name]: (counted[name] ?? 0) + times };
  // Most items go the same way as the one before and share its counts object.
  const before = page[place - 1];
  const shared = before && isSame(before, changed) ? before : changed;
  return withPlace(counts, at, withPlace(page, place, shared, null), NO_PAGE);
}

/** A copy with this value; places before it that were never used get the filler. */
function withPlace<T>(list: readonly T[], place: number, value: T, filler: T): readonly T[] {
  // One copy each: a copy that grows by `push` is copied once more.
  if (place < list.length) return list.with(place, value);
  if (place === list.length) return [...list, value];
  return Array.from({ length: place + 1 }, (_, at) => (at === place ? value : (list[at] ?? filler)));
}

function isSame(a: NamedCounts, b: NamedCounts): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  for (const name in b) if (a[name] === undefined) return false;
  return true;
}

/** Values by socket and, inside a loop, by the index of the item. */
export type ByItemPlace<T> = PersistentMap<Readonly<Record<string, T>>>;

/** The current item inside its loop; the first one before a loop is entered. */
function itemPlaceFor({ graph, pass }: ItemPlaceState, id: SocketId): string {
  const loop = loopOf(graph, socketOf(graph, id));
  if (!loop?.items) return "";
  return pass?.loop === loop.id ? String(pass.cursor) : "0";
}

type ItemPlaceState = Pick<CastState, "graph" | "pass">;

/** The value for the item of the socket's next visit. */
export function getItemValue<T>(state: ItemPlaceState, values: ByItemPlace<T>, socket: SocketId): T | undefined {
  return getValue(values, socket)?.[itemPlaceFor(state, socket)];
}

export function withItemValue<T>(
  state: ItemPlaceState,
  values: ByItemPlace<T>,
  socket: SocketId,
  value: T,
): ByItemPlace<T> {
  return withValue(values, socket, { ...getValue(values, socket), [itemPlaceFor(state, socket)]: value });
}

export function withoutItemValue<T>(state: ItemPlaceState, values: ByItemPlace<T>, socket: SocketId): ByItemPlace<T> {
  return values === EMPTY_MAP ? values : withoutValueAt(values, socket, itemPlaceFor(state, socket));
}

/** [R4, G26] Without the values for this item, in any loop over the same list. */
export function withoutItemPlaces<T>(
  { graph, walks }: Pick<CastState, "graph" | "walks">,
  values: ByItemPlace<T>,
  loop: string,
  index: number,
): ByItemPlace<T> {
  if (values === EMPTY_MAP) return values;
  const list = getValue(walks, loop)?.list;
  let left = values;
  for (const { id, sockets } of Object.values(graph.loops))
    if (getValue(walks, id)?.list === list)
      for (const socket of sockets) left = withoutValueAt(left, socket, String(index));
  return left;
}

export function withoutValueAt<T>(values: ByItemPlace<T>, socket: string, place: string): ByItemPlace<T> {
  const places = getValue(values, socket);
  if (places?.[place] === undefined) return values;
  const { [place]: _gone, ...others } = places;
  return Object.keys(others).length === 0 ? withoutKeys(values, [socket]) : withValue(values, socket, others);
}
