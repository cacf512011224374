/** Appends many values. `push(...more)` overflows the stack with about 120,000 of them. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}
