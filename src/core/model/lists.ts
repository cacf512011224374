/** Appends many values. `push(...more)` overflows the stack with about 120,000 of them. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}

export function appendTo<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
