import { useEffect } from "react";
import * as v from "valibot";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/catalog/layer.ts";
import { entryText } from "../../../core/edit/config-text.ts";
import type { MateriaText } from "../../../core/edit/loadout-draft.ts";
import {
  recordStep,
  redo,
  restoreHistory,
  serializeHistory,
  startHistory,
  StoredHistory,
  undo,
  type UndoHistory,
} from "../../../core/edit/undo-history.ts";
import { EditableLayer } from "../../../core/wire/catalog.ts";
import { useStore } from "../browser/store.ts";
import { createDraftStore, type DraftCodec, type DraftStore } from "../browser/unsaved-drafts.ts";
import { getConfig } from "../net/api.ts";

interface EntryContent {
  readonly text: string;
}

/** A loadout or materia that is open for editing, with its undo history. */
export interface EntryDraft<T> {
  readonly name: string;
  readonly history: UndoHistory<T>;
  /** The file to save to; null for a read-only entry. */
  readonly layer: EditableLayer | null;
  /** The content when it was opened or saved, to list changes. */
  readonly base: T;
  /** The text in the file when it was opened; null for a new entry. Another text there is a change by somebody else. */
  readonly filed: string | null;
  /** The entry that this one was copied from. */
  readonly from: string | null;
  readonly was: string | null;
  /** [E24] The entry changed in the file after it was opened. */
  readonly isOutdated: boolean;
  /** [E16] Imported materia that are saved with it. */
  readonly brings: readonly MateriaText[];
}

interface EntryKind<T, V> {
  readonly kind: "loadout" | "materia";
  readonly section: "loadouts" | "materia";
  readonly entryOf: (catalog: Catalog, name: string) => CatalogEntry<V> | undefined;
  readonly fromText: (name: string, text: string, before?: T) => T;
  readonly fromValue: (name: string, value: V | undefined) => T;
  readonly isDirty: (draft: EntryDraft<T>) => boolean;
}

export interface EntryDrafts<T, V> extends DraftStore<EntryDraft<T>>, EntryKind<T, V> {}

/** [E23] Drafts survive the page until they are saved or discarded. */
export function createEntryDrafts<T extends EntryContent, V>(kind: EntryKind<T, V>): EntryDrafts<T, V> {
  return { ...createDraftStore(kind.kind, entryCodec(kind)), ...kind };
}

const StoredEntryDraft = v.object({
  history: StoredHistory,
  layer: v.nullable(EditableLayer),
  base: v.optional(v.string()),
  filed: v.nullable(v.string()),
  from: v.optional(v.nullable(v.string()), null),
  was: v.nullable(v.string()),
  brings: v.optional(v.array(v.object({ name: v.string(), text: v.string() })), []),
});

function entryCodec<T extends EntryContent, V>(kind: EntryKind<T, V>): DraftCodec<EntryDraft<T>> {
  return {
    write: (draft) => {
      const { history, layer, base, filed, from, was, brings } = draft;
      if (!kind.isDirty(draft)) return null;
      const steps = serializeHistory(history, ({ text }) => text);
      return { history: steps, layer, base: base.text, filed, from, was, brings };
    },
    read: (name, stored) => {
      const { history, base, ...rest } = v.parse(StoredEntryDraft, stored);
      return {
        ...rest,
        name,
        history: restoreHistory(history, (text, before) => kind.fromText(name, text, before)),
        base: kind.fromText(name, base ?? rest.filed ?? ""),
        isOutdated: false,
      };
    },
  };
}

/** The draft of this name; opens the entry of the catalog when there is none. */
export function useEntryDraft<T extends EntryContent, V>(
  drafts: EntryDrafts<T, V>,
  name: string | null,
  catalog: Catalog | null,
): EntryDraft<T> | null {
  const draft = useStore(drafts).get(name ?? "");
  const entry = name === null || !catalog ? undefined : drafts.entryOf(catalog, name);
  useEffect(() => {
    if (draft && hasEdits(drafts, draft)) void updateOutdated(drafts, draft.name);
    else if (entry) void openEntry(drafts, entry);
    // Only a change of the files opens the entry again; an edit must not.
  }, [entry, catalog]);
  return draft ?? null;
}

