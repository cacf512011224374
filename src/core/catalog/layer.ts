import type * as v from "valibot";
import { LAYER_NAMES, settingsSchemaEntries, type Config } from "../model/config.ts";
import { error, isError, warning, type Issue, type KeyPath } from "../model/issue.ts";
import { withoutUndefined, isJsonObject, type JsonObject } from "../model/json.ts";
import type { Loadout } from "../model/loadout.ts";
import type { Materia } from "../model/materia.ts";
import { didYouMean, oneLine } from "../model/text.ts";
import { readLoadout } from "./read-loadout.ts";
import { readMateria } from "./read-materia.ts";
import { readAnyFormat } from "./format-0-1.ts";
import { validate } from "./validate.ts";

export type LayerName = (typeof LAYER_NAMES)[number];

/** One configuration file, read part by part: an invalid part keeps its problems and affects no other. */
export interface ConfigLayer {
  readonly name: LayerName;
  readonly file?: string;
  readonly settings: LayerSettings;
  readonly materia: ReadonlyMap<string, CatalogEntry<Materia> | null>;
  readonly loadouts: ReadonlyMap<string, CatalogEntry<Loadout> | null>;
  readonly issues: readonly Issue[];
}

/** A named entry of a layer. Without a value it is invalid, and its issues say why. */
export interface CatalogEntry<T> {
  readonly name: string;
  readonly layer: LayerName;
  readonly file?: string;
  readonly value?: T;
  /** The readable part of an invalid entry. Checks use it; casts never do. */
  readonly partial?: T;
  /** The entry as written, for a materia: missing keys may come from another one. */
  readonly raw?: JsonObject;
  readonly issues: readonly Issue[];
  /** [M2] The position in the user's file, which may have an older format. */
  readonly positionOf?: (path: KeyPath) => KeyPath;
}

export type LayerSettings = Readonly<Omit<v.InferOutput<typeof Config>, "$schema" | "materia" | "loadouts">>;

const TOP_LEVEL_KEYS = [...Object.keys(settingsSchemaEntries), "materia", "loadouts"];

export function readLayer(name: LayerName, written: unknown, file?: string): ConfigLayer {
  const source = withoutUndefined({ file });
  const { value: raw, issues: formatIssues, positionOf } = readAnyFormat(written);
  if (!isJsonObject(raw)) {
    const message = "a configuration must be one JSON object";
    const issues = [error("bad_value", "", message, 'begin with { "materia": {}, "loadouts": {} }')];
    const nothing = { settings: {}, materia: new Map(), loadouts: new Map() };
    return { name, ...source, ...nothing, issues: withIssueFile(issues, file) };
  }
  const readEntry = <T>(section: Section, key: string, read: EntryReading<T>): CatalogEntry<T> => {
    const { value, issues: found, ...entry } = read;
    const issues = [
      ...formatIssues.filter(({ path }) => path[0] === section && path[1] === key),
      ...found.map((issue) => ({ ...issue, path: positionOf(issue.path) })),
    ];
    const content = value === undefined ? {} : issues.some(isError) ? { partial: value } : { value };
    return { ...source, layer: name, ...entry, positionOf, issues: withIssueFile(issues, file), ...content };
  };
  const settings = readSettings(raw, name);
  const issues = [
    ...formatIssues.filter(
      ({ path: [section, entry] }) => entry === undefined || !SECTIONS.some((each) => each === section),
    ),
    ...settings.issues,
    ...SECTIONS.flatMap((section) => sectionIssues(raw, section)),
    ...unknownKeyIssues(raw),
  ];
  return {
    name,
    ...source,
    settings: settings.value,
    materia: readSection(raw["materia"], (key, value) => readEntry("materia", key, readMateria(key, value))),
    loadouts: readSection(raw["loadouts"], (key, value) => readEntry("loadouts", key, readLoadout(key, value))),
    issues: withIssueFile(issues, file),
  };
}

const SECTIONS = ["materia", "loadouts"] as const;
type Section = (typeof SECTIONS)[number];

type EntryReading<T> = Pick<CatalogEntry<T>, "name" | "raw" | "issues"> & { readonly value?: T | undefined };

function readSection<T>(
  section: unknown,
  read: (name: string, value: unknown) => CatalogEntry<T>,
): ReadonlyMap<string, CatalogEntry<T> | null> {
  if (!isJsonObject(section)) return new Map();
  return new Map(Object.entries(section).map(([name, value]) => [name, value === null ? null : read(name, value)]));
}

/** [B3, TM5, YP8] A project's file must never choose where a person's work goes, nor what guards the person. */
const USER_SETTINGS: readonly string[] = ["fleet", "telemetry", "sandboxes"];

/** [YN1] A list of receivers is one too: it says where notices go. */
function isUserSetting(key: string, value: unknown): boolean {
  return USER_SETTINGS.includes(key) || (key === "notify" && Array.isArray(value));
}

function readSettings(raw: Readonly<Record<string, unknown>>, layer: LayerName) {
  const { $schema: _schema, ...schemas } = settingsSchemaEntries;
  const read = Object.entries(schemas).map(([key, schema]) => {
    if (layer === "user" || raw[key] === undefined || !isUserSetting(key, raw[key]))
      return { key, ...validate(schema, raw[key], [key]) };
    const message = `only the user's own configuration may set "${key}"`;
    return { key, issues: [error("user_setting_in_project", [key], message, "move it to your own configuration")] };
  });
  const values = read.map((each) => [each.key, "value" in each ? each.value : undefined]);
  return {
    value: withoutUndefined(Object.fromEntries(values) as LayerSettings), // each by its own schema
    issues: read.flatMap(({ issues }) => issues),
  };
}

function sectionIssues(raw: Readonly<Record<string, unknown>>, section: string): readonly Issue[] {
  const value = raw[section];
  if (value === undefined || isJsonObject(value)) return [];
  return [error("bad_value", section, `"${section}" must be an object with names as keys`)];
}

function unknownKeyIssues(raw: Readonly<Record<string, unknown>>): readonly Issue[] {
  return Object.keys(raw)
    .filter((key) => !TOP_LEVEL_KEYS.includes(key))
    .map((key) =>
      warning("unknown_key", [key], `"${oneLine(key, 60)}" is unknown and ignored`, didYouMean(key, TOP_LEVEL_KEYS)),
    );
}

export function withIssueFile(issues: readonly Issue[], file: string | undefined): readonly Issue[] {
  return file === undefined ? issues : issues.map((issue) => ({ ...issue, file }));
}
