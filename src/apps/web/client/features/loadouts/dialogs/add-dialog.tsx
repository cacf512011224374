import { useId, useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { Dialog } from "../../../parts/controls/dialog.tsx";
import { Orb } from "../../../parts/marks/orb.tsx";
import { useOptions } from "../../../parts/controls/use-options.ts";
import { groupsOf } from "../../../data/materia-groups.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const css = classesOf(dialogSheet, controlsSheet, baseSheet);

/** Which materia to seat in a new socket: a few letters, arrows, Enter. */
export function AddDialog(props: {
  readonly catalog: Catalog;
  readonly after: string | null;
  readonly onClose: () => void;
  readonly onAdd: (materia: string) => void;
}): ReactElement {
  const { catalog, after, onClose, onAdd } = props;
  const [text, setText] = useState("");
  const list = useId();
  const found = groupsOf(catalog, text).flatMap(({ title, entries }) => entries.map((entry) => ({ ...entry, title })));
  const { at, first, onKey } = useOptions(found, ({ name }) => onAdd(name));
  const chosen = found[at];
  return (
    <Dialog
      title={after === null ? "Add a socket" : `Add a socket after ${after}`}
      onClose={onClose}
      className={css("search-dialog")}
    >
      <label className={css("field")}>
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
            first();
          }}
        />
      </label>
      <ul className={css("goals")} id={list} role="listbox" aria-label="Materia">
        {found.map(({ name, value, title }) => (
          <li
            key={name}
            id={`${list}-${name}`}
            role="option"
            aria-selected={name === chosen?.name}
            onClick={() => onAdd(name)}
          >
            <Orb materia={value} size="sm" />
            <span className={css("cut grow")}>{name}</span>
            <span className={css("faint")}>{title}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={css("faint nothing-found")}>No materia matches.</p>}
    </Dialog>
  );
}
