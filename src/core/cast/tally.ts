/**
 * Counts by key that can be kept as they were. Spread over buckets of buckets, so that counting one more
 * does not copy them all: a cast of thousands of sockets or items must not slow down as it goes.
 */
export type Tally = readonly (readonly Bucket[])[];

type Bucket = Readonly<Record<string, number>>;

const BITS = 5;
const SIZE = 2 ** BITS;
const NO_ROW: readonly Bucket[] = Array.from({ length: SIZE }, () => ({}));
const NO_COUNTS: Tally = Array.from({ length: SIZE }, () => NO_ROW);

export const EMPTY_TALLY: Tally = [];

/** How the turns of a socket for one item are counted. */
export function turnKey(socket: string, item: string): string {
  return `${socket}@${item}`;
}

export function countOf(tally: Tally, key: string): number {
  const hash = hashOf(key);
  const bucket = tally[hash % SIZE]?.[(hash >>> BITS) % SIZE];
  // A socket may be called `constructor`, which every object seems to have.
  return bucket && Object.hasOwn(bucket, key) ? (bucket[key] ?? 0) : 0;
}

export function increment(tally: Tally, key: string): Tally {
  const hash = hashOf(key);
  const [at, inner] = [hash % SIZE, (hash >>> BITS) % SIZE];
  const rows = tally.length === 0 ? NO_COUNTS : tally;
  const row = rows[at] ?? NO_ROW;
  return rows.with(at, row.with(inner, { ...row[inner], [key]: countOf(tally, key) + 1 }));
}

function hashOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash >>> 0;
}
