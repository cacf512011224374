import { useState, useSyncExternalStore } from "react";

/** A value of the whole page that outlives its components. Subscribers are called after a change. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (next: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createStore<T>(first: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = first;
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export function useStoredText(key: string): readonly [string | null, (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(key));
  const store = (next: string): void => {
    setText(next);
    storeText(key, next);
  };
  return [text, store];
}

export function storeText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Full or forbidden storage: the choice holds until the page is closed.
  }
}

export function useStore<T>({ subscribe, get }: Store<T>): T {
  return useSyncExternalStore(subscribe, get);
}
