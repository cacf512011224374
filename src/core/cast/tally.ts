/**
 * Counts by key that can be kept as they were. Spread over buckets, so that counting one more
 * does not copy them all: a cast of thousands of sockets must not slow down as it goes.
 */
export type Tally = readonly Readonly<Record<string, number>>[];

const BUCKETS = 64;

export const EMPTY_TALLY: Tally = [];

export function countOf(tally: Tally, key: string): number {
  const bucket = tally[bucketOf(key)];
  // A socket may be called `constructor`, which every object seems to have.
  return bucket && Object.hasOwn(bucket, key) ? (bucket[key] ?? 0) : 0;
}

export function increment(tally: Tally, key: string): Tally {
  const at = bucketOf(key);
  const buckets = tally.length === 0 ? NO_COUNTS : tally;
  return buckets.with(at, { ...buckets[at], [key]: countOf(tally, key) + 1 });
}

const NO_COUNTS: Tally = Array.from({ length: BUCKETS }, () => ({}));

function bucketOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return (hash >>> 0) % BUCKETS;
}
