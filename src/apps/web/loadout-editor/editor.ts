import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { type LoadoutEdit, EMPTY_LOADOUT } from "../../../core/edit/loadout-edit.ts";
import {
  applyGraphEdit,
  applyTextEdit,
  draftFromLoadout,
  draftFromText,
  type LoadoutDraft,
  type MateriaText,
} from "../../../core/edit/loadout-draft.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import type { GraphPart } from "../graph/graph-marks.ts";
import { toast } from "../ui/toasts.tsx";
import { useCheckedDraft, type CheckedDraft } from "./check-draft.ts";
import {
  undoEntryStep,
  redoEntryStep,
  createEntryDrafts,
  newEntryDraft,
  type EntryDraft,
  type EntryDrafts,
} from "../data/entry-drafts.ts";
import { parseJsonc } from "../../../core/edit/json-edit.ts";
import { endStepGroup, recordStep } from "../../../core/edit/undo-history.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";

/** The shared state of the editor: draft, selection and edits. */
export interface Editor {
  readonly name: string;
  readonly draft: OpenLoadoutDraft;
  readonly loadout: Loadout;
  readonly catalog: Catalog;
  readonly checked: CheckedDraft;
  /** Why the loadout is read-only; null if it is editable. */
  readonly readOnly: string | null;
  readonly selected: readonly GraphPart[];
  readonly select: (...parts: readonly GraphPart[]) => void;
  /** Applies one undo step; null after a refusal, which a notice shows. */
  readonly apply: (what: string, edit: LoadoutEdit, kind?: string) => Loadout | null;
  /** [E26] Applies a removal, with Undo in its notice. */
  readonly remove: (what: string, edit: LoadoutEdit) => Loadout | null;
  readonly type: (text: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
}

const EditorContext = createContext<Editor | null>(null);

export const EditorProvider = EditorContext.Provider;

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("a part of the editor stands outside of it");
  return editor;
}

export function useEditorState(draft: OpenLoadoutDraft, catalog: Catalog): Editor {
  const { name, history, layer } = draft;
  const content = history.present;
  const checked = useCheckedDraft(name, content, catalog);
  const [selected, setSelected] = useState<readonly GraphPart[]>([]);
  const source = catalog.loadouts.get(name)?.layer ?? "bundled";
  const readOnly = layer === null ? `${name} is ${source} and read-only. Duplicate it to change it.` : null;
  const apply = useCallback(
    (what: string, edit: LoadoutEdit, kind?: string): Loadout | null => {
      if (readOnly !== null) {
        toast({ text: readOnly });
        return null;
      }
      const result = edit(content.loadout);
      if (!result.ok) {
        const [issue] = result.issues;
        toast({ text: `Not possible: ${issue?.message ?? ""}${issue?.hint === undefined ? "" : `; ${issue.hint}`}.` });
        return null;
      }
      changeLoadoutDraft(name, applyGraphEdit(content, name, result.value), what, kind);
      return result.value;
    },
    [content, name, readOnly],
  );
  const remove = useCallback(
    (what: string, edit: LoadoutEdit): Loadout | null => {
      const removed = apply(what, edit);
      if (removed)
        toast({
          text: `${what.replace(/^(Delete|Remove)\b/, (word) => `${word}d`)}.`,
          action: { label: "Undo", act: () => undoIfLast(name, what) },
        });
      return removed;
    },
    [apply, name],
  );
  const type = useCallback(
    (text: string) => changeLoadoutDraft(name, applyTextEdit(content, name, text), "Edit the JSON", "json"),
    [content, name],
  );
  return useMemo(
    () => ({
      name,
      draft,
      loadout: content.loadout,
      catalog,
      checked,
      readOnly,
      selected: selected.filter((part) => partExists(part, content.loadout)),
      select: (...parts) => setSelected(parts),
      apply,
      remove,
      type,
      undo: () => undoEntryStep(loadoutDrafts, name),
      redo: () => redoEntryStep(loadoutDrafts, name),
    }),
    [name, draft, content, catalog, checked, readOnly, selected, apply, remove, type],
  );
}

