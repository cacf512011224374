import type * as v from "valibot";
import { readLayer, type CatalogEntry } from "../catalog/layer.ts";
import { isError, ok, type Issue, type Result } from "../model/issue.ts";
import { AdvanceRule, Edge, Exit, Loadout, Loop, Socket } from "../model/loadout.ts";
import { EMPTY_LOADOUT, mapValues } from "./loadout-edit.ts";
import { parseJsonc, parseJsoncObject, LOADOUT_EXPANDED_LEVELS, printJson, updateJsonText } from "./json-edit.ts";
import { type Json, type JsonObject, isJsonObject } from "../model/json.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** A loadout in the editor: its graph and its text, always consistent. */
export interface LoadoutDraft {
  /** For a broken text: its readable part, or the last complete graph. */
  readonly loadout: Loadout;
  readonly text: string;
  /** The issues of the text. The compiler reports those of the graph. */
  readonly issues: readonly Issue[];
}

export function draftFromLoadout(name: string, loadout: Loadout): LoadoutDraft {
  return readDraft(name, printLoadout(loadout), loadout);
}

/** The draft for the compiler; of a broken text the readable part. */
export function catalogEntryOf(name: string, { loadout, issues }: LoadoutDraft): CatalogEntry<Loadout> {
  return { name, layer: "project", issues, ...(issues.some(isError) ? { partial: loadout } : { value: loadout }) };
}

export function draftFromText(name: string, text: string): LoadoutDraft {
  return readDraft(name, text, EMPTY_LOADOUT);
}

export function printLoadout(loadout: Loadout): string {
  return printJson(loadoutToJson(loadout), "", LOADOUT_EXPANDED_LEVELS);
}

/** [E13] Applies an edit of the graph to the text. */
export function applyGraphEdit(draft: LoadoutDraft, name: string, loadout: Loadout): LoadoutDraft {
  if (loadout === draft.loadout) return draft;
  const isJson = draft.issues.length === 0 || parseJsonc(draft.text).ok;
  const after = loadoutToJson(loadout);
  // A text that is no JSON cannot be edited in place; write the whole graph.
  const text = isJson ? updateJsonText(draft.text, loadoutToJson(draft.loadout), after) : printLoadout(loadout);
  return readDraft(name, text, loadout);
}

/** [E13] Applies an edit of the text; the graph follows once the text is readable. */
export function applyTextEdit(draft: LoadoutDraft, name: string, text: string): LoadoutDraft {
  return text === draft.text ? draft : readDraft(name, text, draft.loadout);
}

function readDraft(name: string, text: string, fallback: Loadout): LoadoutDraft {
  const read = parseJsonc(text);
  if (!read.ok) return { loadout: fallback, text, issues: read.issues };
  const { value } = read.value;
  const entry = readLayer("explicit", { loadouts: { [name]: value } }).loadouts.get(name);
  return { loadout: entry?.value ?? entry?.partial ?? fallback, text, issues: entry?.issues ?? [] };
}

/** A loadout as a person would write it: without defaults, keys in reading order. */
export function loadoutToJson(loadout: Loadout): JsonObject {
  const loopToJson = (loop: Loop): JsonObject =>
    writtenFields(Loop, { ...loop, exits: loop.exits.map((exit) => writtenFields(Exit, exit)) });
  return writtenFields(Loadout, {
    ...loadout,
    sockets: mapValues(loadout.sockets, socketToJson),
    loops: mapValues(loadout.loops, loopToJson),
  });
}

export function socketToJson(socket: Socket): JsonObject {
  const advance = socket.advance && writtenFields(AdvanceRule, socket.advance);
  return writtenFields(Socket, { ...socket, advance, edges: socket.edges.map((edge) => writtenFields(Edge, edge)) });
}

