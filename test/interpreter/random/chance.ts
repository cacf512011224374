/** Chance that can be repeated: the same seed gives the same choices. */
export interface Chance {
  readonly count: (least: number, most: number) => number;
  readonly happens: (probability: number) => boolean;
  readonly pick: <T>(first: T, ...others: readonly T[]) => T;
}

export function chanceOf(...seeds: readonly (string | number)[]): Chance {
  let state = 0x811c9dc5;
  for (const char of seeds.join(" ")) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const draw = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const count = (least: number, most: number): number => least + Math.floor(draw() * (most - least + 1));
  return {
    count,
    happens: (probability) => draw() < probability,
    pick: (first, ...others) => others[count(0, others.length) - 1] ?? first,
  };
}
