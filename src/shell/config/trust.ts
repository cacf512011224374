import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { depthExceeds, isJsonObject, type Json, type JsonObject } from "../../core/model/json.ts";
import { configFolder, projectConfigFile, type ConfigContext, findCommandFile } from "./config.ts";
import { MAX_FILE_BYTES, readStoredJson, replaceFile } from "../system/files.ts";
import { readJsonFile, sortKeys } from "./config-file.ts";
import { digestCommandFiles } from "./command-files.ts";
import { realPathOrSame } from "../system/folders.ts";

const TrustFile = v.record(v.string(), v.string());

/** [S1, S3] Whether the present configuration of the project was trusted before. */
export function isTrusted(context: ConfigContext, raw: unknown): boolean {
  if (depthExceeds(raw, 100)) return false;
  return isDigestTrusted(context.env, realPathOrSame(resolve(context.cwd)), executableDigest(context.cwd, raw));
}

export function rememberTrust(context: ConfigContext, raw: unknown): void {
  const digest = executableDigest(context.cwd, raw);
  if (digest !== undefined) rememberDigests(context.env, { [realPathOrSame(resolve(context.cwd))]: digest });
}

export function isDigestTrusted(env: ConfigContext["env"], key: string, digest: string | undefined): boolean {
  return digest !== undefined && readTrust(env)[key] === digest;
}

export function rememberDigests(env: ConfigContext["env"], digests: Readonly<Record<string, string>>): void {
  const file = trustFile(env);
  const trusted = { ...readTrust(env), ...digests };
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, `${JSON.stringify(trusted, undefined, 2)}\n`);
}

/** Everything to show a person before they decide: all programs that the configuration may start, and the watched files. */
export interface ProgramsToTrust {
  readonly commands: readonly string[];
  /** [YP5] Skills, extensions, servers and sandboxes of agents, and programs outside of every sandbox. */
  readonly equipment: readonly string[];
  /** Files and folders of the project that these name: a change asks for trust again. */
  readonly watched: readonly string[];
  readonly tooLarge: readonly string[];
}

export function listProgramsToTrust(cwd: string, raw: unknown): ProgramsToTrust {
  const { paths, tooLarge } = digestCommandFiles(cwd, commandWords(cwd, raw));
  return {
    commands: commandsOf(raw).map((words) => words.join(" ")),
    equipment: equipmentNames(raw),
    watched: paths,
    tooLarge,
  };
}

/** [S8] Commands of utilities, commands that bundled utilities run, and setups of working folders. */
function commandsOf(raw: unknown): readonly (readonly string[])[] {
  return [
    ...materiaIn(raw).flatMap((each) => [each["command"], section(each, "params")["command"]]),
    section(raw, "worktree")["setup"],
  ].flatMap((command) => {
    if (typeof command === "string") return [[command]];
    return isStringArray(command) && command.length > 0 ? [command] : [];
  });
}

/** [YP5] Each with its kind, once. */
function equipmentNames(raw: unknown): readonly string[] {
  const named = (key: string, kind: string) => namesIn(raw, key).map((name) => `${kind} ${name}`);
  return [
    ...named("skills", "skill"),
    ...named("extensions", "extension"),
    ...named("mcp", "MCP server"),
    ...named("sandbox", "sandbox").filter((name) => name !== "sandbox none"),
    // Programs that run outside of the sandbox of the agents.
    ...materiaIn(raw)
      .filter(({ sandbox }) => sandbox === "none")
      .map(({ command, script }) => (isStringArray(command) ? command.join(" ") : JSON.stringify(script)))
      .map((command) => `no sandbox for \`${command}\``),
  ];
}

/** [YP14] Whether the project's configuration, which was trusted, names this itself. */
export function isNamedByProject(cwd: string, key: "extensions" | "mcp", name: string): boolean {
  const raw = readJsonFile(projectConfigFile(cwd));
  return raw?.ok === true && namesIn(raw.value, key).includes(name);
}

function namesIn(raw: unknown, key: string): readonly string[] {
  const named = materiaIn(raw).map((each) => each[key]);
  return [...new Set(named.flatMap((names) => (isStringArray(names) || typeof names === "string" ? names : [])))];
}

/** [YP5] Where Pi finds skills, extensions and servers of a project: whole folders, since a skill's name need not be that of its folder. */
function equipmentWords(cwd: string, raw: unknown): readonly string[] {
  if (["skills", "extensions", "mcp"].every((key) => namesIn(raw, key).length === 0)) return [];
  const settings = readJsonFile(join(cwd, ".pi", "settings.json"));
  const named = settings?.ok && !depthExceeds(settings.value, 100) ? textsIn(settings.value as Json) : []; // parsed just now
  const own = named.map((path) => resolve(cwd, ".pi", path));
  return [".pi/skills", ".agents/skills", ".pi/extensions", ".pi/mcp.json", ".pi/settings.json", ...own];
}

/** Every text of a utility's command and parameters may be the path of a program. */
function commandWords(cwd: string, raw: unknown): readonly string[] {
  const folder = dirname(projectConfigFile(cwd));
  // [U39] A word may name a file beside the configuration or one in the project.
  const beside = commandsOf(raw).flatMap((words) =>
    words.flatMap((word, at) => findCommandFile(folder, word, at) ?? []),
  );
  return [
    ...commandsOf(raw).flat(),
    ...equipmentWords(cwd, raw),
    ...beside,
    ...materiaIn(raw).flatMap((each) => textsIn(section(each, "params"))),
  ];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((each: Json) => textsIn(each));
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Everything that decides what may be executed. The layout of a graph and the active loadout decide nothing. */
export function executableDigest(cwd: string, raw: unknown): string | undefined {
  const { $schema: _schema, activeLoadout: _active, ...rest } = isJsonObject(raw) ? raw : {};
  const loadouts = Object.fromEntries(
    Object.entries(section(raw, "loadouts")).map(([name, loadout]) => {
      if (!isJsonObject(loadout)) return [name, loadout];
      const { layout: _layout, ...graph } = loadout;
      return [name, graph];
    }),
  );
  const { digest, tooLarge } = digestCommandFiles(cwd, commandWords(cwd, raw));
  // [S8] Files that could not be scanned may change unnoticed.
  if (tooLarge.length > 0) return undefined;
  const hash = createHash("sha256").update(JSON.stringify(sortKeys({ ...rest, loadouts })));
  return hash.update(`\0${digest}`).digest("hex");
}

function isStringArray(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function materiaIn(raw: unknown): readonly JsonObject[] {
  return Object.values(section(raw, "materia")).filter(isJsonObject);
}

function section(raw: unknown, name: string): JsonObject {
  const value = isJsonObject(raw) ? raw[name] : undefined;
  return isJsonObject(value) ? value : {};
}

function readTrust(env: ConfigContext["env"]): Readonly<Record<string, string>> {
  return readStoredJson(TrustFile, trustFile(env), MAX_FILE_BYTES.config) ?? {};
}

function trustFile(env: ConfigContext["env"]): string {
  return join(configFolder(env), "trust.json");
}
