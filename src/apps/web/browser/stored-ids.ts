import { useState } from "react";

/** A set of ids that this browser stores; damaged or missing, it is the default. */
export function useStoredIds(
  key: string,
  initial: ReadonlySet<string>,
): readonly [ReadonlySet<string>, (ids: ReadonlySet<string>) => void] {
  const [ids, setIds] = useState(() => readIds(key) ?? initial);
  return [
    ids,
    (next) => {
      setIds(next);
      try {
        localStorage.setItem(key, JSON.stringify([...next]));
      } catch {
        // Full or forbidden storage: the choice holds until the page is closed.
      }
    },
  ];
}

function readIds(key: string): ReadonlySet<string> | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return Array.isArray(read) ? new Set(read.map(String)) : null;
  } catch {
    return null;
  }
}