function hasEdits<T, V>({ isDirty }: EntryDrafts<T, V>, draft: EntryDraft<T>): boolean {
  const { past, future } = draft.history;
  return draft.layer !== null && (past.length > 0 || future.length > 0 || isDirty(draft));
}

async function updateOutdated<T extends EntryContent, V>(drafts: EntryDrafts<T, V>, name: string): Promise<void> {
  const layer = drafts.get().get(name)?.layer ?? null;
  const file = layer && (await getConfig(layer));
  const draft = drafts.get().get(name);
  if (!draft || !file || (!file.ok && file.status !== 404)) return;
  const text = (file.ok && entryText(file.value.text, drafts.section, draft.was ?? name)) || null;
  const isOutdated = text !== draft.filed && text !== draft.history.present.text;
  if (isOutdated !== draft.isOutdated) drafts.put(name, { ...draft, isOutdated });
}

async function openEntry<T extends EntryContent, V>(
  drafts: EntryDrafts<T, V>,
  { name, layer, value }: CatalogEntry<V>,
): Promise<void> {
  const editable = layer === "user" || layer === "project" ? layer : null;
  const file = editable && (await getConfig(editable));
  // The catalog reloads when the server is back, and that opens the entry again. An empty draft would look like its content.
  if (file && !file.ok) return;
  const open = drafts.get().get(name);
  if (open && hasEdits(drafts, open)) return;
  const filed = file?.ok ? (entryText(file.value.text, drafts.section, name) ?? null) : null;
  const base = filed === null ? drafts.fromValue(name, value) : drafts.fromText(name, filed);
  // A new draft would end a rehearsal that is shown in its place.
  if (open?.layer === editable && open.filed === filed && open.base.text === base.text) return;
  drafts.put(name, { ...newEntryDraft(name, base), layer: editable, filed });
}

/** A draft that no file contains. */
export function newEntryDraft<T>(name: string, base: T): EntryDraft<T> {
  const history = startHistory(base);
  return { name, history, layer: "project", base, filed: null, from: null, was: null, isOutdated: false, brings: [] };
}

export function undoEntryStep<T, V>(drafts: EntryDrafts<T, V>, name: string): void {
  drafts.update(name, (draft) => ({ ...draft, history: undo(draft.history) }));
}

export function redoEntryStep<T, V>(drafts: EntryDrafts<T, V>, name: string): void {
  drafts.update(name, (draft) => ({ ...draft, history: redo(draft.history) }));
}

/** Renames the draft; the save renames the entry in its file. */
export function renameEntryDraft<T, V>(drafts: EntryDrafts<T, V>, name: string, to: string): void {
  const draft = drafts.get().get(name);
  if (!draft) return;
  drafts.put(name, null);
  drafts.put(to, { ...draft, name: to, was: draft.filed === null ? null : (draft.was ?? name) });
}

/** The file now has the content of the draft. Undo still goes back. */
export function markEntrySaved<T extends EntryContent, V>(
  drafts: EntryDrafts<T, V>,
  name: string,
  layer: EditableLayer,
): void {
  drafts.update(name, ({ history }) => ({
    ...newEntryDraft(name, history.present),
    history,
    layer,
    filed: history.present.text,
  }));
}

/** The text that a person chose after a conflict, and the text of the file. */
export interface ConflictResolution {
  readonly text: string;
  readonly filed: string;
}

/** Replaces the content with the file's or the merged one. Undo brings the edited content back. */
export function resolveEntryConflict<T, V>(
  drafts: EntryDrafts<T, V>,
  name: string,
  resolved: ConflictResolution,
): void {
  const { text, filed } = resolved;
  drafts.update(name, (draft) => ({
    ...draft,
    history: recordStep(draft.history, drafts.fromText(name, text), text === filed ? "Take theirs" : "Take both"),
    base: drafts.fromText(name, filed),
    filed,
    isOutdated: false,
  }));
}
