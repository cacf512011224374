import { useEffect } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { EMPTY_LOADOUT } from "../../../core/edit/loadout-edit.ts";
import {
  recordStep,
  startHistory,
  redo,
  endStepGroup,
  undo,
  type UndoHistory,
  StoredHistory,
  serializeHistory,
  restoreHistory,
} from "../../../core/edit/undo-history.ts";
import { draftFromLoadout, draftFromText, applyTextEdit, type LoadoutDraft } from "../../../core/edit/loadout-draft.ts";
import type { MateriaText } from "../../../core/edit/import-export.ts";
import { entryText } from "../../../core/edit/config-text.ts";
import * as v from "valibot";
import { createDraftStore } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { getConfig } from "../net/api.ts";
import type { ConfigDraft } from "../../../core/wire/commands.ts";
import { parseJsonc } from "../../../core/edit/json-text.ts";
import { EditableLayer } from "../../../core/wire/catalog.ts";

/** A loadout in hand, with all that was done to it; it outlives the page, so that looking elsewhere loses nothing. */
export interface OpenLoadoutDraft {
  readonly name: string;
  readonly history: UndoHistory<LoadoutDraft>;
  /** Where it is saved; null for one that can only be looked at. */
  readonly layer: EditableLayer | null;
  /** As it was opened, for what has changed. */
  readonly base: LoadoutDraft;
  /** Its text in the file as it was opened; null where it was not there. A file that says otherwise has changed. */
  readonly filed: string | null;
  /** What it was made from. */
  readonly from: string | null;
  /** Its name in the file, where it is renamed. */
  readonly was: string | null;
  /** [E24] Whether somebody else changed it in the file since it was opened. */
  readonly isOutdated: boolean;
  /** [E16] Materia that came with it and are saved with it. */
  readonly brings: readonly MateriaText[];
}

const StoredLoadoutDraft = v.object({
  history: StoredHistory,
  layer: EditableLayer,
  base: v.string(),
  filed: v.nullable(v.string()),
  from: v.nullable(v.string()),
  was: v.nullable(v.string()),
  brings: v.array(v.object({ name: v.string(), text: v.string() })),
});

/** [E23] What is not saved outlives the page as well. */
const draftStore = createDraftStore<OpenLoadoutDraft>("loadout", {
  write: (work) => {
    const { history, layer, base, filed, from, was, brings } = work;
    if (layer === null || !isDirty(work)) return null;
    return { history: serializeHistory(history, ({ text }) => text), layer, base: base.text, filed, from, was, brings };
  },
  read: (name, kept) => {
    const { history, base, ...rest } = v.parse(StoredLoadoutDraft, kept);
    const read = (text: string, before: LoadoutDraft | undefined): LoadoutDraft =>
      before ? applyTextEdit(before, name, text) : draftFromText(name, text);
    return {
      name,
      history: restoreHistory(history, read),
      base: draftFromText(name, base),
      ...rest,
      isOutdated: false,
    };
  },
});

const { put } = draftStore;

export function useLoadoutDrafts(): ReadonlyMap<string, OpenLoadoutDraft> {
  return useStore(draftStore);
}

export function isDirty({ history, filed, was }: OpenLoadoutDraft): boolean {
  return was !== null || filed === null || history.present.text !== filed;
}

/** The loadout of that name: in hand, or taken from its file. */
export function useLoadoutDraft(name: string | null, catalog: Catalog | null): OpenLoadoutDraft | null {
  const all = useLoadoutDrafts();
  const work = name === null ? undefined : all.get(name);
  const entry = name === null ? undefined : catalog?.loadouts.get(name);
  useEffect(() => {
    if (work && hasEdits(work)) void updateOutdated(work.name);
    else if (entry) void openLoadoutDraft(entry);
    // Only what the files say can make it be opened anew; what is done to it must not.
  }, [entry, catalog]);
  return work ?? null;
}

function hasEdits(work: OpenLoadoutDraft): boolean {
  const { past, future } = work.history;
  return work.layer !== null && (past.length > 0 || future.length > 0 || isDirty(work));
}

/** Whether its file still says what it said when it was opened. */
async function updateOutdated(name: string): Promise<void> {
  const layer = draftStore.get().get(name)?.layer ?? null;
  const file = layer && (await getConfig(layer));
  const work = draftStore.get().get(name);
  if (!work || !file || (!file.ok && file.status !== 404)) return;
  const now = (file.ok && entryText(file.value.text, "loadouts", work.was ?? name)) || null;
  const isOutdated = now !== work.filed && now !== work.history.present.text;
  if (isOutdated !== work.isOutdated) put(name, { ...work, isOutdated });
}

type LoadoutEntry = NonNullable<ReturnType<Catalog["loadouts"]["get"]>>;

