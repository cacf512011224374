import { Budget, Limits, settingsEntries } from "../model/config.ts";
import { SocketId, isCanonicalSocketId, isName } from "../model/ids.ts";
import { error, isError, warning } from "../model/issue.ts";
import type { Issue } from "../model/issue.ts";
import { isJsonObject } from "../model/values/json.ts";
import type { JsonObject } from "../model/values/json.ts";
import { Loadout, Socket } from "../model/loadout.ts";
import { AgentMateria, PersonMateria, UtilityMateria } from "../model/materia.ts";
import type { Materia } from "../model/materia.ts";
import { didYouMean } from "../model/values/nearest.ts";
import { oneLine } from "../model/values/text.ts";
import * as v from "valibot";
import { salvage } from "./salvage.ts";
import { BUNDLED_UTILITIES } from "./utilities.ts";
import { PROTOTYPE_KEYS } from "../model/values/record.ts";
import { validate } from "./validate.ts";

export const LAYERS = ["bundled", "user", "project", "environment", "explicit"] as const;
export type LayerName = (typeof LAYERS)[number];

/** One configuration file, read part by part: what is broken is kept with its problems and harms nothing else. */
export interface Layer {
  readonly name: LayerName;
  readonly file?: string;
  readonly settings: LayerSettings;
  readonly materia: ReadonlyMap<string, Entry<Materia> | null>;
  readonly loadouts: ReadonlyMap<string, Entry<Loadout> | null>;
  /** Problems of the file as a whole. */
  readonly issues: readonly Issue[];
}

/** A named thing of a layer; without a value it is broken, and its issues say why. */
export interface Entry<T> {
  readonly name: string;
  readonly layer: LayerName;
  readonly file?: string;
  readonly value?: T;
  /** What can be read of a broken one: it is judged together with what is wrong, and never used. */
  readonly partial?: T;
  /** As it was written, where that matters: what a materia leaves out may come from another one. */
  readonly raw?: JsonObject;
  readonly issues: readonly Issue[];
}

export interface LayerSettings {
  readonly artifactDir?: string;
  readonly activeLoadout?: string;
  readonly budget?: Budget;
  readonly limits?: Limits;
}

const TOP_LEVEL_KEYS = [...Object.keys(settingsEntries), "materia", "loadouts"];

export function readLayer(name: LayerName, raw: unknown, file?: string): Layer {
  const source = file === undefined ? { layer: name } : { layer: name, file };
  if (!isJsonObject(raw)) {
    const issues = [
      error("bad_value", "", "a configuration is one JSON object", 'begin with { "materia": {}, "loadouts": {} }'),
    ];
    return { name, ...source, settings: {}, materia: new Map(), loadouts: new Map(), issues: withFile(issues, file) };
  }
  const settings = readSettings(raw);
  const issues = [
    ...settings.issues,
    ...sectionIssues(raw, "materia"),
    ...sectionIssues(raw, "loadouts"),
    ...unknownTopKeys(raw),
  ];
  return {
    name,
    ...source,
    settings: settings.value,
    materia: readEntries(raw["materia"], (key, value) => ({ ...source, ...readMateria(key, value) })),
    loadouts: readEntries(raw["loadouts"], (key, value) => ({ ...source, ...readLoadout(key, value) })),
    issues: withFile(issues, file),
  };
}

function readSettings(raw: Readonly<Record<string, unknown>>): { value: LayerSettings; issues: readonly Issue[] } {
  const artifactDir = optional(settingsEntries.artifactDir, raw["artifactDir"], "artifactDir");
  const activeLoadout = optional(settingsEntries.activeLoadout, raw["activeLoadout"], "activeLoadout");
  const budget = optional(v.optional(Budget), raw["budget"], "budget");
  const limits = optional(v.optional(Limits), raw["limits"], "limits");
  return {
    value: {
      ...(artifactDir.value === undefined ? {} : { artifactDir: artifactDir.value }),
      ...(activeLoadout.value === undefined ? {} : { activeLoadout: activeLoadout.value }),
      ...(budget.value === undefined ? {} : { budget: budget.value }),
      ...(limits.value === undefined ? {} : { limits: limits.value }),
    },
    issues: [artifactDir, activeLoadout, budget, limits].flatMap((part) => part.issues),
  };
}

