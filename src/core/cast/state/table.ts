/**
 * Values by key that can be kept as they were. Spread over three levels, so that changing one does not copy them all:
 * a cast of thousands of sockets or items must not slow down as it goes.
 */
export type Table<T> = readonly (readonly (readonly Bucket<T>[])[])[];

/** Few enough to be searched one after another; plain objects with many different keys are slow to copy. */
type Bucket<T> = readonly Entry<T>[];

interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

const WIDTH = 16;
const BITS = 4;

export const EMPTY_TABLE: Table<never> = [];
const NO_ENTRIES: Bucket<never> = [];
const NO_BUCKETS: readonly Bucket<never>[] = Array.from({ length: WIDTH }, () => NO_ENTRIES);
const NO_ROWS: readonly (readonly Bucket<never>[])[] = Array.from({ length: WIDTH }, () => NO_BUCKETS);
const NO_SHEETS: Table<never> = Array.from({ length: WIDTH }, () => NO_ROWS);

export function valueIn<T>(table: Table<T>, key: string): T | undefined {
  const bucket = bucketIn(table, hashOf(key));
  return bucket[placeIn(bucket, key)]?.value;
}

export function withValue<T>(table: Table<T>, key: string, value: T): Table<T> {
  return withChange(table, key, () => value);
}

/** The table with what `change` makes of a key's value. */
export function withChange<T>(table: Table<T>, key: string, change: (value: T | undefined) => T): Table<T> {
  const hash = hashOf(key);
  const bucket = bucketIn(table, hash);
  const at = placeIn(bucket, key);
  const entry = { key, value: change(bucket[at]?.value) };
  return withBucket(table, hash, at === -1 ? [...bucket, entry] : bucket.with(at, entry));
}

export function withoutKeys<T>(table: Table<T>, keys: Iterable<string>): Table<T> {
  let left = table;
  for (const key of keys) {
    const hash = hashOf(key);
    const bucket = bucketIn(left, hash);
    const others = bucket.filter((entry) => entry.key !== key);
    if (others.length < bucket.length) left = withBucket(left, hash, others);
  }
  return left;
}

export function keysIn<T>(table: Table<T>): readonly string[] {
  return table.flatMap((sheet) => sheet.flatMap((row) => row.flatMap((bucket) => bucket.map(({ key }) => key))));
}

function bucketIn<T>(table: Table<T>, hash: number): Bucket<T> {
  return table[digit(hash, 0)]?.[digit(hash, 1)]?.[digit(hash, 2)] ?? NO_ENTRIES;
}

function placeIn<T>(bucket: Bucket<T>, key: string): number {
  for (let at = 0; at < bucket.length; at += 1) if (bucket[at]?.key === key) return at;
  return -1;
}

function withBucket<T>(table: Table<T>, hash: number, bucket: Bucket<T>): Table<T> {
  const sheets: Table<T> = table.length === 0 ? NO_SHEETS : table;
  const rows = sheets[digit(hash, 0)] ?? NO_ROWS;
  const buckets = rows[digit(hash, 1)] ?? NO_BUCKETS;
  return sheets.with(digit(hash, 0), rows.with(digit(hash, 1), buckets.with(digit(hash, 2), bucket)));
}

function digit(hash: number, level: 0 | 1 | 2): number {
  return (hash >>> (level * BITS)) & (WIDTH - 1);
}

function hashOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash;
}
