/** Ends a `switch` over a union: a new variant without a case does not compile. */
export function never(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