function optional<const T extends v.GenericSchema>(schema: T, value: unknown, key: string) {
  return validate(schema, value, [key]);
}

function sectionIssues(raw: Readonly<Record<string, unknown>>, section: string): readonly Issue[] {
  const value = raw[section];
  if (value === undefined || isJsonObject(value)) return [];
  return [error("bad_value", section, `"${section}" must be an object of names`)];
}

function unknownTopKeys(raw: Readonly<Record<string, unknown>>): readonly Issue[] {
  return Object.keys(raw)
    .filter((key) => !TOP_LEVEL_KEYS.includes(key))
    .map((key) =>
      warning(
        "unknown_key",
        [key],
        `"${oneLine(key, 60)}" is not known here and is ignored`,
        didYouMean(key, TOP_LEVEL_KEYS),
      ),
    );
}

interface Draft<T> {
  readonly name: string;
  readonly file?: string;
  readonly layer: LayerName;
  readonly value?: T | undefined;
  readonly raw?: JsonObject;
  readonly issues: readonly Issue[];
}

function readEntries<T>(
  section: unknown,
  read: (name: string, value: unknown) => Draft<T>,
): ReadonlyMap<string, Entry<T> | null> {
  if (!isJsonObject(section)) return new Map();
  return new Map(
    Object.entries(section).map(([name, value]) => {
      if (value === null) return [name, null];
      const { value: parsed, issues, ...rest } = read(name, value);
      const state = parsed === undefined ? {} : issues.some(isError) ? { partial: parsed } : { value: parsed };
      return [name, { ...rest, issues: withFile(issues, rest.file), ...state }];
    }),
  );
}

interface ReadMateria {
  readonly value?: Materia | undefined;
  readonly issues: readonly Issue[];
}

function readMateria(name: string, raw: unknown): { readonly name: string; readonly raw?: JsonObject } & ReadMateria {
  const named = nameIssues(name, ["materia", name]);
  const written = isJsonObject(raw) ? { raw } : {};
  // What it extends stands in any layer: it is checked when all of them are known.
  if (isJsonObject(raw) && typeof raw["extends"] === "string") return { name, ...written, issues: named };
  const { value, issues } = checkMateria(name, raw);
  return { name, ...written, value, issues: [...named, ...issues] };
}

/** A materia with nothing left out. */
export function checkMateria(name: string, raw: unknown): ReadMateria {
  const keys = ["materia", name];
  const read = validate(schemaFor(raw), raw, keys);
  return {
    value: read.value,
    issues: [
      ...wrongKind(raw, keys),
      ...read.issues,
      ...programIssues(read.value, keys),
      ...gateIssues(read.value, keys),
    ],
  };
}

function schemaFor(raw: unknown) {
  const type = isJsonObject(raw) ? raw["type"] : undefined;
  return type === "utility" ? UtilityMateria : type === "person" ? PersonMateria : AgentMateria;
}

/** A utility runs one program: its own command, or a bundled script. */
function programIssues(materia: Materia | undefined, keys: readonly string[]): readonly Issue[] {
  if (materia?.type !== "utility") return [];
  const { command, script } = materia;
  if (command === undefined && script === undefined) {
    return [
      error(
        "missing_key",
        keys,
        "a utility needs a program",
        'add "command": ["node", "my-script.mjs"], or "script" with a bundled name',
      ),
    ];
  }
  if (command !== undefined && script !== undefined)
    return [error("bad_value", keys, 'a utility has either "command" or "script", not both')];
  if (script === undefined || BUNDLED_UTILITIES.includes(script)) return [];
  const hint = didYouMean(script, BUNDLED_UTILITIES) ?? `the bundled ones are ${BUNDLED_UTILITIES.join(", ")}`;
  return [error("unknown_script", [...keys, "script"], `there is no bundled utility "${oneLine(script, 60)}"`, hint)];
}

