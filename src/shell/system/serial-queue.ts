/** Runs work of one key after another, also after work that failed. */
export type SerialQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      // Keys may be casts: the map must not grow with them.
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
