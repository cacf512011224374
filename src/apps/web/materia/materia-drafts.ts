import { useEffect, useState } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { type CatalogEntry, readLayer } from "../../../core/catalog/layer.ts";
import {
  recordStep,
  startHistory,
  redo,
  undo,
  type UndoHistory,
  StoredHistory,
  serializeHistory,
  restoreHistory,
} from "../../../core/edit/undo-history.ts";
import { entryText } from "../../../core/edit/config-text.ts";
import { parseJsonc, printJson } from "../../../core/edit/json-text.ts";
import { updateJsonText } from "../../../core/edit/json-edit.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/model/json.ts";
import type { Materia } from "../../../core/model/materia.ts";
import * as v from "valibot";
import { createDraftStore } from "../browser/unsaved-drafts.ts";
import { useStore } from "../browser/store.ts";
import { getConfig } from "../net/api.ts";
import { EditableLayer } from "../../../core/wire/catalog.ts";

/** A materia in hand, as it stands in its file. */
export interface OpenMateriaDraft {
  readonly name: string;
  readonly layer: EditableLayer | null;
  readonly filed: string | null;
  readonly history: UndoHistory<MateriaDraft>;
  /** Its name in the file, where it is renamed. */
  readonly was: string | null;
  /** [E24] Whether somebody else changed it in the file since it was opened. */
  readonly isOutdated: boolean;
}

export interface MateriaDraft {
  readonly raw: JsonObject;
  readonly text: string;
}

const StoredMateriaDraft = v.object({
  layer: v.nullable(EditableLayer),
  filed: v.nullable(v.string()),
  history: StoredHistory,
  was: v.nullable(v.string()),
});

/** [E23] What is not saved outlives the page as well. */
const draftStore = createDraftStore<OpenMateriaDraft>("materia", {
  write: (work) => {
    const { layer, filed, history, was } = work;
    return isMateriaDirty(work) ? { layer, filed, was, history: serializeHistory(history, ({ text }) => text) } : null;
  },
  read: (name, kept) => {
    const { history, ...rest } = v.parse(StoredMateriaDraft, kept);
    return { name, ...rest, history: restoreHistory(history, parseMateriaText), isOutdated: false };
  },
});

const { put } = draftStore;

function parseMateriaText(text: string): MateriaDraft {
  const read = parseJsonc(text);
  return { raw: read.ok && isJsonObject(read.value.value) ? read.value.value : {}, text };
}

export function useMateriaDrafts(): ReadonlyMap<string, OpenMateriaDraft> {
  return useStore(draftStore);
}

export function isMateriaDirty({ history, filed, was }: OpenMateriaDraft): boolean {
  if (was !== null) return true;
  return filed === null ? history.past.length > 0 : history.present.text !== filed;
}

export function useMateriaDraft(name: string | null, catalog: Catalog | null): OpenMateriaDraft | null {
  const all = useMateriaDrafts();
  const work = name === null ? undefined : all.get(name);
  const entry = name === null ? undefined : catalog?.materia.get(name);
  useEffect(() => {
    if (work && work.history.past.length > 0) void updateOutdated(work.name);
    else if (entry && (!work || work.was === null)) void openMateriaDraft(entry);
    // Only what the files say can make it be opened anew.
  }, [entry, catalog]);
  return work ?? null;
}

/** Whether its file still says what it said when it was opened. */
async function updateOutdated(name: string): Promise<void> {
  const layer = draftStore.get().get(name)?.layer ?? null;
  const file = layer && (await getConfig(layer));
  const work = draftStore.get().get(name);
  if (!work || !file || (!file.ok && file.status !== 404)) return;
  const now = (file.ok && entryText(file.value.text, "materia", work.was ?? name)) || null;
  const isOutdated = now !== work.filed && now !== work.history.present.text;
  if (isOutdated !== work.isOutdated) put(name, { ...work, isOutdated });
}

async function openMateriaDraft({ name, layer, value }: CatalogEntry<Materia>): Promise<void> {
  const editable = layer === "user" || layer === "project" ? layer : null;
  const file = editable && (await getConfig(editable));
  if (file && !file.ok) return;
  if ((draftStore.get().get(name)?.history.past.length ?? 0) > 0) return;
  const filed = file?.ok ? (entryText(file.value.text, "materia", name) ?? null) : null;
  const draft =
    filed === null ? { raw: toJsonObject(value), text: printJson(toJsonObject(value)) } : parseMateriaText(filed);
  put(name, { name, layer: editable, filed, history: startHistory(draft), was: null, isOutdated: false });
}

