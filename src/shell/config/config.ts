import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { bundledLayer } from "../../core/catalog/bundled.ts";
import { mergeLayers, type Catalog } from "../../core/catalog/catalog.ts";
import { readLayer, type ConfigLayer, type LayerName } from "../../core/catalog/layer.ts";
import { error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { resolveCommandFiles } from "./found-commands.ts";
import { readJsonFile } from "./json-file.ts";

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
export const PROJECT_CASTS_FOLDER = join(".pi", "pi-materia");

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
