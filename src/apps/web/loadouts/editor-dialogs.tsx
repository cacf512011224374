import type { ReactElement } from "react";
import { missingMateria, type ImportedConfig } from "../../../core/edit/import-export.ts";
import { CastLoadoutDialog } from "../dialogs/cast-loadout-dialog.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { SaveReviewDialog } from "../dialogs/save-review-dialog.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import { toast } from "../ui/toasts.tsx";
import {
  useEditor,
  type EditorDialogName,
  createLoadoutDraft,
  unsavedConfigOf,
  restoreLoadoutDraft,
  type OpenLoadoutDraft,
  loadoutDrafts,
} from "../loadout-editor/editor.ts";
import { addSocketAfter, addSocketIntoEdge, focusedPart } from "../loadout-editor/use-editor-keys.ts";
import { renameEntryDraft, markEntrySaved, resolveEntryConflict } from "../data/entry-drafts.ts";
import { useStore } from "../browser/store.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { PickMateriaDialog } from "./materia-palette.tsx";
import { CompareLoadoutsDialog, ImportLoadoutsDialog, NewLoadoutDialog } from "./loadout-dialogs.tsx";
import { NameDialog, nextFreeName } from "../dialogs/name-dialog.tsx";

interface EditorDialogProps {
  readonly onClose: () => void;
  /** Called when a rehearsal has started. */
  readonly onRehearsed: (castId: string) => void;
  readonly onAdded: (id: string) => void;
}

/** The open dialog. */
export function EditorDialogs(
  props: EditorDialogProps & { readonly dialog: EditorDialogName | null },
): ReactElement | null {
  switch (props.dialog) {
    case "add":
      return <AddSocketDialog {...props} />;
    case "review":
      return <SaveLoadoutDialog {...props} />;
    case "compare":
      return <CompareDraftDialog {...props} />;
    case "import":
      return <ImportDraftsDialog {...props} />;
    case "new":
      return <CreateLoadoutDialog {...props} />;
    case "duplicate":
    case "rename":
      return <NameLoadoutDialog {...props} what={props.dialog} />;
    case "delete":
      return <DeleteLoadoutDialog {...props} />;
    case "rehearse":
      return <RehearseDraftDialog {...props} />;
    case "cast":
      return <CastDraftDialog {...props} />;
    case "palette":
    case "inspector":
    case "problems":
    case null:
      // The page itself shows these panels.
      return null;
  }
}

function AddSocketDialog({ onClose, onAdded }: EditorDialogProps): ReactElement {
  const editor = useEditor();
  const part = focusedPart() ?? editor.selected[0];
  const after = part?.kind === "socket" ? part.id : null;
  const edge = part?.kind === "edge" ? part.id : null;
  return (
    <PickMateriaDialog
      catalog={editor.catalog}
      after={after !== null && editor.loadout.sockets[after]?.edges.length === 0 ? after : null}
      onClose={onClose}
      onAdd={(materia) => {
        const id = edge === null ? addSocketAfter(editor, materia, after) : addSocketIntoEdge(editor, materia, edge);
        onClose();
        if (id !== null) onAdded(id);
      }}
    />
  );
}

function SaveLoadoutDialog({ onClose }: EditorDialogProps): ReactElement {
  const { name, draft, checked } = useEditor();
  const { text } = draft.history.present;
  return (
    <SaveReviewDialog
      title={`Save ${name}`}
      action="Save"
      layer={draft.layer ?? "project"}
      saving={{ section: "loadouts", name, text, filed: draft.filed, was: draft.was, carriedMateria: draft.brings }}
      problems={checked.problems.map(({ issue }) => issue)}
      onClose={onClose}
      onSaved={(layer) => {
        markEntrySaved(loadoutDrafts, name, layer);
        onClose();
        toast({ text: `${name} is saved.`, tone: "ok" });
      }}
      onTake={(taken) => {
        resolveEntryConflict(loadoutDrafts, name, taken);
        onClose();
        toast({ text: `${taken.text === taken.filed ? "Theirs is" : "Both are"} shown. Undo brings yours back.` });
      }}
    />
  );
}

