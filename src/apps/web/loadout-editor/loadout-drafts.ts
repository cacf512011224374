import type { MateriaText } from "../../../core/edit/import-export.ts";
import { parseJsonc } from "../../../core/edit/json-text.ts";
import { applyTextEdit, draftFromLoadout, draftFromText, type LoadoutDraft } from "../../../core/edit/loadout-draft.ts";
import { EMPTY_LOADOUT } from "../../../core/edit/loadout-edit.ts";
import { endStepGroup, recordStep } from "../../../core/edit/undo-history.ts";
import type { Loadout } from "../../../core/model/loadout.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";
import {
  createEntryDrafts,
  newEntryDraft,
  undoEntryStep,
  type EntryDraft,
  type EntryDrafts,
} from "../data/entry-drafts.ts";

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

export function changeLoadoutDraft(name: string, next: LoadoutDraft, what: string, kind?: string): void {
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
export function undoIfLast(name: string, what: string): void {
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
