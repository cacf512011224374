import { lstatSync, realpathSync, existsSync, statSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep, isAbsolute } from "node:path";
import { bundledLayer } from "../../core/catalog/bundled-layer.ts";
import { mergeLayers, type Catalog } from "../../core/catalog/catalog.ts";
import { readLayer, type ConfigLayer, type LayerName } from "../../core/catalog/layer.ts";
import { error, fail, ok, warning, type Issue, type Result } from "../../core/model/issue.ts";
import { failAt, readJsonFile, readConfigText } from "./config-file.ts";
import type { SandboxProfiles } from "../process/sandbox.ts";
import { isJsonObject, type Json } from "../../core/model/json.ts";
import { tryStat, errorText, replaceFile } from "../system/files.ts";
import { applyEdits, modify } from "jsonc-parser";

export interface ConfigContext {
  /** The folder of the project: all work happens here. */
  readonly cwd: string;
  /** The folder inside it where the command was typed, if it is another. */
  readonly startFolder?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly explicitFile?: string;
  /** The prefix of commands in this app, for suggestions: `materia` by default. */
  readonly program?: string;
  /** Without the host's trust the project's file is not even read. */
  readonly withoutProject?: boolean;
}

export interface LoadedConfig {
  readonly catalog: Catalog;
  readonly files: readonly string[];
  readonly project?: { readonly file: string; readonly raw: unknown };
}

export function configFolder(env: ConfigContext["env"]): string {
  const base = env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  return join(base, "pi", "pi-materia");
}

export function userConfigFile(env: ConfigContext["env"]): string {
  return join(configFolder(env), "materia.json");
}

const PROJECT_CASTS_FOLDER = join(".pi", "pi-materia");

export function projectConfigFile(cwd: string): string {
  return join(cwd, ".pi", "pi-materia.json");
}

export function listConfigFiles(context: ConfigContext): readonly string[] {
  return configSources(context).map(({ file }) => file);
}

function configSources(
  context: ConfigContext,
): readonly { readonly name: LayerName; readonly file: string; readonly required: boolean }[] {
  const named = context.env["MATERIA_CONFIG"];
  return [
    { name: "user", file: userConfigFile(context.env), required: false },
    ...(context.withoutProject
      ? []
      : [{ name: "project" as const, file: projectConfigFile(context.cwd), required: false }]),
    ...(named ? [{ name: "environment" as const, file: resolve(context.cwd, named), required: true }] : []),
    ...(context.explicitFile === undefined
      ? []
      : [{ name: "explicit" as const, file: resolve(context.cwd, context.explicitFile), required: true }]),
  ];
}

/** [F1] Reads all existing layers. Faults of one file are reported; the rest stays usable. */
export function loadConfig(context: ConfigContext): LoadedConfig {
  const read = configSources(context).flatMap(({ name, file, required }) => {
    const raw =
      readJsonFile(file) ?? (required ? failAt(file, error("missing_file", "", "there is no such file")) : undefined);
    return raw ? [{ name, file, raw }] : [];
  });
  const project = read.find((each) => each.name === "project");
  return {
    catalog: mergeLayers([bundledLayer(), ...read.map(({ name, file, raw }) => readConfigLayer(name, file, raw))]),
    files: read.map((each) => each.file),
    ...(project ? { project: { file: project.file, raw: project.raw.ok ? project.raw.value : null } } : {}),
  };
}

export function readConfigLayer(name: LayerName, file: string, raw: Result<unknown>): ConfigLayer {
  if (raw.ok) {
    const layer = readLayer(name, resolveCommandFiles(raw.value, file), file);
    return { ...layer, issues: [...layer.issues, ...bareArgumentIssues(raw.value, file)] };
  }
  return { name, file, settings: {}, materia: new Map(), loadouts: new Map(), issues: raw.issues };
}

/** [YP8] Sandboxes of the user's own file; no other file defines any. */
export function readSandboxes(env: ConfigContext["env"]): SandboxProfiles {
  const file = userConfigFile(env);
  const raw = readJsonFile(file);
  return raw ? (readConfigLayer("user", file, raw).settings.sandboxes ?? {}) : {};
}

/** The folder of casts. A project may only name a folder inside itself. */
export function resolveArtifactRoot(cwd: string, catalog: Catalog, explicit: string | undefined): Result<string> {
  if (explicit !== undefined) return ok(resolve(cwd, explicit));
  const { value, layer, file } = catalog.settings.artifactDir;
  const root = resolve(cwd, value);
  if (layer !== "project" && layer !== "bundled") return ok(root);
  const isOutside = !root.startsWith(join(resolve(cwd), sep));
  // [S9] A project may contain a link, and its target is not the project's to write to.
  if (!isOutside && isInsideRealPath(cwd, root)) return ok(root);
  const issue: Issue = error(
    "bad_artifact_dir",
    "artifactDir",
    isOutside ? `"${value}" lies outside the project` : `"${value}" leads out of the project through a link`,
    "name a folder inside it, or use --artifacts",
  );
  return fail(file === undefined ? issue : { ...issue, file });
}

