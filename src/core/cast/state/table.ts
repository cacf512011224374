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
  /** Of its key where they are many, so that few keys need be compared; 0 where they are few. */
  readonly hash: number;
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

export function valueIn<T>(table: Table<T>, key: string): T | undefined {
  const hash = hashIn(table, key);
  const bucket = bucketIn(table, hash);
  const at = placeIn(bucket, hash, key);
  return at === -1 ? undefined : bucket[at]?.value;
}

export function withValue<T>(table: Table<T>, key: string, value: T): Table<T> {
  const hash = hashIn(table, key);
  const bucket = bucketIn(table, hash);
  return withEntry(table, bucket, placeIn(bucket, hash, key), { hash, key, value });
}

/** The table with what `change` makes of a key's value. */
export function withChange<T>(table: Table<T>, key: string, change: (value: T | undefined) => T): Table<T> {
  const hash = hashIn(table, key);
  const bucket = bucketIn(table, hash);
  const at = placeIn(bucket, hash, key);
  return withEntry(table, bucket, at, { hash, key, value: change(at === -1 ? undefined : bucket[at]?.value) });
}

/** With an entry at a place of its bucket; at -1 it is a new one. */
function withEntry<T>({ many }: Table<T>, bucket: Bucket<T>, at: number, entry: Entry<T>): Table<T> {
  const changed = at === -1 ? [...bucket, entry] : replaced(bucket, at, entry);
  if (many) return { few: NO_ENTRIES, many: withBucket(many, entry.hash, changed) };
  return changed.length > MOST_OF_FEW ? { few: NO_ENTRIES, many: spread(changed) } : { few: changed, many: null };
}

/** A journal is thousands of these: a copy and one assignment take half as long as `with`. */
function replaced<T>(row: readonly T[], at: number, value: T): readonly T[] {
  const copy = row.slice();
  copy[at] = value;
  return copy;
}

export function withoutKeys<T>(table: Table<T>, keys: Iterable<string>): Table<T> {
  let left = table;
  for (const key of keys) {
    const hash = hashIn(left, key);
    const bucket = bucketIn(left, hash);
    const at = placeIn(bucket, hash, key);
    if (at === -1) continue;
    const others = bucket.toSpliced(at, 1);
    left = left.many ? { few: NO_ENTRIES, many: withBucket(left.many, hash, others) } : { few: others, many: null };
  }
  return left;
}

export function keysIn<T>({ few, many }: Table<T>): readonly string[] {
  return [few, ...(many ?? []).flat(2)].flatMap((bucket) => bucket.map(({ key }) => key));
}

/** Is told what must be done to one table to get another. */
export interface TableWriter<T> {
  readonly remove: (key: string) => void;
  /** A key that is new or has another value. */
  readonly put: (key: string, value: T) => void;
}

/** What lies between two tables of many keys; parts that both share are not looked at. `from` may be none. */
export function tellChanges<T>(from: Table<T> | null, to: Table<T>, { remove, put }: TableWriter<T>): void {
  eachBucket(from?.many ?? NO_SHEETS, to.many ?? NO_SHEETS, (before, after) => {
    for (const { hash, key } of before) if (placeIn(after, hash, key) === -1) remove(key);
    for (const { hash, key, value } of after) {
      const at = placeIn(before, hash, key);
      if (at === -1 || before[at]?.value !== value) put(key, value);
    }
  });
}

function eachBucket<T>(from: Sheets<T>, to: Sheets<T>, look: (before: Bucket<T>, after: Bucket<T>) => void): void {
  for (let first = 0; first < WIDTH; first += 1) {
    const [rows = NO_ROWS, others = NO_ROWS] = [from[first], to[first]];
    if (rows === others) continue;
    for (let second = 0; second < WIDTH; second += 1) {
      const [buckets = NO_BUCKETS, changed = NO_BUCKETS] = [rows[second], others[second]];
      if (buckets === changed) continue;
      for (let third = 0; third < WIDTH; third += 1) {
        const [before = NO_ENTRIES, after = NO_ENTRIES] = [buckets[third], changed[third]];
        if (before !== after) look(before, after);
      }
    }
  }
}

/** The table of many keys that such changes lead to; without one to begin with, from none. Each part of it is copied once, not at every key. */
export function afterChanges<T>(from: Table<T> | null, tell: (writer: TableWriter<T>) => void): Table<T> {
  const own = new Set<readonly unknown[]>();
  const ownPart = <P>(whole: (readonly P[])[], at: number): P[] => {
    const part = whole[at] ?? [];
    if (own.has(part)) return part as P[]; // copied before
    const copy = part.slice();
    own.add(copy);
    whole[at] = copy;
    return copy;
  };
  const sheets = [...(from?.many ?? NO_SHEETS)];
  const bucketAt = (hash: number): Entry<T>[] =>
    ownPart(ownPart(ownPart(sheets, digit(hash, 0)), digit(hash, 1)), digit(hash, 2));
  tell({
    remove: (key) => {
      const hash = hashOf(key);
      const bucket = bucketAt(hash);
      const at = placeIn(bucket, hash, key);
      if (at !== -1) bucket.splice(at, 1);
    },
    put: (key, value) => {
      const hash = hashOf(key);
      const bucket = bucketAt(hash);
      const at = placeIn(bucket, hash, key);
      bucket[at === -1 ? bucket.length : at] = { hash, key, value };
    },
  });
  return { few: NO_ENTRIES, many: sheets };
}

function spread<T>(entries: Bucket<T>): Sheets<T> {
  let sheets: Sheets<T> = NO_SHEETS;
  for (const { key, value } of entries) {
    const hash = hashOf(key);
    sheets = withBucket(sheets, hash, [...bucketOf(sheets, hash), { hash, key, value }]);
  }
  return sheets;
}

function hashIn<T>({ many }: Table<T>, key: string): number {
  return many ? hashOf(key) : 0;
}

function bucketIn<T>({ few, many }: Table<T>, hash: number): Bucket<T> {
  return many ? bucketOf(many, hash) : few;
}

function bucketOf<T>(sheets: Sheets<T>, hash: number): Bucket<T> {
  return sheets[digit(hash, 0)]?.[digit(hash, 1)]?.[digit(hash, 2)] ?? NO_ENTRIES;
}

function placeIn<T>(bucket: Bucket<T>, hash: number, key: string): number {
  for (let at = 0; at < bucket.length; at += 1) {
    const entry = bucket[at];
    if (entry?.hash === hash && entry.key === key) return at;
  }
  return -1;
}

function withBucket<T>(sheets: Sheets<T>, hash: number, bucket: Bucket<T>): Sheets<T> {
  const rows = sheets[digit(hash, 0)] ?? NO_ROWS;
  const buckets = rows[digit(hash, 1)] ?? NO_BUCKETS;
  const changed = replaced(rows, digit(hash, 1), replaced(buckets, digit(hash, 2), bucket));
  return replaced(sheets, digit(hash, 0), changed);
}

function digit(hash: number, level: 0 | 1 | 2): number {
  return (hash >>> ((2 - level) * BITS)) & (WIDTH - 1);
}

function hashOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash;
}
