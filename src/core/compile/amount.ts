/** A number of turns as a sum of terms: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type Amount = Readonly<Record<string, number>> | null;

export const NOTHING: Amount = {};

export function constant(count: number): Amount {
  return count === 0 ? NOTHING : { "": count };
}

export function plus(a: Amount, b: Amount): Amount {
  return combine(a, b, (left, right) => left + right);
}

/** Term by term, so that it is never below either. */
export function larger(a: Amount, b: Amount): Amount {
  return combine(a, b, Math.max);
}

export function times(a: Amount, factor: number): Amount {
  return a === null ? null : Object.fromEntries(Object.entries(a).map(([term, count]) => [term, count * factor]));
}

/** Once for each item of a loop. */
export function timesItems(a: Amount, loop: string): Amount {
  if (a === null) return null;
  return Object.fromEntries(Object.entries(a).map(([term, count]) => [[...loopsOf(term), loop].toSorted().join(" "), count]));
}

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

function combine(a: Amount, b: Amount, by: (left: number, right: number) => number): Amount {
  if (a === null || b === null) return null;
  const terms = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...terms].map((term) => [term, by(a[term] ?? 0, b[term] ?? 0)]));
}
