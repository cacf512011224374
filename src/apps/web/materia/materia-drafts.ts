import { useEffect, useMemo, useState } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { type CatalogEntry, readLayer } from "../../../core/catalog/layer.ts";
import { updateJsonText, parseJsoncObject, printJson } from "../../../core/edit/json-edit.ts";
import { recordStep } from "../../../core/edit/undo-history.ts";
import type { Json, JsonObject } from "../../../core/model/json.ts";
import type { Materia } from "../../../core/model/materia.ts";
import { createEntryDrafts, newEntryDraft, type EntryDraft, type EntryDrafts } from "../data/entry-drafts.ts";

export type OpenMateriaDraft = EntryDraft<MateriaDraft>;

export interface MateriaDraft {
  readonly raw: JsonObject;
  readonly text: string;
}

export const materiaDrafts: EntryDrafts<MateriaDraft, Materia> = createEntryDrafts<MateriaDraft, Materia>({
  kind: "materia",
  section: "materia",
  entryOf: (catalog, name) => catalog.materia.get(name),
  fromText: (_name, text) => ({ raw: parseJsoncObject(text), text }),
  fromValue: (_name, value) => draftFromObject(value ? toJsonObject(value) : {}),
  isDirty: isMateriaDirty,
});

function draftFromObject(raw: JsonObject): MateriaDraft {
  return { raw, text: printJson(raw) };
}

function toJsonObject(value: Materia): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // plain data, read from JSON
}

export function isMateriaDirty({ history, filed, was }: OpenMateriaDraft): boolean {
  if (was !== null) return true;
  return filed === null ? history.past.length > 0 : history.present.text !== filed;
}

/** A new materia, or a copy. An edited bundled one becomes a materia of the project. */
export function createMateriaDraft(name: string, raw: JsonObject): void {
  const empty = newEntryDraft<MateriaDraft>(name, { raw: {}, text: "" });
  materiaDrafts.put(name, { ...empty, history: recordStep(empty.history, draftFromObject(raw), "Create") });
}

export function setMateriaField(name: string, key: string, value: Json | null, kind?: string): void {
  materiaDrafts.update(name, (draft) => {
    const { raw, text } = draft.history.present;
    const { [key]: _before, ...rest } = raw;
    const next: JsonObject = value === null ? rest : key in raw ? { ...raw, [key]: value } : { ...rest, [key]: value };
    const edited = { raw: next, text: updateJsonText(text, raw, next) };
    return {
      ...draft,
      layer: draft.layer ?? "project",
      history: recordStep(draft.history, edited, `Set ${key}`, kind),
    };
  });
}

export function readMateriaDraft({ name, history }: OpenMateriaDraft) {
  const entry = readLayer("project", { materia: { [name]: history.present.raw } }).materia.get(name);
  return { value: entry?.value ?? null, issues: entry?.issues ?? [] };
}

export function useCatalogWithDraft(catalog: Catalog, name: string, value: Materia | null): Catalog {
  return useMemo(() => {
    if (!value) return catalog;
    const entry: CatalogEntry<Materia> = { name, layer: "project", issues: [], value };
    return { ...catalog, materia: new Map([...catalog.materia, [name, entry]]) };
  }, [catalog, name, value]);
}

/** The text of the bundled materia; loaded on demand. */
export function useBundledMateriaText(name: string): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isHere = true;
    const read = async (): Promise<void> => {
      const { bundledLayer } = await import("../../../core/catalog/bundled-layer.ts");
      const value = bundledLayer().materia.get(name)?.value;
      if (isHere) setText(value ? printJson(toJsonObject(value)) : null);
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

export function loadoutsUsing(catalog: Catalog, name: string): readonly string[] {
  return [...new Set(usagesOf(catalog, name).map(({ loadout }) => loadout))];
}

export function usagesOf(catalog: Catalog, name: string): readonly MateriaUsage[] {
  return [...catalog.loadouts.values()].flatMap((entry) =>
    Object.entries(entry.value?.sockets ?? {})
      .filter(([, socket]) => socket.materia === name)
      .map(([socket]) => ({ loadout: entry.name, socket })),
  );
}
