/** A number of turns as a sum of terms: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type Amount = Readonly<Record<string, number>> | null;

/** The loops whose item counts a term multiplies. */
export function loopsOf(term: string): readonly string[] {
  return term === "" ? [] : term.split(" ");
}

/** The amount for given numbers of items. */
export function evaluate(amount: Amount, itemsOf: (loop: string) => number): number {
  if (amount === null) return Infinity;
  return Object.entries(amount).reduce(
    (sum, [term, count]) => sum + loopsOf(term).reduce((product, loop) => product * itemsOf(loop), count),
    0,
  );
}
