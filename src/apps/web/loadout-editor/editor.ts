import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { LoadoutEdit } from "../../../core/edit/loadout-edit.ts";
import { applyGraphEdit, applyTextEdit } from "../../../core/edit/loadout-draft.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import type { GraphPart } from "../graph/graph-marks.ts";
import { toast } from "../ui/toasts.tsx";
import { useCheckedDraft, type CheckedDraft } from "./check-draft.ts";
import { changeLoadoutDraft, undoIfLast, type OpenLoadoutDraft, loadoutDrafts } from "./loadout-drafts.ts";
import { undoEntryStep, redoEntryStep } from "../data/entry-drafts.ts";

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
  | "palette"
  | "inspector"
  | "problems";
