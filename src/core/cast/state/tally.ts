import { EMPTY_TABLE, valueIn, withChange, type Table } from "./table.ts";

/** Counts by key. */
export type Tally = Table<number>;

export const EMPTY_TALLY: Tally = EMPTY_TABLE;

/** How the turns of a socket for one item are counted. */
export function turnKey(socket: string, item: string): string {
  return `${socket}@${item}`;
}

export function countOf(tally: Tally, key: string): number {
  return valueIn(tally, key) ?? 0;
}

export function increment(tally: Tally, key: string): Tally {
  return withChange(tally, key, oneMore);
}

function oneMore(count = 0): number {
  return count + 1;
}

/** Visits of a socket without progress, and how many of them a person has allowed beyond the limit. */
export interface Returns {
  /** The place in its list of the item that they were for; null outside loops. */
  readonly place: number | null;
  readonly visits: number;
  readonly allowed: number;
}
