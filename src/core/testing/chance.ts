/** Chance that is the same for the same seed, on every machine. */
export interface RandomSource {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;
  /** A whole number below `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <T>(from: readonly [T, ...T[]]) => T;
}

/** mulberry32: small, quick, and good enough for choosing answers. */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (from) => from[below(from.length)] ?? from[0] };
}
