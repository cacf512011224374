/**
 * Values by key that can be kept as they were. Spread over two levels of buckets, so that changing one
 * does not copy them all: a cast of thousands of sockets or items must not slow down as it goes.
 */
export type Table<T> = readonly (readonly Readonly<Record<string, T>>[])[];

const WIDTH = 64;

export const EMPTY_TABLE: Table<never> = [];
const NO_BUCKETS: readonly Readonly<Record<string, never>>[] = Array.from({ length: WIDTH }, () => ({}));
const NO_ROWS: Table<never> = Array.from({ length: WIDTH }, () => NO_BUCKETS);

export function valueIn<T>(table: Table<T>, key: string): T | undefined {
  const [row, column] = placeOf(key);
  const bucket = table[row]?.[column];
  // A socket may be called `constructor`, which every object seems to have.
  return bucket && Object.hasOwn(bucket, key) ? bucket[key] : undefined;
}

export function withValue<T>(table: Table<T>, key: string, value: T): Table<T> {
  const [row, column] = placeOf(key);
  return withBucket(table, key, { ...table[row]?.[column], [key]: value });
}

export function withoutKeys<T>(table: Table<T>, keys: Iterable<string>): Table<T> {
  let left = table;
  for (const key of keys) {
    if (valueIn(left, key) === undefined) continue;
    const [row, column] = placeOf(key);
    const { [key]: _gone, ...others } = left[row]?.[column] ?? {};
    left = withBucket(left, key, others);
  }
  return left;
}

export function keysIn<T>(table: Table<T>): readonly string[] {
  return table.flatMap((row) => row.flatMap((bucket) => Object.keys(bucket)));
}

function withBucket<T>(table: Table<T>, key: string, bucket: Readonly<Record<string, T>>): Table<T> {
  const [row, column] = placeOf(key);
  const rows: Table<T> = table.length === 0 ? NO_ROWS : table;
  return rows.with(row, (rows[row] ?? NO_BUCKETS).with(column, bucket));
}

function placeOf(key: string): readonly [row: number, column: number] {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return [hash & (WIDTH - 1), (hash >>> 6) & (WIDTH - 1)];
}
