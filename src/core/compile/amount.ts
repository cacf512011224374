/** A number of turns: `{ "": 3, "loop": 9 }` is 3 + 9 × the items of the loop. `null` has no bound. */
export type TurnFormula = Readonly<Record<string, number>> | null;

/** The amount for given numbers of items. */
export function evaluateFormula(amount: TurnFormula, itemsOf: (loop: string) => number): number {
  if (amount === null) return Infinity;
  let sum = 0;
  for (const [loop, count] of Object.entries(amount)) sum += loop === "" ? count : count * itemsOf(loop);
  return sum;
}