/** [Q3] A gate says yes or no: there is nothing to parse, and no list. */
function gateIssues(materia: Materia | undefined, keys: readonly string[]): readonly Issue[] {
  if (materia?.type !== "utility" || materia.gate !== true) return [];
  return [
    ...(materia.generator === true
      ? [error("bad_value", [...keys, "generator"], "a gate answers yes or no and makes no work items")]
      : []),
    ...(materia.parse === "text"
      ? [error("bad_value", [...keys, "parse"], "a gate answers by its exit code", "remove it")]
      : []),
  ];
}

/** Keys that only one kind of materia knows: written on another, they would be ignored and the materia be another one. */
const OWN_KEYS = { utility: ["command", "script", "gate"], person: ["question"] } as const;

function wrongKind(raw: unknown, keys: readonly string[]): readonly Issue[] {
  if (!isJsonObject(raw)) return [];
  return (["utility", "person"] as const).flatMap((type) =>
    OWN_KEYS[type]
      .filter((key) => key in raw && raw["type"] !== type)
      .map((key) => error("bad_value", [...keys, key], `"${key}" belongs to a ${type}`, `add "type": "${type}"`)),
  );
}

function readLoadout(
  name: string,
  raw: unknown,
): { name: string; value?: Loadout | undefined; issues: readonly Issue[] } {
  const keys = ["loadouts", name];
  const read = validate(Loadout, raw, keys);
  const keysOf = (section: string): readonly string[] =>
    isJsonObject(raw) && isJsonObject(raw[section]) ? Object.keys(raw[section]) : [];
  const ids = [
    ...keysOf("sockets").flatMap((id) => socketIdIssues(id, keys)),
    ...keysOf("loops").flatMap((id) => loopIdIssues(id, keys)),
  ];
  const missed = missedSockets(raw, keys);
  const value =
    read.value && missed.sockets.length > 0
      ? { ...read.value, sockets: { ...read.value.sockets, ...Object.fromEntries(missed.sockets) } }
      : (read.value ?? salvage(raw));
  return { name, value, issues: [...nameIssues(name, keys), ...read.issues, ...missed.issues, ...ids] };
}

/** A socket may be called `constructor`; a record leaves it out, so it is read by itself. */
function missedSockets(
  raw: unknown,
  keys: readonly string[],
): { sockets: readonly [string, Socket][]; issues: readonly Issue[] } {
  const sockets = isJsonObject(raw) ? raw["sockets"] : undefined;
  const ids = isJsonObject(sockets)
    ? PROTOTYPE_KEYS.filter((id) => v.is(SocketId, id) && Object.hasOwn(sockets, id))
    : [];
  const read = ids.map((id) => ({
    id,
    ...validate(Socket, isJsonObject(sockets) ? sockets[id] : undefined, [...keys, "sockets", id]),
  }));
  return {
    sockets: read.flatMap(({ id, value }): [string, Socket][] => (value ? [[id, value]] : [])),
    issues: read.flatMap(({ issues }) => issues),
  };
}

function loopIdIssues(id: string, keys: readonly string[]): readonly Issue[] {
  if (/^(?!constructor$|prototype$)[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/.test(id)) return [];
  return [
    error(
      "bad_loop_id",
      [...keys, "loops", id],
      `"${oneLine(id, 60)}" is not a loop id`,
      "use letters, digits, - and _",
    ),
  ];
}

function nameIssues(name: string, keys: readonly string[]): readonly Issue[] {
  if (isName(name)) return [];
  const hint = "1 to 100 characters, no control characters, no space at either end";
  return [error("bad_name", keys, `"${oneLine(name, 60)}" cannot be used as a name`, hint)];
}

function socketIdIssues(id: string, keys: readonly string[]): readonly Issue[] {
  if (isCanonicalSocketId(id)) return [];
  const path = [...keys, "sockets", id];
  if (!v.is(SocketId, id))
    return [error("bad_socket_id", path, `"${oneLine(id, 60)}" is not a socket id`, "use Socket-1, Socket-2, …")];
  return [
    warning("odd_socket_id", path, `"${id}" is not of the form Socket-N`, "tools generate only Socket-1, Socket-2, …"),
  ];
}

export function withFile(issues: readonly Issue[], file: string | undefined): readonly Issue[] {
  return file === undefined ? issues : issues.map((issue) => ({ ...issue, file }));
}
