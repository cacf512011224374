import { useId, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import type { Catalog } from "../../../../../core/catalog/catalog.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Orb } from "../../parts/orb.tsx";
import { groupsOf } from "../parts/groups.ts";

/** Which materia to seat in a new socket: a few letters, arrows, Enter. */
export function AddDialog(props: {
  readonly catalog: Catalog;
  readonly after: string | null;
  readonly onClose: () => void;
  readonly onAdd: (materia: string) => void;
}): ReactElement {
  const { catalog, after, onClose, onAdd } = props;
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const found = groupsOf(catalog, text).flatMap(({ title, entries }) => entries.map((entry) => ({ ...entry, title })));
  const chosen = found[Math.min(at, found.length - 1)];
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    else if (event.key === "Enter" && chosen) onAdd(chosen.name);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      title={after === null ? "Add a socket" : `Add a socket after ${after}`}
      onClose={onClose}
      className="pal-dlg"
    >
      <label className="field">
        <input
          // The dialog was opened to type here.
          autoFocus
          role="combobox"
          aria-label="Find materia"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${chosen.name}` : undefined}
          placeholder="Find materia"
          value={text}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </label>
      <ul className="goals" id={list} role="listbox" aria-label="Materia">
        {found.map(({ name, value, title }) => (
          <li
            key={name}
            id={`${list}-${name}`}
            role="option"
            aria-selected={name === chosen?.name}
            onClick={() => onAdd(name)}
          >
            <Orb materia={value} size="sm" />
            <span className="cut grow">{name}</span>
            <span className="mute">{title}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="mute pal-none">No materia matches.</p>}
    </Dialog>
  );
}
