import { useEffect, useId, useState, type KeyboardEvent, type ReactElement, type ReactNode } from "react";
import { css } from "./classes.ts";
import { Dialog } from "./dialog.tsx";

/** A dialog that finds one of many by a few letters: arrow keys choose, Enter or a click picks. */
export function SearchDialog<T>(props: {
  readonly title: string;
  /** The accessible name of the field. */
  readonly label: string;
  readonly placeholder: string;
  readonly listLabel: string;
  readonly nothing: string;
  readonly find: (text: string) => readonly T[];
  readonly keyOf: (option: T) => string;
  readonly draw: (option: T) => ReactNode;
  readonly onPick: (option: T) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { find, keyOf, draw, onPick } = props;
  const [text, setText] = useState("");
  const list = useId();
  const found = find(text);
  const { at, first, onKey } = useOptionKeys(found, onPick);
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, list]);
  return (
    <Dialog title={props.title} onClose={props.onClose} className={css("search-dialog")}>
      <label className={css("field")}>
        <input
          role="combobox"
          aria-label={props.label}
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={found[at] === undefined ? undefined : `${list}-${at}`}
          placeholder={props.placeholder}
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            first();
          }}
        />
      </label>
      <ul className={css("option-list")} id={list} role="listbox" aria-label={props.listLabel}>
        {found.map((option, index) => (
          <li
            key={keyOf(option)}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => onPick(option)}
          >
            {draw(option)}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={css("faint nothing-found")}>{props.nothing}</p>}
    </Dialog>
  );
}

/** Arrow keys move through the options of a combobox; Enter picks one. */
function useOptionKeys<T>(
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