function DeleteLoadoutDialog({ onClose }: EditorDialogProps): ReactElement {
  const { name, draft } = useEditor();
  const leave = (): void => {
    loadoutDrafts.put(name, null);
    onClose();
    navigate(hrefOf("loadouts"));
    toast({ text: `${name} is deleted.`, tone: "ok", action: { label: "Undo", act: () => restoreDeleted(draft) } });
  };
  // A draft without a file needs no change of a file.
  if (draft.filed === null) {
    return (
      <ConfirmDialog title={`Delete ${name}`} action="Delete" danger onClose={onClose} onAct={leave}>
        <p>{`${name} was never saved. Deleting it discards your work.`}</p>
      </ConfirmDialog>
    );
  }
  return (
    <SaveReviewDialog
      title={`Delete ${name}`}
      action="Delete"
      layer={draft.layer ?? "project"}
      saving={{ section: "loadouts", name: draft.was ?? name, text: null, filed: draft.filed, was: null }}
      problems={[]}
      onClose={onClose}
      onSaved={leave}
    />
  );
}

/** [E26] Restores the draft; only a save writes it. */
function restoreDeleted(draft: OpenLoadoutDraft): void {
  restoreLoadoutDraft(draft);
  navigate(hrefOf("loadouts", draft.name));
}

function CompareDraftDialog({ onClose }: EditorDialogProps): ReactElement {
  const { name, draft, loadout, catalog } = useEditor();
  const saved = draft.filed === null ? null : draft.base.loadout;
  return (
    <CompareLoadoutsDialog
      name={name}
      loadout={loadout}
      saved={saved}
      catalog={catalog}
      initial={draft.from}
      onClose={onClose}
    />
  );
}

function ImportDraftsDialog({ onClose }: EditorDialogProps): ReactElement {
  const { catalog } = useEditor();
  const drafts = useStore(loadoutDrafts);
  const taken = (each: string): boolean => catalog.loadouts.has(each) || drafts.has(each);
  const take = ({ loadouts, materia }: ImportedConfig): void => {
    let first: string | undefined;
    for (const { name, draft } of loadouts) {
      const free = taken(name) ? nextFreeName(name, taken) : name;
      createLoadoutDraft(free, draft, { brings: missingMateria(draft.loadout, materia, catalog) });
      first ??= free;
    }
    onClose();
    if (first !== undefined) navigate(hrefOf("loadouts", first));
  };
  return <ImportLoadoutsDialog catalog={catalog} onClose={onClose} onImport={take} />;
}

function CreateLoadoutDialog({ onClose }: EditorDialogProps): ReactElement {
  const { catalog } = useEditor();
  const drafts = useStore(loadoutDrafts);
  return (
    <NewLoadoutDialog
      catalog={catalog}
      taken={(each) => catalog.loadouts.has(each) || drafts.has(each)}
      onClose={onClose}
    />
  );
}

function NameLoadoutDialog({
  what,
  onClose,
}: EditorDialogProps & { readonly what: "duplicate" | "rename" }): ReactElement {
  const { name, draft, catalog } = useEditor();
  const drafts = useStore(loadoutDrafts);
  const taken = (each: string): boolean => catalog.loadouts.has(each) || drafts.has(each);
  const act = (next: string): void => {
    if (what === "duplicate") createLoadoutDraft(next, draft.history.present, { from: name, brings: draft.brings });
    else renameEntryDraft(loadoutDrafts, name, next);
    onClose();
    navigate(hrefOf("loadouts", next));
  };
  return (
    <NameDialog
      title={what === "duplicate" ? `Duplicate ${name}` : `Rename ${name}`}
      action={what === "duplicate" ? "Duplicate" : "Rename"}
      initial={what === "rename" ? name : nextFreeName(name, taken)}
      taken={taken}
      note={what === "rename" ? "The save changes the file." : "Only a save writes the file."}
      onClose={onClose}
      onName={act}
    />
  );
}

function RehearseDraftDialog({ onClose, onRehearsed }: EditorDialogProps): ReactElement {
  const { name, draft, checked } = useEditor();
  const unsaved = unsavedConfigOf(draft);
  return (
    <RehearseDialog
      title={`Rehearse ${name}`}
      graph={checked.graph}
      target={{ loadout: name, ...(unsaved ? { draft: unsaved } : {}) }}
      warning={unsaved ? "The rehearsal uses your unsaved changes. Only a save writes the file." : null}
      onBegun={onRehearsed}
      onClose={onClose}
    />
  );
}

function CastDraftDialog({ onClose }: EditorDialogProps): ReactElement {
  const { name, draft, checked } = useEditor();
  const errors = checked.problems.filter(({ issue }) => issue.severity === "error").length;
  const off = errors === 0 ? null : `It has ${errors} ${errors === 1 ? "error" : "errors"}`;
  return <CastLoadoutDialog loadout={name} draft={unsavedConfigOf(draft)} off={off} onClose={onClose} />;
}
