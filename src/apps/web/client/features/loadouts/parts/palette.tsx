import { useState, type ReactElement } from "react";
import type { CatalogEntry } from "../../../../../../core/catalog/layer.ts";
import type { Materia } from "../../../../../../core/model/materia.ts";
import { Icon } from "../../../parts/marks/icon.tsx";
import { MateriaIcon } from "../../../parts/marks/orb.tsx";
import { useEditor } from "../state/editor.ts";
import { addSocketAfter, socketToExtend } from "../state/use-editor-keys.ts";
import { groupMateria } from "../../../data/materia-groups.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import controlsSheet from "../../../parts/controls/controls.module.css";
import workbenchSheet from "../../../parts/controls/workbench.module.css";

const css = bindClassNames(workbenchSheet, controlsSheet, baseSheet);

/** Materia to drag onto the canvas; Enter or a click goes on where the chain ends. */
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
      <span className={css("cut grow")}>{name}</span>
      {!value && <Icon name="warning" />}
    </button>
  );
}
