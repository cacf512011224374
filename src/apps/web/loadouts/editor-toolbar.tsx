import type { ReactElement } from "react";
import { compareLoadouts } from "../../../core/edit/compare-loadouts.ts";
import { resetLayout } from "../../../core/edit/loadout-edit.ts";
import { Button, UndoRedoButtons, Menu, type MenuItem } from "../ui/buttons.tsx";
import { useScreenWidth } from "../browser/display.ts";
import {
  useEditor,
  revertLoadoutDraft,
  isDirty,
  type OpenLoadoutDraft,
  loadoutDrafts,
} from "../loadout-editor/editor.ts";
import { makeLoopFrom, socketIdsIn } from "../loadout-editor/use-editor-keys.ts";
import type { EditorDialogName } from "./editor-dialogs.tsx";
import { undoEntryStep } from "../data/entry-drafts.ts";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { activateLoadout } from "../data/catalog-changes.ts";
import { toast, downloadText } from "../ui/toasts.tsx";
import { bindSheets } from "../ui/classes.ts";
import editorSheet from "./editor.module.css";
import { exportText, requiredMateria } from "../../../core/edit/loadout-draft.ts";
import { entryText } from "../../../core/edit/config-text.ts";
import { getConfig } from "../net/api.ts";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(editorSheet);

export function EditorToolbar({ open }: { readonly open: (dialog: EditorDialogName) => void }): ReactElement {
  const editor = useEditor();
  const { name, draft, loadout, readOnly, apply, catalog, undo, redo, selected, checked } = editor;
  const isPlaced = Object.keys(loadout.layout).length > 0;
  const arranging: readonly MenuItem[] = [
    { label: "Loop from selection", act: () => makeLoopFrom(editor, socketIdsIn(selected)), off: readOnly },
    {
      label: "Tidy layout",
      act: () => apply("Tidy the layout", resetLayout),
      off: readOnly ?? (isPlaced ? null : "Nothing was placed by hand"),
    },
  ];
  const trying: readonly MenuItem[] = [
    { label: "Compare…", act: () => open("compare") },
    { label: "Rehearse…", act: () => open("rehearse") },
    { label: "Cast…", act: () => open("cast") },
  ];
  const worst = `Worst case: ${checked.worst ?? "unknown"}`;
  const width = useScreenWidth();
  const layer = draft.layer ?? catalog.loadouts.get(name)?.layer ?? "bundled";
  return (
    <div className={css("toolbar")} role="toolbar" aria-label="Loadout">
      <h1 className={css("thing cut loadout-name")}>{name}</h1>
      <span className={css("badge capital")}>{layer}</span>
      {catalog.settings.activeLoadout.value === name && (
        <span className={css("badge")} title="What cast runs when no loadout is named">
          Active
        </span>
      )}
      <DraftProvenance />
      <span className={css("divider")} />
      <UndoRedoButtons history={draft.history} onUndo={undo} onRedo={redo} />
      {width === "large" && <ActionButtons look="bare" actions={arranging} />}
      <span className={css("secondary worst-case cut")} title={worst}>
        {worst.split(";", 1)}
      </span>
      <span className={css("divider")} />
      {width === "large" && <ActionButtons look="plain" actions={trying} />}
      <MoreMenu open={open} first={width === "large" ? [] : [...arranging, ...trying]} />
      {readOnly === null ? (
        <Button look="primary" off={isDirty(draft) ? null : "Nothing to save"} onClick={() => open("review")}>
          Review and save…
        </Button>
      ) : (
        <Button look="primary" onClick={() => open("duplicate")}>
          Duplicate to edit…
        </Button>
      )}
    </div>
  );
}

function ActionButtons(props: { readonly look: "bare" | "plain"; readonly actions: readonly MenuItem[] }) {
  return props.actions.map(({ label, act, off }) => (
    <Button key={label} look={props.look} off={off} onClick={act}>
      {label}
    </Button>
  ));
}

function DraftProvenance(): ReactElement | null {
  const { draft, readOnly } = useEditor();
  if (readOnly !== null) return <span className={css("faint")}>read-only</span>;
  const count = compareLoadouts(draft.base.loadout, draft.history.present.loadout).length;
  const parts = [
    ...(draft.from === null ? [] : [`from ${draft.from}`]),
    ...(draft.was === null ? [] : [`was ${draft.was}`]),
    ...(draft.filed === null ? ["not saved yet"] : []),
    ...(count > 0 ? [countedText(count, "change")] : isDirty(draft) && draft.filed !== null ? ["changed"] : []),
  ];
  return parts.length === 0 ? null : <span className={css("faint")}>{parts.join(" · ")}</span>;
}

function MoreMenu(props: {
  readonly open: (dialog: EditorDialogName) => void;
  /** What has no room beside the menu. */
  readonly first: readonly MenuItem[];
}): ReactElement {
  const { open, first } = props;
  const { name, draft, readOnly, catalog } = useEditor();
  const isActive = catalog.settings.activeLoadout.value === name;
  const isNew = "It is not saved yet";
  const whyNotActivatable = isActive ? "It is already active" : catalog.loadouts.has(name) ? null : isNew;
  const whyNotRevertible = draft.filed === null ? isNew : isDirty(draft) ? null : "Nothing has changed";
  const discard = (): void => {
    revertLoadoutDraft(name);
    toast({
      text: `${name} has the content of its file again.`,
      action: { label: "Undo", act: () => undoEntryStep(loadoutDrafts, name) },
    });
  };
  return (
    <Menu
      icon="more"
      label="Rename, duplicate, import, export, delete"
      items={() => [
        ...first,
        { label: "Make active", act: () => void activateLoadout(name), off: whyNotActivatable },
        { label: "Discard changes", act: discard, off: whyNotRevertible },
        { label: "Explain…", act: () => open("explain") },
        { label: "New loadout…", act: () => open("new") },
        { label: "Duplicate…", act: () => open("duplicate") },
        { label: "Rename…", act: () => open("rename"), off: readOnly },
        { label: "Import…", act: () => open("import") },
        { label: "Export", act: () => void exportLoadout(draft, catalog) },
        { label: "Delete…", act: () => open("delete"), off: readOnly },
      ]}
    />
  );
}

/** [E16] Exports the draft with the materia that it needs, in the text of their files. */
async function exportLoadout({ name, history, brings }: OpenLoadoutDraft, catalog: Catalog): Promise<void> {
  const files = await Promise.all((["user", "project"] as const).map((layer) => getConfig(layer)));
  const texts = files.flatMap((file) => (file.ok ? [{ layer: file.value.layer, text: file.value.text }] : []));
  const textOf = (materia: string): string | undefined => {
    const layer = catalog.materia.get(materia)?.layer;
    const file = texts.find((each) => each.layer === layer);
    return (file && entryText(file.text, "materia", materia)) ?? brings.find((each) => each.name === materia)?.text;
  };
  const { loadout, text } = history.present;
  const materia = requiredMateria(loadout, catalog, textOf);
  downloadText(`${name}.json`, exportText({ materia, loadouts: [{ name, text }] }));
}
