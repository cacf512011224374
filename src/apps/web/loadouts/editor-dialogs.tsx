import type { ReactElement } from "react";
import { catalogEntryOf } from "../../../core/edit/loadout-draft.ts";
import NewCastDialog from "../dialogs/new-cast-dialog.tsx";
import { RehearseDialog } from "../dialogs/rehearse-dialog.tsx";
import { DeleteEntryDialog, NameEntryDialog, SaveEntryDialog } from "../dialogs/entry-dialogs.tsx";
import {
  useEditor,
  type EditorDialogName,
  createLoadoutDraft,
  unsavedConfigOf,
  restoreLoadoutDraft,
  loadoutDrafts,
} from "../loadout-editor/editor.ts";
import { addSocketAfter, addSocketIntoEdge, focusedPart } from "../loadout-editor/use-editor-keys.ts";
import { PickMateriaDialog } from "./materia-palette.tsx";
import { CompareLoadoutsDialog, ImportLoadoutsDialog, NewLoadoutDialog, useTakenNames } from "./loadout-dialogs.tsx";

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
      return <CompareLoadoutsDialog {...props} />;
    case "import":
      return <ImportLoadoutsDialog {...props} />;
    case "new":
      return <NewLoadoutDialog {...props} />;
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
  const { draft, checked } = useEditor();
  const problems = checked.problems.map(({ issue }) => issue);
  return <SaveEntryDialog drafts={loadoutDrafts} draft={draft} problems={problems} onClose={onClose} />;
}

function DeleteLoadoutDialog({ onClose }: EditorDialogProps): ReactElement {
  const { draft } = useEditor();
  const restore = (): void => restoreLoadoutDraft(draft);
  return <DeleteEntryDialog drafts={loadoutDrafts} draft={draft} onRestore={restore} onClose={onClose} />;
}

function NameLoadoutDialog({
  what,
  onClose,
}: EditorDialogProps & { readonly what: "duplicate" | "rename" }): ReactElement {
  const { name, draft } = useEditor();
  const taken = useTakenNames();
  return (
    <NameEntryDialog
      drafts={loadoutDrafts}
      draft={draft}
      what={what}
      taken={taken}
      onClose={onClose}
      onDuplicate={(next) => createLoadoutDraft(next, draft.history.present, { from: name, brings: draft.brings })}
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
  const { name, draft, checked, catalog } = useEditor();
  const entry = catalogEntryOf(name, draft.history.present);
  const shown = { ...catalog, loadouts: new Map([...catalog.loadouts, [name, entry]]) };
  const errors = checked.problems.filter(({ issue }) => issue.severity === "error").length;
  const off = errors === 0 ? null : `It has ${errors} ${errors === 1 ? "error" : "errors"}`;
  return <NewCastDialog loadout={name} draft={unsavedConfigOf(draft)} catalog={shown} off={off} onClose={onClose} />;
}