/** The fields in the order of their schema, without empty ones that may be absent. */
function writtenFields(
  { entries }: { readonly entries: v.ObjectEntries },
  fields: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, { type }]): [string, Json][] => {
      const value = fields[key];
      return value === undefined || (type === "optional" && isEmptyObject(value)) ? [] : [[key, value]];
    }),
  );
}

function isEmptyObject(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

export interface MateriaText {
  readonly name: string;
  readonly text: string;
}

/** [E16] The materia that a loadout needs and that are not bundled, with those that they extend. */
export function requiredMateria(
  { sockets }: Loadout,
  catalog: Catalog,
  textOf: (name: string) => string | undefined,
): readonly MateriaText[] {
  const customOf = (name: string): readonly MateriaText[] => {
    const text = catalog.materia.get(name)?.layer === "bundled" ? undefined : textOf(name);
    return text === undefined ? [] : [{ name, text }];
  };
  const own = [...new Set(Object.values(sockets).map(({ materia }) => materia))].flatMap(customOf);
  const bases = own.flatMap(({ text }) => extendedMateria(text)).flatMap(customOf);
  return [...new Map([...bases, ...own].map((each) => [each.name, each])).values()];
}

function extendedMateria(text: string): readonly string[] {
  const base = parseJsoncObject(text)["extends"];
  return typeof base === "string" ? [base] : [];
}

/** [E16] A configuration with these entries. */
export function exportText(sections: Readonly<Record<string, readonly MateriaText[]>>): string {
  const entry = ({ name, text }: MateriaText): string =>
    `    ${JSON.stringify(name)}: ${text.replaceAll("\n", "\n    ")}`;
  const parts = Object.entries(sections).flatMap(([title, entries]) =>
    entries.length === 0 ? [] : [`  ${JSON.stringify(title)}: {\n${entries.map(entry).join(",\n")}\n  }`],
  );
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** [E16] The loadouts of a text, also broken ones, and its materia. */
export interface ImportedConfig {
  readonly loadouts: readonly { readonly name: string; readonly draft: LoadoutDraft }[];
  readonly materia: readonly MateriaText[];
}

export function importConfigText(text: string, fallbackName: string): Result<ImportedConfig> {
  const read = parseJsonc(text);
  if (!read.ok) return read;
  const { loadouts, materia } = parseJsoncObject(text);
  const named = isJsonObject(loadouts) ? entryTexts(loadouts) : [{ name: fallbackName, text }];
  return ok({
    loadouts: named.map((each) => ({ name: each.name, draft: draftFromText(each.name, each.text) })),
    materia: isJsonObject(materia) ? entryTexts(materia) : [],
  });
}

function entryTexts(section: JsonObject): readonly MateriaText[] {
  return Object.entries(section)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, text: JSON.stringify(value, undefined, 2) }));
}

/** The new materia: an existing materia of the same name stays unchanged. */
export function missingMateria(
  { sockets }: Loadout,
  materia: readonly MateriaText[],
  catalog: Catalog,
): readonly MateriaText[] {
  const used = new Set(Object.values(sockets).map((socket) => socket.materia));
  const direct = materia.filter(({ name }) => used.has(name));
  const bases = new Set(direct.flatMap(({ text }) => extendedMateria(text)));
  return materia.filter(({ name }) => (used.has(name) || bases.has(name)) && !catalog.materia.has(name));
}

export function catalogWithMateria(catalog: Catalog, materia: readonly MateriaText[]): Catalog {
  if (materia.length === 0) return catalog;
  const raw = Object.fromEntries(
    materia.flatMap(({ name, text }) => {
      const read = parseJsonc(text);
      return read.ok ? [[name, read.value.value]] : [];
    }),
  );
  const read = readLayer("project", { materia: raw }).materia;
  const fresh = [...read].flatMap(([name, entry]) =>
    entry && !catalog.materia.has(name) ? [[name, entry] as const] : [],
  );
  return { ...catalog, materia: new Map([...catalog.materia, ...fresh]) };
}