/** True if a folder, or the existing part of its path, is inside another after following all links. */
function isInsideRealPath(folder: string, path: string): boolean {
  try {
    const top = realpathSync(folder);
    let at = path;
    // A dangling link is followed as soon as its target is created.
    while (!lstatSync(at, { throwIfNoEntry: false })) at = dirname(at);
    const real = realpathSync(at);
    return real === top || real.startsWith(join(top, sep));
  } catch {
    return false;
  }
}

/** [F19] As git and npm find theirs: where its configuration is, else where its casts are, else the folder itself. */
export function findProject(context: ConfigContext): ConfigContext {
  const folders = ancestorFolders(context.cwd, context.env);
  const found =
    folders.find((folder) => existsSync(projectConfigFile(folder))) ??
    folders.find((folder) => existsSync(join(folder, PROJECT_CASTS_FOLDER)));
  return found === undefined || found === context.cwd ? context : { ...context, cwd: found, startFolder: context.cwd };
}

/** The folder and its parents: up to the top of its repository, else up to folders of other users. */
function ancestorFolders(cwd: string, env: ConfigContext["env"]): readonly string[] {
  const above: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    above.push(at);
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".jj"))) return above;
    if (dirname(at) === at) break;
  }
  // A file in /tmp may be anybody's, and one in the home folder would apply to everything.
  const home = resolve(env["HOME"] || homedir());
  const end = above.findIndex((folder, index) => index > 0 && (folder === home || !isOwnFolder(folder)));
  return end === -1 ? above : above.slice(0, end);
}

function isOwnFolder(folder: string): boolean {
  const me = process.getuid?.();
  // A user with write access to a folder decides its contents.
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && (me === undefined || found.uid === me) && (found.mode & 0o002) === 0;
}

/** [U39] A configuration whose commands name files relative to the folder of their file. */
function resolveCommandFiles(raw: unknown, file: string): unknown {
  const materia = isJsonObject(raw) ? raw["materia"] : undefined;
  if (!isJsonObject(raw) || !isJsonObject(materia)) return raw;
  const folder = dirname(file);
  const fileOrWord = (word: Json, index: number): Json =>
    (typeof word === "string" ? findCommandFile(folder, word, index) : undefined) ?? word;
  const found = Object.entries(materia).map(([name, each]): [string, Json] => {
    const command = isJsonObject(each) ? each["command"] : undefined;
    return isJsonObject(each) && Array.isArray(command)
      ? [name, { ...each, command: command.map(fileOrWord) }]
      : [name, each];
  });
  return { ...raw, materia: Object.fromEntries(found) };
}

/** The file beside the configuration that a word of a command names: the program, or an argument with `./` or `../`. */
export function findCommandFile(folder: string, word: string, index: number): string | undefined {
  const namesFile = index === 0 ? word.includes("/") : /^\.\.?\//.test(word);
  return namesFile ? findFileBeside(folder, word) : undefined;
}

function findFileBeside(folder: string, word: string): string | undefined {
  if (word === "" || isAbsolute(word) || word.startsWith("-") || word.includes("\0")) return undefined;
  const file = join(folder, word);
  return tryStat(file)?.isFile() === true ? file : undefined;
}

/** [U39] Arguments that earlier versions took for files beside the configuration. */
function bareArgumentIssues(raw: unknown, file: string): readonly Issue[] {
  const materia = isJsonObject(raw) && isJsonObject(raw["materia"]) ? raw["materia"] : {};
  return Object.entries(materia).flatMap(([name, each]) => {
    const command = isJsonObject(each) && Array.isArray(each["command"]) ? each["command"] : [];
    return command.flatMap((word: Json, index) => {
      if (index === 0 || typeof word !== "string" || /^\.\.?\//.test(word)) return [];
      if (findFileBeside(dirname(file), word) === undefined) return [];
      const message = `"${word}" is passed unchanged, although a file of that name is beside this configuration`;
      const hint = `write "./${word}" to name the file`;
      return [{ ...warning("bare_argument", ["materia", name, "command", index], message, hint), file }];
    });
  });
}

/** Sets `activeLoadout` in the project's file if it exists, else in the user's; comments and order stay. Returns the path. */
export function setActiveLoadout(context: ConfigContext, name: string): Result<string> {
  const project = projectConfigFile(context.cwd);
  const file = existsSync(project) ? project : userConfigFile(context.env);
  const before = existsSync(file) ? readConfigText(file) : ok({ text: "{}\n" });
  if (!before.ok) return before;
  const { text } = before.value;
  try {
    const edits = modify(text, ["activeLoadout"], name, { formattingOptions: { insertSpaces: true, tabSize: 2 } });
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, applyEdits(text, edits), 0o666);
    return ok(file);
  } catch (thrown) {
    return failAt(file, error("write_failed", "activeLoadout", `cannot store the choice: ${errorText(thrown)}`));
  }
}

const VARIABLE = /\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g;

/** Expands `$NAME` and `${NAME}` of the environment: a password need not be in a file. `at` is the place of the text. */
export function expandVariables(text: string, at: string, env: ConfigContext["env"]): Result<string> {
  const missing = [...text.matchAll(VARIABLE)].flatMap(([, name = ""]) => (env[name] ? [] : [name]));
  if (missing.length > 0)
    return fail(
      ...missing.map((name) => error("missing_environment", at, `the environment variable ${name} is not set`)),
    );
  return ok(text.replace(VARIABLE, (_all, name: string) => env[name] ?? ""));
}
