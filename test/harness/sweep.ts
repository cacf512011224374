/** `npm test` runs a sample of every sweep. `npm run test:full` sets this and runs the rest of each, and nothing else. */
export const isFull = process.env["MATERIA_TESTS"] === "full";

/** The options of a test that sweeps: without them `npm run test:full` leaves it out. */
export const SWEEP = { tags: ["sweep"] };

/** So many cases of a sweep, from all over it; with `npm run test:full` the others. */
export function sampleCases<T>(cases: readonly T[], size = 1): readonly T[] {
  const chosen = new Set(Array.from({ length: size }, (_, index) => Math.floor((index * cases.length) / size)));
  return cases.filter((_, index) => chosen.has(index) !== isFull);
}

/** How many runs a law or a storm gets. */
export function sweepSize(few: number, all: number): number {
  return isFull ? all : few;
}
