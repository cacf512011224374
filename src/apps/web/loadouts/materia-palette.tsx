import { useState, type ReactElement, useId } from "react";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { addSocketAfter, socketToExtend } from "../loadout-editor/use-editor-keys.ts";
import { groupMateria } from "../data/materia-groups.ts";
import { css } from "../ui/classes.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useOptionKeys } from "../ui/fields.tsx";

/** Materia to drag onto the canvas; Enter or a click extends the chain. */
export function MateriaPalette({ onAdded }: { readonly onAdded: (id: string) => void }): ReactElement {
  const editor = useEditor();
  const { catalog, readOnly } = editor;
  const [search, setSearch] = useState("");
  const groups = groupMateria(catalog, search);
  const add = (materia: string): void => {
    const id = addSocketAfter(editor, materia, socketToExtend(editor));
    if (id !== null) onAdded(id);
  };
  return (
    <>
      <div className={css("padded")}>
        <label className={css("field")}>
          <Icon name="search" />
          <input
            type="search"
            placeholder="Find materia"
            aria-label="Find materia"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
      </div>
      {groups.every(({ entries }) => entries.length === 0) && (
        <p className={css("faint nothing")}>No materia matches.</p>
      )}
      {groups.map(({ title, entries }) =>
        entries.length === 0 ? null : (
          <section key={title} aria-label={title}>
            <h2>
              {title} <span className={css("faint")}>{entries.length}</span>
            </h2>
            <ul>
              {entries.map((entry) => (
                <li key={entry.name}>
                  <PaletteRow entry={entry} off={readOnly !== null} onAdd={() => add(entry.name)} />
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
    </>
  );
}

function PaletteRow(props: {
  readonly entry: CatalogEntry<Materia>;
  readonly off: boolean;
  readonly onAdd: () => void;
}): ReactElement {
  const { entry, off, onAdd } = props;
  const { name, value } = entry;
  return (
    <button
      type="button"
      className={css("side-row")}
      draggable={!off}
      title={value?.description ?? name}
      aria-label={`Add ${name}`}
      aria-disabled={off || undefined}
      onClick={onAdd}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/materia", name);
        event.dataTransfer.effectAllowed = "copy";
      }}
    >
      <MateriaIcon materia={value} size="sm" />
      <span className={css("grow side-text")}>
        <span className={css("cut")}>{name}</span>
        <span className={css("faint cut")}>{value?.description ?? ""}</span>
      </span>
      {!value && <Icon name="warning" />}
    </button>
  );
}

/** Chooses the materia of a new socket: letters, arrow keys, Enter. */
export function PickMateriaDialog(props: {
  readonly catalog: Catalog;
  readonly after: string | null;
  readonly onClose: () => void;
  readonly onAdd: (materia: string) => void;
}): ReactElement {
  const { catalog, after, onClose, onAdd } = props;
  const [text, setText] = useState("");
  const list = useId();
  const found = groupMateria(catalog, text).flatMap(({ title, entries }) =>
    entries.map((entry) => ({ ...entry, title })),
  );
  const { at, first, onKey } = useOptionKeys(found, ({ name }) => onAdd(name));
  const chosen = found[at];
  return (
    <Dialog
      title={after === null ? "Add a socket" : `Add a socket after ${after}`}
      onClose={onClose}
      className={css("search-dialog")}
    >
      <label className={css("field")}>
        <input
          // People open the dialog to type here.
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
      <ul className={css("option-list")} id={list} role="listbox" aria-label="Materia">
        {found.map(({ name, value, title }) => (
          <li
            key={name}
            id={`${list}-${name}`}
            role="option"
            aria-selected={name === chosen?.name}
            onClick={() => onAdd(name)}
          >
            <MateriaIcon materia={value} size="sm" />
            <span className={css("grow side-text")}>
              <span className={css("cut")}>{name}</span>
              <span className={css("faint cut")}>{value?.description ?? ""}</span>
            </span>
            <span className={css("faint")}>{title}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={css("faint nothing-found")}>No materia matches.</p>}
    </Dialog>
  );
}
