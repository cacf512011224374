import type { Catalog } from "../catalog/catalog.ts";
import { readLayer } from "../catalog/layer.ts";
import { ok, type Result } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { isJsonObject } from "../model/values/json.ts";
import { importLoadouts, type Imported } from "./text/draft.ts";
import { parseJsonc } from "./text/parse.ts";

/** A materia that goes with a loadout, as its file spells it. */
export interface Carried {
  readonly name: string;
  readonly text: string;
}

/** [E16] What a loadout needs that is not bundled, and what that extends. */
export function neededMateria(
  { sockets }: Loadout,
  catalog: Catalog,
  textOf: (name: string) => string | undefined,
): readonly Carried[] {
  const names = [...new Set(Object.values(sockets).map(({ materia }) => materia))];
  const own = names.flatMap((name) => carried(name, catalog, textOf));
  const bases = own.flatMap(({ text }) => baseOf(text).flatMap((name) => carried(name, catalog, textOf)));
  return [...new Map([...bases, ...own].map((each) => [each.name, each])).values()];
}

function carried(name: string, catalog: Catalog, textOf: (name: string) => string | undefined): readonly Carried[] {
  const text = catalog.materia.get(name)?.layer === "bundled" ? undefined : textOf(name);
  return text === undefined ? [] : [{ name, text }];
}

function baseOf(text: string): readonly string[] {
  const read = parseJsonc(text);
  const base = read.ok && isJsonObject(read.value.value) ? read.value.value["extends"] : undefined;
  return typeof base === "string" ? [base] : [];
}

/** A configuration file with one loadout and all that it needs. */
export function exportedText(name: string, text: string, materia: readonly Carried[]): string {
  const entry = ({ name: key, text: own }: Carried): string =>
    `    ${JSON.stringify(key)}: ${own.replaceAll("\n", "\n    ")}`;
  const section = (title: string, entries: readonly Carried[]): string =>
    `  ${JSON.stringify(title)}: {\n${entries.map(entry).join(",\n")}\n  }`;
  const parts = [...(materia.length === 0 ? [] : [section("materia", materia)]), section("loadouts", [{ name, text }])];
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** [E16] What a text brings: loadouts, broken or not, and the materia beside them. */
export interface Brought {
  readonly loadouts: readonly Imported[];
  readonly materia: readonly Carried[];
}

export function importText(text: string, fallbackName: string): Result<Brought> {
  const loadouts = importLoadouts(text, fallbackName);
  if (!loadouts.ok) return loadouts;
  const read = parseJsonc(text);
  const section = read.ok && isJsonObject(read.value.value) ? read.value.value["materia"] : undefined;
  const materia = Object.entries(isJsonObject(section) ? section : {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, text: JSON.stringify(value, undefined, 2) }));
  return ok({ loadouts: loadouts.value, materia });
}

/** What of it is new here: a materia of the same name that is there already stays as it is. */
export function newMateria({ sockets }: Loadout, materia: readonly Carried[], catalog: Catalog): readonly Carried[] {
  const used = new Set(Object.values(sockets).map((socket) => socket.materia));
  const direct = materia.filter(({ name }) => used.has(name));
  const bases = new Set(direct.flatMap(({ text }) => baseOf(text)));
  return materia.filter(({ name }) => (used.has(name) || bases.has(name)) && !catalog.materia.has(name));
}

/** The catalogue as it will be with them in it. */
export function withMateria(catalog: Catalog, materia: readonly Carried[]): Catalog {
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
