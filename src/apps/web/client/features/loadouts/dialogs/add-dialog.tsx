import { useId, useState, type ReactElement } from "react";
import type { Catalog } from "../../../../../../core/catalog/catalog.ts";
import { Dialog } from "../../../parts/controls/dialog.tsx";
import { MateriaIcon } from "../../../parts/marks/orb.tsx";
import { useOptionKeys } from "../../../parts/controls/use-options.ts";
import { groupMateria } from "../../../data/materia-groups.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import dialogSheet from "../../../parts/controls/dialog.module.css";

const addDialogCss = bindClassNames(dialogSheet, controlsSheet, baseSheet);

/** Which materia to seat in a new socket: a few letters, arrows, Enter. */
export function PickMateriaDialog(props: {
  readonly catalog: Catalog;
  readonly after: string | null;
  readonly onClose: () => void;
  readonly onAdd: (materia: string) => void;
}): ReactElement {
  const { catalog, after, onClose, onAdd } = props;
  const [text, setText] = useState("");
  const list = useId();
  const found = groupMateria(catalog, text).flatMap(({ title, entries }) => entries.map((entry) => ({ ...entry, title })));
  const { at, first, onKey } = useOptionKeys(found, ({ name }) => onAdd(name));
  const chosen = found[at];
  return (
    <Dialog
      title={after === null ? "Add a socket" : `Add a socket after ${after}`}
      onClose={onClose}
      className={addDialogCss("search-dialog")}
    >
      <label className={addDialogCss("field")}>
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
      <ul className={addDialogCss("goals")} id={list} role="listbox" aria-label="Materia">
        {found.map(({ name, value, title }) => (
          <li
            key={name}
            id={`${list}-${name}`}
            role="option"
            aria-selected={name === chosen?.name}
            onClick={() => onAdd(name)}
          >
            <MateriaIcon materia={value} size="sm" />
            <span className={addDialogCss("cut grow")}>{name}</span>
            <span className={addDialogCss("faint")}>{title}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={addDialogCss("faint nothing-found")}>No materia matches.</p>}
    </Dialog>
  );
}
