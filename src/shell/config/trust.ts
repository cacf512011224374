import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as v from "valibot";
import { depthExceeds, isJsonObject } from "../../core/model/json.ts";
import type { Json, JsonObject } from "../../core/model/json.ts";
import { configFolder } from "./config.ts";
import type { ConfigPlace } from "./config.ts";

const TrustFile = v.record(v.string(), v.string());

/** [S1, S3] Whether the project's configuration, as it is now, was trusted before. */
export function isTrusted(place: ConfigPlace, raw: unknown): boolean {
  if (depthExceeds(raw, 100)) return false;
  return readTrust(place.env)[projectKey(place.cwd)] === executableHash(place.cwd, raw);
}

export function rememberTrust(place: ConfigPlace, raw: unknown): void {
  const file = trustFile(place.env);
  const trusted = { ...readTrust(place.env), [projectKey(place.cwd)]: executableHash(place.cwd, raw) };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(trusted, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Programs that the project's own utilities would start, for the person who is asked. */
export function projectCommands(raw: unknown): readonly string[] {
  return Object.values(section(raw, "materia")).flatMap((materia) =>
    isJsonObject(materia) && isWords(materia["command"]) ? [materia["command"].join(" ")] : [],
  );
}

/**
 * All that decides what may be executed: materia, graphs, settings, and the files of the project that its commands name.
 * How a graph is drawn, and which of the trusted loadouts is active, decides nothing.
 */
function executableHash(cwd: string, raw: unknown): string {
  const { $schema: _schema, activeLoadout: _active, ...rest } = isJsonObject(raw) ? raw : {};
  const loadouts = Object.fromEntries(
    Object.entries(section(raw, "loadouts")).map(([name, loadout]) => {
      if (!isJsonObject(loadout)) return [name, loadout];
      const { layout: _layout, ...graph } = loadout;
      return [name, graph];
    }),
  );
  const hash = createHash("sha256").update(JSON.stringify(sorted({ ...rest, loadouts })));
  for (const file of commandFiles(cwd, raw)) {
    const content = contentOf(file);
    // With its length, so that no byte can move from one file to the next unnoticed.
    hash.update(`\0${relative(cwd, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

function commandFiles(cwd: string, raw: unknown): readonly string[] {
  const words = Object.values(section(raw, "materia")).flatMap((materia) =>
    isJsonObject(materia) && isWords(materia["command"]) ? materia["command"] : [],
  );
  return [
    ...new Set(words.map((word) => resolve(cwd, word)).filter((file) => file.startsWith(resolve(cwd) + sep))),
  ].toSorted();
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

function isWords(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function section(raw: unknown, name: string): JsonObject {
  const value = isJsonObject(raw) ? raw[name] : undefined;
  return isJsonObject(value) ? value : {};
}

/** Keys in one order: moving lines about in the file changes nothing that runs. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function readTrust(env: ConfigPlace["env"]): Readonly<Record<string, string>> {
  try {
    const parsed = v.safeParse(TrustFile, JSON.parse(readFileSync(trustFile(env), "utf8")));
    return parsed.success ? parsed.output : {};
  } catch {
    return {};
  }
}

function trustFile(env: ConfigPlace["env"]): string {
  return join(configFolder(env), "trust.json");
}

function projectKey(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}
