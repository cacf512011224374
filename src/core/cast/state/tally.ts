import { EMPTY_MAP, getValue, withUpdate, type PersistentMap } from "./table.ts";

/** Counts by key. */
export type Tally = PersistentMap<number>;

export const EMPTY_TALLY: Tally = EMPTY_MAP;

/** How the turns of a socket for one item are counted. */
export function itemTurnKey(socket: string, item: string): string {
  return `${socket}@${item}`;
}

export function countOf(tally: Tally, key: string): number {
  return getValue(tally, key) ?? 0;
}

export function increment(tally: Tally, key: string): Tally {
  return withUpdate(tally, key, addOne);
}

function addOne(count = 0): number {
  return count + 1;
}

/** Visits of a socket without progress, and how many of them a person has allowed beyond the limit. */
export interface ReturnCount {
  /** The place in its list of the item that they were for; null outside loops. */
  readonly place: number | null;
  readonly visits: number;
  readonly allowed: number;
}
