import type { Catalog } from "../catalog/catalog.ts";
import { readLayer } from "../catalog/layer.ts";
import { ok, type Result } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { isJsonObject } from "../model/json.ts";
import { importLoadouts, type ImportedLoadout } from "./loadout-draft.ts";
import { parseJsonc } from "./json-text.ts";

/** A materia that a loadout needs, as its file spells it. */
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
  const names = [...new Set(Object.values(sockets).map(({ materia }) => materia))];
  const own = names.flatMap((name) => customMateria(name, catalog, textOf));
  const bases = own.flatMap(({ text }) =>
    extendedMateria(text).flatMap((name) => customMateria(name, catalog, textOf)),
  );
  return [...new Map([...bases, ...own].map((each) => [each.name, each])).values()];
}

function customMateria(
  name: string,
  catalog: Catalog,
  textOf: (name: string) => string | undefined,
): readonly MateriaText[] {
  const text = catalog.materia.get(name)?.layer === "bundled" ? undefined : textOf(name);
  return text === undefined ? [] : [{ name, text }];
}

function extendedMateria(text: string): readonly string[] {
  const read = parseJsonc(text);
  const base = read.ok && isJsonObject(read.value.value) ? read.value.value["extends"] : undefined;
  return typeof base === "string" ? [base] : [];
}

/** A configuration file with one loadout and its materia. */
export function exportLoadoutText(name: string, text: string, materia: readonly MateriaText[]): string {
  const entry = ({ name: key, text: own }: MateriaText): string =>
    `    ${JSON.stringify(key)}: ${own.replaceAll("\n", "\n    ")}`;
  const section = (title: string, entries: readonly MateriaText[]): string =>
    `  ${JSON.stringify(title)}: {\n${entries.map(entry).join(",\n")}\n  }`;
  const parts = [...(materia.length === 0 ? [] : [section("materia", materia)]), section("loadouts", [{ name, text }])];
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** [E16] The loadouts of a text, also broken ones, and its materia. */
export interface ImportedConfig {
  readonly loadouts: readonly ImportedLoadout[];
  readonly materia: readonly MateriaText[];
}

export function importConfigText(text: string, fallbackName: string): Result<ImportedConfig> {
  const loadouts = importLoadouts(text, fallbackName);
  if (!loadouts.ok) return loadouts;
  const read = parseJsonc(text);
  const section = read.ok && isJsonObject(read.value.value) ? read.value.value["materia"] : undefined;
  const materia = Object.entries(isJsonObject(section) ? section : {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, text: JSON.stringify(value, undefined, 2) }));
  return ok({ loadouts: loadouts.value, materia });
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

/** The catalogue with the imported materia. */
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
