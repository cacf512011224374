import { useState, type KeyboardEvent } from "react";

/** Arrow keys through the options of a combobox, Enter takes one. */
export function useOptionKeys<T>(
  found: readonly T[],
  choose: (option: T) => void,
): { readonly at: number; readonly first: () => void; readonly onKey: (event: KeyboardEvent) => boolean } {
  const [wanted, setAt] = useState(0);
  const at = Math.max(0, Math.min(wanted, found.length - 1));
  const onKey = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = found[at];
    if (step !== undefined) setAt(at + step);
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && option !== undefined) choose(option);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { at, first: () => setAt(0), onKey };
}
