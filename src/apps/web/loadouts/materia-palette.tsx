import type { ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { groupMateria } from "../data/materia-groups.ts";
import { MateriaSearch } from "../dialogs/materia-search.tsx";
import { useEditor } from "../loadout-editor/editor.ts";
import { addSocketAfter, socketToExtend } from "../loadout-editor/use-editor-keys.ts";
import { css } from "../ui/classes.ts";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { SearchDialog } from "../ui/search-list.tsx";

/** Materia to drag onto the canvas; Enter or a click extends the chain. */
export function MateriaPalette({ onAdded }: { readonly onAdded: (id: string) => void }): ReactElement {
  const editor = useEditor();
  const off = editor.readOnly !== null;
  const add = (materia: string): void => {
    const id = addSocketAfter(editor, materia, socketToExtend(editor));
    if (id !== null) onAdded(id);
  };
  return (
    <MateriaSearch
      catalog={editor.catalog}
      draw={({ name, value }) => (
        <button
          type="button"
          className={css("side-row")}
          draggable={!off}
          title={value?.description ?? name}
          aria-disabled={off || undefined}
          onClick={() => add(name)}
          onDragStart={(event) => {
            event.dataTransfer.setData("text/materia", name);
            event.dataTransfer.effectAllowed = "copy";
          }}
        >
          <span className={css("spoken")}>Add </span>
          <MateriaName name={name} materia={value} />
          {!value && <Icon name="warning" />}
        </button>
      )}
    />
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
  return (
    <SearchDialog
      title={after === null ? "Add a socket" : `Add a socket after ${after}`}
      label="Find materia"
      placeholder="Find materia"
      listLabel="Materia"
      nothing="No materia matches."
      find={(text) =>
        groupMateria(catalog, text).flatMap(({ title, entries }) => entries.map((each) => ({ ...each, title })))
      }
      keyOf={({ name }) => name}
      draw={({ name, value, title }) => (
        <>
          <MateriaName name={name} materia={value} />
          <span className={css("faint")}>{title}</span>
        </>
      )}
      onPick={({ name }) => onAdd(name)}
      onClose={onClose}
    />
  );
}

/** The name of a materia above its description, which the title has for screen readers. */
function MateriaName({
  name,
  materia,
}: {
  readonly name: string;
  readonly materia: Materia | undefined;
}): ReactElement {
  return (
    <>
      <MateriaIcon materia={materia} size="sm" />
      <span className={css("grow side-text")}>
        <span className={css("cut")}>{name}</span>
        <span className={css("faint cut")} aria-hidden="true">
          {materia?.description ?? ""}
        </span>
      </span>
    </>
  );
}
