/** A map that keeps earlier versions. Many entries are spread over three levels: a change that copied all would be slow. */
export interface PersistentMap<T> {
  readonly few: Bucket<T>;
  readonly many: HashLevels<T> | null;
}

type HashLevels<T> = readonly (readonly (readonly Bucket<T>[])[])[];

/** Few enough for a linear search. Plain objects with many different keys are slow to copy. */
type Bucket<T> = readonly MapEntry<T>[];

interface MapEntry<T> {
  /** The hash of the key in a large map, so that few keys are compared; 0 in a small one. */
  readonly hash: number;
  readonly key: string;
  readonly value: T;
}

const MAX_FLAT_ENTRIES = 8;
const WIDTH = 16;
const BITS = 4;

const NO_ENTRIES: Bucket<never> = [];
const NO_BUCKETS: readonly Bucket<never>[] = Array.from({ length: WIDTH }, () => NO_ENTRIES);
const NO_ROWS: readonly (readonly Bucket<never>[])[] = Array.from({ length: WIDTH }, () => NO_BUCKETS);
const NO_LEVELS: HashLevels<never> = Array.from({ length: WIDTH }, () => NO_ROWS);
export const EMPTY_MAP: PersistentMap<never> = { few: NO_ENTRIES, many: null };

export function getValue<T>(table: PersistentMap<T>, key: string): T | undefined {
  const hash = hashIn(table, key);
  const bucket = bucketIn(table, hash);
  const at = indexInBucket(bucket, hash, key);
  return at === -1 ? undefined : bucket[at]?.value;
}

export function withValue<T>(table: PersistentMap<T>, key: string, value: T): PersistentMap<T> {
  const hash = hashIn(table, key);
  const bucket = bucketIn(table, hash);
  return withEntry(table, bucket, indexInBucket(bucket, hash, key), { hash, key, value });
}

/** The bucket with an entry at an index; -1 appends. */
function withEntry<T>({ many }: PersistentMap<T>, bucket: Bucket<T>, at: number, entry: MapEntry<T>): PersistentMap<T> {
  const changed = at === -1 ? [...bucket, entry] : replaceAt(bucket, at, entry);
  if (many) return { few: NO_ENTRIES, many: withBucket(many, entry.hash, changed) };
  return changed.length > MAX_FLAT_ENTRIES
    ? { few: NO_ENTRIES, many: spreadEntries(changed) }
    : { few: changed, many: null };
}

/** A copy and one assignment take half as long as `with`, and a journal needs thousands. */
function replaceAt<T>(row: readonly T[], at: number, value: T): readonly T[] {
  const copy = row.slice();
  copy[at] = value;
  return copy;
}

export function withoutKeys<T>(table: PersistentMap<T>, keys: Iterable<string>): PersistentMap<T> {
  let left = table;
  for (const key of keys) {
    const hash = hashIn(left, key);
    const bucket = bucketIn(left, hash);
    const at = indexInBucket(bucket, hash, key);
    if (at === -1) continue;
    const others = bucket.toSpliced(at, 1);
    left = left.many ? { few: NO_ENTRIES, many: withBucket(left.many, hash, others) } : { few: others, many: null };
  }
  return left;
}

export function keysOf<T>({ few, many }: PersistentMap<T>): readonly string[] {
  return [few, ...(many ?? []).flat(2)].flatMap((bucket) => bucket.map(({ key }) => key));
}

function spreadEntries<T>(entries: Bucket<T>): HashLevels<T> {
  let sheets: HashLevels<T> = NO_LEVELS;
  for (const { key, value } of entries) {
    const hash = hashOf(key);
    sheets = withBucket(sheets, hash, [...bucketOf(sheets, hash), { hash, key, value }]);
  }
  return sheets;
}

function hashIn<T>({ many }: PersistentMap<T>, key: string): number {
  return many ? hashOf(key) : 0;
}

function bucketIn<T>({ few, many }: PersistentMap<T>, hash: number): Bucket<T> {
  return many ? bucketOf(many, hash) : few;
}

function bucketOf<T>(sheets: HashLevels<T>, hash: number): Bucket<T> {
  return sheets[digit(hash, 0)]?.[digit(hash, 1)]?.[digit(hash, 2)] ?? NO_ENTRIES;
}

function indexInBucket<T>(bucket: Bucket<T>, hash: number, key: string): number {
  for (let at = 0; at < bucket.length; at += 1) {
    const entry = bucket[at];
    if (entry?.hash === hash && entry.key === key) return at;
  }
  return -1;
}

function withBucket<T>(sheets: HashLevels<T>, hash: number, bucket: Bucket<T>): HashLevels<T> {
  const rows = sheets[digit(hash, 0)] ?? NO_ROWS;
  const buckets = rows[digit(hash, 1)] ?? NO_BUCKETS;
  const changed = replaceAt(rows, digit(hash, 1), replaceAt(buckets, digit(hash, 2), bucket));
  return replaceAt(sheets, digit(hash, 0), changed);
}

function digit(hash: number, level: 0 | 1 | 2): number {
  return (hash >>> ((2 - level) * BITS)) & (WIDTH - 1);
}

function hashOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash;
}

export type Tally = PersistentMap<number>;

export function countOf(tally: Tally, key: string): number {
  return getValue(tally, key) ?? 0;
}

export function increment(tally: Tally, key: string): Tally {
  const hash = hashIn(tally, key);
  const bucket = bucketIn(tally, hash);
  const at = indexInBucket(bucket, hash, key);
  return withEntry(tally, bucket, at, { hash, key, value: at === -1 ? 1 : (bucket[at]?.value ?? 0) + 1 });
}

/** Visits of a socket without progress, and how many of them a person allowed beyond the limit. */
export interface ReturnCount {
  /** The index of their item; null outside loops. */
  readonly place: number | null;
  readonly visits: number;
  readonly allowed: number;
}
