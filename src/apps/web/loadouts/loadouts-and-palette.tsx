import type { ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import { checkTarget } from "../../../core/compile/targets/compile.ts";
import { catalogEntryOf, type LoadoutDraft } from "../../../core/edit/loadout-draft.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon, MateriaIcon } from "../ui/icons.tsx";
import { hrefOf } from "../browser/route.ts";
import { isDirty, type OpenLoadoutDraft, loadoutDrafts, useEditor } from "../loadout-editor/editor.ts";
import { useStore } from "../browser/store.ts";
import { css } from "../ui/classes.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { MateriaSearch, groupMateria } from "../dialogs/materia-search.tsx";
import { addSocketAfter, socketToExtend } from "../loadout-editor/use-editor-keys.ts";
import { SearchDialog } from "../ui/dialog.tsx";

const LAYER_TITLES = {
  project: "Project",
  user: "User",
  explicit: "Named file",
  environment: "MATERIA_CONFIG",
  bundled: "Bundled",
} as const;

type ListedLoadout = ReturnType<typeof listLoadouts>[number];

function listLoadouts(catalog: Catalog, drafts: ReadonlyMap<string, OpenLoadoutDraft>) {
  const renamed = new Set([...drafts.values()].flatMap(({ was }) => was ?? []));
  const names = [...new Set([...catalog.loadouts.keys(), ...drafts.keys()])].filter(
    (name) => !renamed.has(name) || drafts.has(name),
  );
  return names.map((name) => {
    const entry = catalog.loadouts.get(name);
    const draft = drafts.get(name);
    const version = draft?.history.present ?? entry;
    return {
      name,
      layer: draft?.layer ?? entry?.layer ?? "project",
      problems: version ? countProblems(name, version, catalog) : { errors: 0, warnings: 0 },
      draft,
      isActive: catalog.settings.activeLoadout.value === name,
    };
  });
}

interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}

const problemCounts = new WeakMap<object, { readonly catalog: Catalog; readonly problems: ProblemCount }>();

/** Check each version of a loadout once: typing in one must not check them all. */
function countProblems(name: string, version: LoadoutDraft | CatalogEntry<Loadout>, catalog: Catalog): ProblemCount {
  const known = problemCounts.get(version);
  if (known?.catalog === catalog) return known.problems;
  const entry = "loadout" in version ? catalogEntryOf(name, version) : version;
  const found = checkTarget({ kind: "loadout", name, entry }, catalog, 1).issues;
  const errors = found.filter(({ severity }) => severity === "error").length;
  const problems = { errors, warnings: found.length - errors };
  problemCounts.set(version, { catalog, problems });
  return problems;
}

export function LoadoutList({ open }: { readonly open: (dialog: "new" | "describe") => void }): ReactElement {
  const { catalog, name: chosen } = useEditor();
  const all = listLoadouts(catalog, useStore(loadoutDrafts));
  const byLayer = Map.groupBy(all, ({ layer }) => LAYER_TITLES[layer]);
  const groups = Object.values(LAYER_TITLES).map((title) => ({ title, entries: byLayer.get(title) ?? [] }));
  return (
    <nav aria-label="Loadouts">
      <h2>
        Loadouts <span className={css("faint")}>{all.length}</span>
      </h2>
      {groups.map(
        ({ title, entries }) =>
          entries.length > 0 && (
            <section key={title} aria-label={title}>
              <h3 className={css("layer")}>{title}</h3>
              <ul>
                {entries.map((each) => (
                  <li key={each.name}>
                    <LoadoutItem {...each} chosen={each.name === chosen} />
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
      <div className={css("padded")}>
        <Button icon="plus" className={css("whole-width")} onClick={() => open("new")}>
          New loadout
        </Button>
        <Button className={css("whole-width")} onClick={() => open("describe")}>
          Describe…
        </Button>
      </div>
    </nav>
  );
}

function LoadoutItem(props: ListedLoadout & { readonly chosen: boolean }): ReactElement {
  const { name, layer, problems, draft, isActive, chosen } = props;
  const { errors, warnings } = problems;
  const changed = draft !== undefined && draft.layer !== null && isDirty(draft);
  const isLocked = layer !== "project" && layer !== "user";
  return (
    <a className={css("side-row")} href={hrefOf("loadouts", name)} aria-current={chosen ? "page" : undefined}>
      <span className={css("cut grow")}>{name}</span>
      {isActive && <span className={css("badge")}>Active</span>}
      {changed && (
        <span className={css("unsaved")} title="Not saved">
          <span className={css("spoken")}>not saved</span>
        </span>
      )}
      {errors + warnings > 0 && (
        <span className={css(errors > 0 ? "status bad" : "status rework")}>
          {errors > 0 && <Icon name="warning" />}
          {errors || warnings}
          {errors === 0 && <span aria-hidden="true">?</span>}
          <span className={css("spoken")}>{errors > 0 ? "errors" : "warnings"}</span>
        </span>
      )}
      {isLocked && (
        <span className={css("faint")} title="Read-only">
          <Icon name="lock" />
          <span className={css("spoken")}>read-only</span>
        </span>
      )}
    </a>
  );
}

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
      title={after === null ? "New socket" : `New socket after ${after}`}
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
function MateriaName(props: { readonly name: string; readonly materia: Materia | undefined }): ReactElement {
  const { name, materia } = props;
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