/** A selected part may be gone after a removal or an undo. */
function partExists(part: GraphPart, loadout: Loadout): boolean {
  if (part.kind === "socket") return Object.hasOwn(loadout.sockets, part.id);
  if (part.kind === "loop") return Object.hasOwn(loadout.loops, part.id);
  return true;
}

/** The dialogs of the editor. */
export type EditorDialogName =
  | "add"
  | "review"
  | "compare"
  | "import"
  | "duplicate"
  | "rename"
  | "delete"
  | "rehearse"
  | "cast"
  | "new"
  | "describe"
  | "explain"
  | "palette"
  | "inspector"
  | "problems";

export type OpenLoadoutDraft = EntryDraft<LoadoutDraft>;

export const loadoutDrafts: EntryDrafts<LoadoutDraft, Loadout> = createEntryDrafts<LoadoutDraft, Loadout>({
  kind: "loadout",
  section: "loadouts",
  entryOf: (catalog, name) => catalog.loadouts.get(name),
  fromText: (name, text, before) => (before ? applyTextEdit(before, name, text) : draftFromText(name, text)),
  fromValue: (name, value) => draftFromLoadout(name, value ?? EMPTY_LOADOUT),
  isDirty,
});

export function isDirty({ layer, history, filed, was }: OpenLoadoutDraft): boolean {
  return layer !== null && (was !== null || filed === null || history.present.text !== filed);
}

/** A new loadout: empty, a copy or an import. Only a save writes a file. */
export function createLoadoutDraft(
  name: string,
  draft: LoadoutDraft,
  { from = null, brings = [] }: { readonly from?: string | null; readonly brings?: readonly MateriaText[] } = {},
): void {
  const base = from === null ? draftFromLoadout(name, EMPTY_LOADOUT) : draft;
  loadoutDrafts.put(name, { ...newEntryDraft(name, draft), base, from, brings });
}

function changeLoadoutDraft(name: string, next: LoadoutDraft, what: string, kind?: string): void {
  loadoutDrafts.update(name, (draft) =>
    draft.layer === null ? draft : { ...draft, history: recordStep(draft.history, next, what, kind) },
  );
}

/** [E28] The unsaved content, to cast it; null when the file has the same. */
export function unsavedConfigOf(draft: OpenLoadoutDraft): ConfigDraft | null {
  if (!isDirty(draft)) return null;
  const read = (text: string): unknown => {
    const parsed = parseJsonc(text);
    return parsed.ok ? parsed.value.value : null;
  };
  return {
    loadouts: { [draft.name]: read(draft.history.present.text) },
    materia: Object.fromEntries(draft.brings.map(({ name, text }) => [name, read(text)])),
  };
}

/** Undoes this step unless another one followed. */
function undoIfLast(name: string, what: string): void {
  if (loadoutDrafts.get().get(name)?.history.past.at(-1)?.what === what) undoEntryStep(loadoutDrafts, name);
}

/** The next typed letter starts a new undo step. */
export function closeUndoStep(name: string): void {
  loadoutDrafts.update(name, (draft) => ({ ...draft, history: endStepGroup(draft.history) }));
}

/** Back to the content of the file. Undo brings the changes back. */
export function revertLoadoutDraft(name: string): void {
  loadoutDrafts.update(name, (draft) => {
    if (draft.filed === null) return draft;
    const history = recordStep(draft.history, draftFromText(name, draft.filed), "Discard the changes");
    return { ...draft, history };
  });
}

/** The draft before a delete, unsaved. */
export function restoreLoadoutDraft(draft: OpenLoadoutDraft): void {
  loadoutDrafts.put(draft.name, { ...draft, filed: null, was: null, layer: draft.layer ?? "project" });
}