async function openLoadoutDraft({ name, layer, value }: LoadoutEntry): Promise<void> {
  const editable = layer === "user" || layer === "project" ? layer : null;
  const file = editable && (await getConfig(editable));
  // A file that cannot be read now is asked for again when the server is back; an empty one in its place would be a lie.
  if (file && !file.ok) return;
  const known = draftStore.get().get(name);
  if (known && hasEdits(known)) return;
  const filed = file?.ok ? (entryText(file.value.text, "loadouts", name) ?? null) : null;
  const base = filed === null ? draftFromLoadout(name, value ?? EMPTY_LOADOUT) : draftFromText(name, filed);
  put(name, {
    name,
    history: startHistory(base),
    layer: editable,
    base,
    filed,
    from: null,
    was: null,
    isOutdated: false,
    brings: [],
  });
}

/** A new one: empty, a copy or an import. Nothing is written before it is saved. */
export function createLoadoutDraft(
  name: string,
  draft: LoadoutDraft,
  { from = null, brings = [] }: Partial<Pick<OpenLoadoutDraft, "from" | "brings">> = {},
): void {
  put(name, {
    name,
    history: startHistory(draft),
    layer: "project",
    base: from === null ? draftFromLoadout(name, EMPTY_LOADOUT) : draft,
    filed: null,
    from,
    was: null,
    isOutdated: false,
    brings,
  });
}

export function changeLoadoutDraft(name: string, draft: LoadoutDraft, what: string, kind?: string): void {
  const work = draftStore.get().get(name);
  if (work && work.layer !== null) put(name, { ...work, history: recordStep(work.history, draft, what, kind) });
}

export function undoLoadoutDraft(name: string): string | null {
  const work = draftStore.get().get(name);
  const step = work?.history.past.at(-1);
  if (!work || !step) return null;
  put(name, { ...work, history: undo(work.history) });
  return step.what;
}

/** [E28] What of it no file has yet, as it is sent to be cast; null where its file says the same. */
export function unsavedConfigOf(work: OpenLoadoutDraft): ConfigDraft | null {
  if (work.layer === null || !isDirty(work)) return null;
  const read = (text: string): unknown => {
    const parsed = parseJsonc(text);
    return parsed.ok ? parsed.value.value : null;
  };
  return {
    loadouts: { [work.name]: read(work.history.present.text) },
    materia: Object.fromEntries(work.brings.map(({ name, text }) => [name, read(text)])),
  };
}

/** That very step, where nothing was done since. */
export function undoIfLast(name: string, what: string): void {
  if (draftStore.get().get(name)?.history.past.at(-1)?.what === what) undoLoadoutDraft(name);
}

export function redoLoadoutDraft(name: string): string | null {
  const work = draftStore.get().get(name);
  const [step] = work?.history.future ?? [];
  if (!work || !step) return null;
  put(name, { ...work, history: redo(work.history) });
  return step.what;
}

/** The next letter in a field begins a step of its own. */
export function closeUndoStep(name: string): void {
  const work = draftStore.get().get(name);
  if (work) put(name, { ...work, history: endStepGroup(work.history) });
}

export function renameLoadoutDraft(name: string, to: string): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  put(name, null);
  put(to, { ...work, name: to, was: work.filed === null ? null : (work.was ?? name) });
}

export function removeLoadoutDraft(name: string): void {
  put(name, null);
}

/** What is in the file now is what was in hand; undo still goes back. */
export function markLoadoutSaved(name: string, layer: EditableLayer): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  const { present } = work.history;
  put(name, {
    ...work,
    layer,
    base: present,
    filed: present.text,
    from: null,
    was: null,
    isOutdated: false,
    brings: [],
  });
}

/** Theirs, or both in one, in place of mine, on top of what the file says now; mine can be brought back by undo. */
export function resolveLoadoutConflict(name: string, { text, filed }: ResolvedText): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  const history = recordStep(work.history, draftFromText(name, text), text === filed ? "Take theirs" : "Take both");
  put(name, { ...work, history, base: draftFromText(name, filed), filed, isOutdated: false });
}

/** What a person chose where a file had changed meanwhile, and what that file says. */
interface ResolvedText {
  readonly text: string;
  readonly filed: string;
}

/** Back to what the file says; undo brings the changes back. */
export function revertLoadoutDraft(name: string): void {
  const work = draftStore.get().get(name);
  if (!work || work.filed === null) return;
  const history = recordStep(work.history, draftFromText(name, work.filed), "Discard the changes");
  put(name, { ...work, history });
}

/** Exactly as it was in hand, such as before it was deleted. */
export function restoreLoadoutDraft(work: OpenLoadoutDraft): void {
  put(work.name, { ...work, filed: null, was: null, layer: work.layer ?? "project" });
}
