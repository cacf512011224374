import { useEffect, useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { exportText } from "../../../core/edit/loadout-draft.ts";
import { countedText } from "../../../core/model/text.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { Button, UndoRedoButtons, Menu } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { MateriaIcon, Icon } from "../ui/icons.tsx";
import { FileConflictBar } from "../dialogs/file-conflict.tsx";
import { useKeysOutsideDialogs } from "../browser/keyboard.ts";
import { navigate, hrefOf, type PageProps } from "../browser/route.ts";
import { toast, downloadText } from "../ui/toasts.tsx";
import { useScreenWidth } from "../browser/display.ts";
import { MateriaForm } from "./materia-form.tsx";
import { MateriaPreview } from "./materia-preview.tsx";
import { MateriaDialogs, type MateriaDialogName } from "./materia-dialogs.tsx";
import {
  isMateriaDirty,
  readMateriaDraft,
  type OpenMateriaDraft,
  useBundledMateriaText,
  loadoutsUsing,
  materiaDrafts,
} from "./materia-drafts.ts";
import { undoEntryStep, redoEntryStep, useEntryDraft } from "../data/entry-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import materiaSheet from "./materia.module.css";
import type { Materia } from "../../../core/model/materia.ts";
import { MateriaSearch } from "../dialogs/materia-search.tsx";
import { useStore } from "../browser/store.ts";

const css = bindSheets(materiaSheet);

export default function MateriaPage({ name }: PageProps): ReactElement {
  const { catalog, issues } = useCatalog();
  const draft = useEntryDraft(materiaDrafts, name, catalog);
  useEffect(() => {
    const first = catalog?.materia.keys().next().value;
    if (name === null && first !== undefined) navigate(hrefOf("materia", first));
  }, [name, catalog]);
  if (!catalog) return <div className={css("blank")}>{issues.map(({ message }) => message).join(" ")}</div>;
  if (draft) return <MateriaEditor draft={draft} catalog={catalog} />;
  if (name === null || catalog.materia.has(name)) return <div className={css("blank")} />;
  return (
    <div className={css("blank")}>
      <h1>{name}</h1>
      <p>There is no materia of this name.</p>
      <a className={css("control-button")} href={hrefOf("materia")}>
        All materia
      </a>
    </div>
  );
}

function MateriaEditor({ draft, catalog }: { draft: OpenMateriaDraft; catalog: Catalog }): ReactElement {
  const [open, setOpen] = useState<MateriaDialogName | null>(null);
  const width = useScreenWidth();
  const { name } = draft;
  const { value, issues } = readMateriaDraft(draft);
  const isOff = isMateriaDirty(draft) ? null : "Nothing to save";
  useKeysOutsideDialogs({
    "ctrl+s": () => (isOff === null ? setOpen("review") : toast({ text: `${isOff}.` })),
    "ctrl+z": () => undoEntryStep(materiaDrafts, name),
    "ctrl+shift+z": () => redoEntryStep(materiaDrafts, name),
  });
  const list = <MateriaList catalog={catalog} chosen={name} open={setOpen} />;
  return (
    <>
      <MateriaToolbar draft={draft} catalog={catalog} open={setOpen} off={isOff} />
      {draft.isOutdated && <FileConflictBar name={name} onCompare={() => setOpen("review")} />}
      <div className={css("materia-grid")}>
        {width === "large" && (
          <aside className={css("side-panel")} aria-label="All materia">
            {list}
          </aside>
        )}
        <MateriaForm draft={draft} value={value} issues={issues} />
        <MateriaPreview name={name} value={value} catalog={catalog} />
      </div>
      {open === "list" && (
        <Dialog
          title="All materia"
          onClose={() => setOpen(null)}
          className={css(width === "small" ? "sheet" : "drawer")}
        >
          <div className={css("side-panel")}>{list}</div>
        </Dialog>
      )}
      <MateriaDialogs open={open} draft={draft} catalog={catalog} onClose={() => setOpen(null)} />
    </>
  );
}

function MateriaToolbar(props: {
  readonly draft: OpenMateriaDraft;
  readonly catalog: Catalog;
  readonly open: (open: MateriaDialogName) => void;
  readonly off: string | null;
}): ReactElement {
  const { draft, catalog, open, off } = props;
  const width = useScreenWidth();
  const { name, history } = draft;
  const { value } = readMateriaDraft(draft);
  const entry = catalog.materia.get(name);
  const layer = draft.layer ?? entry?.layer ?? "project";
  const replaces = useBundledMateriaText(name) !== null && layer !== "bundled";
  const notes = [
    ...(replaces ? ["replaces bundled"] : []),
    ...(layer === "bundled" ? ["edits are saved as your own copy"] : []),
    `used by ${countedText(loadoutsUsing(catalog, name).length, "loadout")}`,
    ...(isMateriaDirty(draft) ? ["not saved"] : []),
  ];
  return (
    <div className={css("toolbar")} role="toolbar" aria-label="Materia">
      <MateriaIcon materia={value ?? entry?.value} size="lg" />
      <h1 className={css("thing")}>{name}</h1>
      <span className={css("badge capital")}>{layer}</span>
      <span className={css("faint")}>{notes.join(" · ")}</span>
      <span className={css("grow")} />
      {width !== "large" && <Button onClick={() => open("list")}>Show all materia</Button>}
      <UndoRedoButtons
        history={history}
        onUndo={() => undoEntryStep(materiaDrafts, name)}
        onRedo={() => redoEntryStep(materiaDrafts, name)}
      />
      {width === "large" && (
        <Button
          off={replaces || draft.filed !== null ? null : "No saved or bundled version to compare with"}
          onClick={() => open("compare")}
        >
          {replaces ? "Compare with bundled…" : "Compare with saved…"}
        </Button>
      )}
      <Button icon="play" onClick={() => open("rehearse")}>
        Rehearse…
      </Button>
      <MoreMenu draft={draft} layer={layer} open={open} />
      <Button look="primary" off={off} onClick={() => open("review")}>
        Review and save…
      </Button>
    </div>
  );
}

function MoreMenu(props: {
  readonly draft: OpenMateriaDraft;
  readonly layer: string;
  readonly open: (open: MateriaDialogName) => void;
}): ReactElement {
  const { draft, layer, open } = props;
  const off = layer === "project" || layer === "user" ? null : `It is ${layer} and cannot be changed there`;
  const exported = (): void => {
    const { name, history } = draft;
    downloadText(`${name}.json`, exportText({ materia: [{ name, text: history.present.text }] }));
  };
  return (
    <Menu
      icon="more"
      label="Rename, duplicate, export, delete"
      items={() => [
        { label: "New materia…", act: () => open("new") },
        { label: "Duplicate…", act: () => open("duplicate") },
        { label: "Rename…", act: () => open("rename"), off },
        { label: "Export", act: exported },
        { label: "Delete…", act: () => open("delete"), off },
      ]}
    />
  );
}

function MateriaList(props: {
  readonly catalog: Catalog;
  readonly chosen: string;
  readonly open: (open: MateriaDialogName) => void;
}): ReactElement {
  const { catalog, chosen, open } = props;
  const drafts = useStore(materiaDrafts);
  const fresh = [...drafts.values()].filter(({ name }) => !catalog.materia.has(name)).map(({ name }) => ({ name }));
  return (
    <>
      <MateriaSearch
        catalog={catalog}
        first={{ title: "Not saved", entries: fresh }}
        draw={(entry) => <MateriaItem {...entry} isChosen={entry.name === chosen} />}
      />
      <div className={css("padded")}>
        <Button icon="plus" className={css("whole-width")} onClick={() => open("new")}>
          New materia
        </Button>
        <Button className={css("whole-width")} onClick={() => open("describe")}>
          Describe…
        </Button>
      </div>
    </>
  );
}

function MateriaItem(props: {
  readonly name: string;
  readonly value?: Materia | undefined;
  readonly isChosen: boolean;
}): ReactElement {
  const { name, value, isChosen } = props;
  const draft = useStore(materiaDrafts).get(name);
  return (
    <a className={css("side-row")} href={hrefOf("materia", name)} aria-current={isChosen ? "page" : undefined}>
      <MateriaIcon materia={value} size="sm" />
      <span className={css("cut grow")}>{name}</span>
      {draft && isMateriaDirty(draft) && (
        <span className={css("unsaved")} title="Not saved">
          <span className={css("spoken")}>not saved</span>
        </span>
      )}
      {!value && !draft && (
        <span className={css("status bad")}>
          <Icon name="warning" />
          <span className={css("spoken")}>broken</span>
        </span>
      )}
    </a>
  );
}
