/**
 * Values by key that can be kept as they were. Few stand in one row; more are spread over three levels, so that changing one
 * does not copy them all: a cast of thousands of sockets or items must not slow down as it goes.
 */
export interface Table<T> {
  readonly few: Bucket<T>;
  /** Set where they are more than a few. */
  readonly many: Sheets<T> | null;
}

type Sheets<T> = readonly (readonly (readonly Bucket<T>[])[])[];

/** Few enough to be searched one after another; plain objects with many different keys are slow to copy. */
type Bucket<T> = readonly Entry<T>[];

interface Entry<T> {
  readonly key: string;
  readonly value: T;
}

const MOST_OF_FEW = 8;
const WIDTH = 16;
const BITS = 4;

const NO_ENTRIES: Bucket<never> = [];
const NO_BUCKETS: readonly Bucket<never>[] = Array.from({ length: WIDTH }, () => NO_ENTRIES);
const NO_ROWS: readonly (readonly Bucket<never>[])[] = Array.from({ length: WIDTH }, () => NO_BUCKETS);
const NO_SHEETS: Sheets<never> = Array.from({ length: WIDTH }, () => NO_ROWS);
export const EMPTY_TABLE: Table<never> = { few: NO_ENTRIES, many: null };

export function valueIn<T>({ few, many }: Table<T>, key: string): T | undefined {
  const bucket = many ? bucketIn(many, hashOf(key)) : few;
  return bucket[placeIn(bucket, key)]?.value;
}

export function withValue<T>(table: Table<T>, key: string, value: T): Table<T> {
  return withChange(table, key, () => value);
}

/** The table with what `change` makes of a key's value. */
export function withChange<T>({ few, many }: Table<T>, key: string, change: (value: T | undefined) => T): Table<T> {
  const hash = many ? hashOf(key) : 0;
  const bucket = many ? bucketIn(many, hash) : few;
  const at = placeIn(bucket, key);
  const entry = { key, value: change(bucket[at]?.value) };
  const changed = at === -1 ? [...bucket, entry] : bucket.with(at, entry);
  if (many) return { few: NO_ENTRIES, many: withBucket(many, hash, changed) };
  return changed.length > MOST_OF_FEW ? { few: NO_ENTRIES, many: spread(changed) } : { few: changed, many: null };
}

export function withoutKeys<T>(table: Table<T>, keys: Iterable<string>): Table<T> {
  let left = table;
  for (const key of keys) {
    const { few, many } = left;
    const hash = many ? hashOf(key) : 0;
    const bucket = many ? bucketIn(many, hash) : few;
    const others = bucket.filter((entry) => entry.key !== key);
    if (others.length === bucket.length) continue;
    left = many ? { few, many: withBucket(many, hash, others) } : { few: others, many };
  }
  return left;
}

export function keysIn<T>({ few, many }: Table<T>): readonly string[] {
  return [few, ...(many ?? []).flat(2)].flatMap((bucket) => bucket.map(({ key }) => key));
}

function spread<T>(entries: Bucket<T>): Sheets<T> {
  let sheets: Sheets<T> = NO_SHEETS;
  for (const entry of entries) {
    const hash = hashOf(entry.key);
    sheets = withBucket(sheets, hash, [...bucketIn(sheets, hash), entry]);
  }
  return sheets;
}

function bucketIn<T>(table: Sheets<T>, hash: number): Bucket<T> {
  return table[digit(hash, 0)]?.[digit(hash, 1)]?.[digit(hash, 2)] ?? NO_ENTRIES;
}

function placeIn<T>(bucket: Bucket<T>, key: string): number {
  for (let at = 0; at < bucket.length; at += 1) if (bucket[at]?.key === key) return at;
  return -1;
}

function withBucket<T>(sheets: Sheets<T>, hash: number, bucket: Bucket<T>): Sheets<T> {
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
