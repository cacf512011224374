import { lstatSync, realpathSync, existsSync, statSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep, isAbsolute } from "node:path";
import { bundledLayer } from "../../core/catalog/bundled-layer.ts";
import { mergeLayers, type Catalog } from "../../core/catalog/catalog.ts";
import { readLayer, type ConfigLayer, type LayerName } from "../../core/catalog/layer.ts";
import { error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { readJsonFile, readConfigText } from "./config-file.ts";
import { isJsonObject, type Json } from "../../core/model/json.ts";
import { tryStat } from "../system/files.ts";
import { applyEdits, modify } from "jsonc-parser";
import { errorText } from "../system/system-error.ts";

export interface ConfigContext {
  /** The folder of the project: all work happens here. */
  readonly cwd: string;
  /** The folder inside it in which the command was typed, where that is another. */
  readonly startFolder?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file named on the command line. */
  readonly explicitFile?: string;
  /** What is typed before a command at this face, so that what is suggested can be typed: `suggestMateria` where nothing else. */
  readonly program?: string;
  /** Where the host decides on trust and has not given it, the project's file is not even read. */
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

/** Where casts are kept unless a configuration says otherwise. */
const PROJECT_CASTS_FOLDER = join(".pi", "pi-materia");

export function projectConfigFile(cwd: string): string {
  return join(cwd, ".pi", "pi-materia.json");
}

interface ConfigSource {
  readonly name: LayerName;
  readonly file: string;
  readonly required: boolean;
}

/** Every file that may say something, whether it is there or not. */
export function listConfigFiles(place: ConfigContext): readonly string[] {
  return configSources(place).map(({ file }) => file);
}

function configSources(place: ConfigContext): readonly ConfigSource[] {
  const named = place.env["MATERIA_CONFIG"];
  return [
    { name: "user", file: userConfigFile(place.env), required: false },
    ...(place.withoutProject
      ? []
      : [{ name: "project" as const, file: projectConfigFile(place.cwd), required: false }]),
    ...(named ? [{ name: "environment" as const, file: resolve(place.cwd, named), required: true }] : []),
    ...(place.explicitFile === undefined
      ? []
      : [{ name: "explicit" as const, file: resolve(place.cwd, place.explicitFile), required: true }]),
  ];
}

/** [F1] Every layer that is there. A file with faults is reported with them; the rest stays usable. */
export function loadConfig(place: ConfigContext): LoadedConfig {
  const read = configSources(place).flatMap(({ name, file, required }) => {
    const raw =
      readJsonFile(file) ??
      (required ? fail({ ...error("missing_file", "", "there is no such file"), file }) : undefined);
    return raw ? [{ name, file, raw }] : [];
  });
  const project = read.find((each) => each.name === "project");
  return {
    catalog: mergeLayers([bundledLayer(), ...read.map(({ name, file, raw }) => readConfigLayer(name, file, raw))]),
    files: read.map((each) => each.file),
    ...(project ? { project: { file: project.file, raw: project.raw.ok ? project.raw.value : null } } : {}),
  };
}

function readConfigLayer(name: LayerName, file: string, raw: Result<unknown>): ConfigLayer {
  if (raw.ok) return readLayer(name, resolveCommandFiles(raw.value, file), file);
  return { name, file, settings: {}, materia: new Map(), loadouts: new Map(), issues: raw.issues };
}

/** Where casts are kept. A project may say so only for a place inside itself. */
export function resolveArtifactRoot(cwd: string, catalog: Catalog, explicit: string | undefined): Result<string> {
  if (explicit !== undefined) return ok(resolve(cwd, explicit));
  const { value, layer, file } = catalog.settings.artifactDir;
  const root = resolve(cwd, value);
  if (layer !== "project" && layer !== "bundled") return ok(root);
  const isOutside = !root.startsWith(resolve(cwd) + sep);
  // [S9] A project may bring a link, and what lies behind it is not the project's to write to.
  if (!isOutside && isInsideRealPath(cwd, root)) return ok(root);
  const issue: Issue = error(
    "bad_artifact_dir",
    "artifactDir",
    isOutside ? `"${value}" lies outside the project` : `"${value}" leads out of the project through a link`,
    "name a folder inside it, or use --artifacts",
  );
  return fail(file === undefined ? issue : { ...issue, file });
}

/** Whether a folder, or what of its path exists, lies below another when all links are followed. */
function isInsideRealPath(folder: string, path: string): boolean {
  try {
    const top = realpathSync(folder);
    let at = path;
    // A link to nothing is there, and is followed as soon as somebody makes what it names.
    while (!lstatSync(at, { throwIfNoEntry: false })) at = dirname(at);
    const real = realpathSync(at);
    return real === top || real.startsWith(top + sep);
  } catch {
    return false;
  }
}

/**
 * [F19] The folder of the project that a folder belongs to, as git and npm find theirs: where its configuration is, else where
 * its casts are, else the folder itself.
 */
export function findProject(place: ConfigContext): ConfigContext {
  const folders = ancestorFolders(place.cwd, place.env);
  const found =
    folders.find((folder) => existsSync(projectConfigFile(folder))) ??
    folders.find((folder) => existsSync(join(folder, PROJECT_CASTS_FOLDER)));
  return found === undefined || found === place.cwd ? place : { ...place, cwd: found, startFolder: place.cwd };
}

/** The folder, then those around it: up to the top of its repository, else up to what is no longer one's own. */
function ancestorFolders(cwd: string, env: ConfigContext["env"]): readonly string[] {
  const above: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    above.push(at);
    if (existsSync(join(at, ".git")) || existsSync(join(at, ".jj"))) return above;
    if (dirname(at) === at) break;
  }
  // A file in /tmp may be anybody's, and one in the home folder would stand above everything.
  const home = resolve(env["HOME"] || homedir());
  const end = above.findIndex((folder, index) => index > 0 && (folder === home || !isOwnFolder(folder)));
  return end === -1 ? above : above.slice(0, end);
}

function isOwnFolder(folder: string): boolean {
  const me = process.getuid?.();
  // Whoever may write into a folder decides what stands in it.
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && (me === undefined || found.uid === me) && (found.mode & 0o002) === 0;
}

/** [U39] A configuration as read, with the files that its commands name found from the folder of the file that names them. */
export function resolveCommandFiles(raw: unknown, file: string): unknown {
  const materia = isJsonObject(raw) ? raw["materia"] : undefined;
  if (!isJsonObject(raw) || !isJsonObject(materia)) return raw;
  const folder = dirname(file);
  const found = Object.entries(materia).map(([name, each]): [string, Json] => {
    const command = isJsonObject(each) ? each["command"] : undefined;
    return isJsonObject(each) && Array.isArray(command)
      ? [name, { ...each, command: command.map((word, index) => resolveWord(folder, word, index)) }]
      : [name, each];
  });
  return { ...raw, materia: Object.fromEntries(found) };
}

function resolveWord(folder: string, word: Json, index: number): Json {
  return (typeof word === "string" ? findCommandFile(folder, word, index) : undefined) ?? word;
}

/** The file beside the configuration that a word of a command names, if it names one; a program without a slash is one of PATH. */
export function findCommandFile(folder: string, word: string, index: number): string | undefined {
  if (word === "" || isAbsolute(word) || word.startsWith("-") || word.includes("\0")) return undefined;
  if (index === 0 && !word.includes("/")) return undefined;
  const file = join(folder, word);
  return tryStat(file)?.isFile() === true ? file : undefined;
}

/** Sets `activeLoadout` in the project's file where there is one, else in the user's; comments and order stay. The file's path. */
export function setActiveLoadout(place: ConfigContext, name: string): Result<string> {
  const project = projectConfigFile(place.cwd);
  const file = existsSync(project) ? project : userConfigFile(place.env);
  const before = existsSync(file) ? readConfigText(file) : ok({ text: "{}\n" });
  if (!before.ok) return before;
  const { text } = before.value;
  try {
    const edits = modify(text, ["activeLoadout"], name, { formattingOptions: { insertSpaces: true, tabSize: 2 } });
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.draft`;
    writeFileSync(draft, applyEdits(text, edits));
    renameSync(draft, file);
    return ok(file);
  } catch (thrown) {
    return fail({
      ...error("write_failed", "activeLoadout", `the choice cannot be kept: ${errorText(thrown)}`),
      file,
    });
  }
}