function toJsonObject(value: Materia | undefined): JsonObject {
  if (!value) return {};
  return JSON.parse(JSON.stringify(value)) as JsonObject; // plain data, read from JSON
}

/** A new materia, or a copy; a bundled one that is changed becomes the project's own. */
export function createMateriaDraft(name: string, raw: JsonObject): void {
  put(name, {
    name,
    layer: "project",
    filed: null,
    was: null,
    isOutdated: false,
    history: recordStep(startHistory({ raw: {}, text: "" }), { raw, text: printJson(raw) }, "Create"),
  });
}

/** One field set, or taken away with `null`. */
export function setMateriaField(name: string, key: string, value: Json | null, kind?: string): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  const { raw, text } = work.history.present;
  const { [key]: _before, ...rest } = raw;
  const next: JsonObject = value === null ? rest : key in raw ? { ...raw, [key]: value } : { ...rest, [key]: value };
  const draft = { raw: next, text: updateJsonText(text, raw, next) };
  put(name, { ...work, layer: work.layer ?? "project", history: recordStep(work.history, draft, `Set ${key}`, kind) });
}

export function undoMateriaDraft(name: string): void {
  const work = draftStore.get().get(name);
  if (work) put(name, { ...work, history: undo(work.history) });
}

export function redoMateriaDraft(name: string): void {
  const work = draftStore.get().get(name);
  if (work) put(name, { ...work, history: redo(work.history) });
}

export function markMateriaSaved(name: string, layer: EditableLayer): void {
  const work = draftStore.get().get(name);
  if (work) put(name, { ...work, layer, filed: work.history.present.text, was: null, isOutdated: false });
}

/** Theirs, or both in one, in place of mine, on top of what the file says now; mine can be brought back by undo. */
export function resolveMateriaConflict(
  name: string,
  { text, filed }: { readonly text: string; readonly filed: string },
): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  const history = recordStep(work.history, parseMateriaText(text), text === filed ? "Take theirs" : "Take both");
  put(name, { ...work, history, filed, isOutdated: false });
}

/** Under another name; the file is changed when it is saved. */
export function renameMateriaDraft(name: string, to: string): void {
  const work = draftStore.get().get(name);
  if (!work) return;
  put(name, null);
  put(to, { ...work, name: to, was: work.filed === null ? null : (work.was ?? name) });
}

export function removeMateriaDraft(name: string): void {
  put(name, null);
}

/** As it was in hand before it was deleted; no file has it before it is saved. */
export function restoreMateriaDraft(work: OpenMateriaDraft): void {
  put(work.name, null);
  createMateriaDraft(work.name, work.history.present.raw);
}

/** What the draft means, by the door that reads files. */
export function readMateriaDraft(
  name: string,
  { raw }: MateriaDraft,
): { readonly value: Materia | null; readonly issues: readonly Issue[] } {
  const entry = readLayer("project", { materia: { [name]: raw } }).materia.get(name);
  return { value: entry?.value ?? null, issues: entry?.issues ?? [] };
}

/** The catalogue as it would be with this draft in it. */
export function useCatalogWithDraft(catalog: Catalog, name: string, value: Materia | null): Catalog {
  const [kept, setKept] = useState({ catalog, value, made: catalog });
  if (kept.catalog === catalog && kept.value === value) return kept.made;
  const entry: CatalogEntry<Materia> = { name, layer: "project", issues: [], ...(value ? { value } : {}) };
  const made = value ? { ...catalog, materia: new Map([...catalog.materia, [name, entry]]) } : catalog;
  setKept({ catalog, value, made });
  return made;
}

/** The bundled materia of this name, as text; read only when a page asks for it. */
export function useBundledMateriaText(name: string): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    const read = async (): Promise<void> => {
      const { bundledLayer } = await import("../../../core/catalog/bundled-layer.ts");
      const value = bundledLayer().materia.get(name)?.value;
      // Plain data, read from JSON.
      if (isHere) setText(value ? printJson(JSON.parse(JSON.stringify(value)) as JsonObject) : null);
    };
    void read();
    return () => {
      isHere = false;
    };
  }, [name]);
  return text;
}

export interface MateriaUsage {
  readonly loadout: string;
  readonly socket: string;
}

/** The sockets in which a materia is seated. */
export function usagesOf(catalog: Catalog, name: string): readonly MateriaUsage[] {
  return [...catalog.loadouts.values()].flatMap((entry) =>
    Object.entries(entry.value?.sockets ?? {})
      .filter(([, socket]) => socket.materia === name)
      .map(([socket]) => ({ loadout: entry.name, socket })),
  );
}
