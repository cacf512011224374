import type { FleetConfig, NoticeTarget, SandboxProfile, TelemetryConfig } from "../model/config.ts";
import { DEFAULT_LIMITS, type LayeredText, type Settings } from "./settings.ts";
import { type Issue, error, isError, warning } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { type Materia, isGenerator } from "../model/materia.ts";
import { type CatalogEntry, type ConfigLayer, withIssueFile } from "./layer.ts";
import { isJsonObject, withoutUndefined, type JsonObject } from "../model/json.ts";
import { didYouMean, oneLine } from "../model/text.ts";
import { readCompleteMateria } from "./read-materia.ts";

export interface Catalog {
  readonly settings: Settings;
  /** Separate from the settings, which the page shows: a URL may hold a password, a header a key. */
  readonly fleet?: FleetConfig;
  readonly telemetry?: TelemetryConfig;
  readonly sandboxes?: Readonly<Record<string, SandboxProfile>>;
  readonly receivers?: readonly NoticeTarget[];
  readonly materia: ReadonlyMap<string, CatalogEntry<Materia>>;
  readonly loadouts: ReadonlyMap<string, CatalogEntry<Loadout>>;
  /** Problems of whole files. Problems of a materia or loadout are in its entry. */
  readonly issues: readonly Issue[];
}

/** Later layers win; `null` removes a materia or loadout, and settings merge by key. */
export function mergeLayers(layers: readonly ConfigLayer[]): Catalog {
  return {
    settings: {
      artifactDir: lastSetting(layers, (layer) => layer.settings.artifactDir, ".pi/pi-materia"),
      activeLoadout: lastSetting(layers, (layer) => layer.settings.activeLoadout, "Full-Auto"),
      model: layers.findLast((layer) => layer.settings.model !== undefined)?.settings.model ?? null,
      budget: Object.assign({}, ...layers.map((layer) => layer.settings.budget)),
      limits: Object.assign({}, DEFAULT_LIMITS, ...layers.map((layer) => layer.settings.limits)),
      notify: layers.map((layer) => layer.settings.notify).findLast((value) => typeof value === "boolean") ?? true,
      checkpoints: layers.findLast((layer) => layer.settings.checkpoints !== undefined)?.settings.checkpoints ?? true,
      worktree: Object.assign({}, ...layers.map((layer) => layer.settings.worktree)),
    },
    ...userSettings(layers),
    materia: mergeMateria(layers),
    loadouts: mergeLoadouts(layers),
    issues: layers.flatMap((layer) => layer.issues),
  };
}

/** [B3] Settings that only the user's own file may have. */
function userSettings(layers: readonly ConfigLayer[]) {
  const { fleet, telemetry, sandboxes, notify } = layers.find(({ name }) => name === "user")?.settings ?? {};
  return withoutUndefined({ fleet, telemetry, sandboxes, receivers: Array.isArray(notify) ? notify : undefined });
}

function lastSetting(
  layers: readonly ConfigLayer[],
  pick: (layer: ConfigLayer) => string | undefined,
  fallback: string,
): LayeredText {
  const layer = layers.findLast((each) => pick(each) !== undefined);
  if (!layer) return { value: fallback, layer: "bundled" };
  return { value: pick(layer) ?? fallback, layer: layer.name, ...withoutUndefined({ file: layer.file }) };
}

function mergeLoadouts(layers: readonly ConfigLayer[]): Catalog["loadouts"] {
  const merged = new Map<string, CatalogEntry<Loadout>>();
  for (const [name, entry] of layers.flatMap(({ loadouts }) => [...loadouts]))
    if (entry === null) merged.delete(name);
    else merged.set(name, entry);
  return merged;
}

/** [YD5] The catalogue with one more layer above the others. Its settings do not count. */
export function withLayer(catalog: Catalog, { materia, loadouts }: ConfigLayer): Catalog {
  const own = [...materia].flatMap(([name, entry]) => (entry ? [[name, entry] as const] : []));
  const stacked = new Map<string, OverridingEntry>([...catalog.materia].map(([name, entry]) => [name, { entry }]));
  for (const [name, entry] of own) stacked.set(name, { entry });
  const added = own.map(([name, entry]) => [name, resolveEntry({ entry }, stacked)] as const);
  const drawn = [...loadouts].flatMap(([name, entry]) => (entry ? [[name, entry] as const] : []));
  return {
    ...catalog,
    materia: new Map([...catalog.materia, ...added]),
    loadouts: new Map([...catalog.loadouts, ...drawn]),
  };
}

/** An effective entry, and the one of the same name that it overrides. */
interface OverridingEntry {
  readonly entry: CatalogEntry<Materia>;
  readonly below?: CatalogEntry<Materia>;
}

function mergeMateria(layers: readonly ConfigLayer[]): Catalog["materia"] {
  const stacked = new Map<string, OverridingEntry>();
  for (const [name, entry] of layers.flatMap(({ materia }) => [...materia])) {
    const below = stacked.get(name)?.entry;
    if (entry === null) stacked.delete(name);
    else stacked.set(name, below ? { entry, below } : { entry });
  }
  return new Map([...stacked].map(([name, each]) => [name, resolveEntry(each, stacked)]));
}

function resolveEntry(each: OverridingEntry, all: ReadonlyMap<string, OverridingEntry>): CatalogEntry<Materia> {
  const { entry, below } = each;
  if (extendedName(entry) !== undefined) return extendMateria(each, all);
  return withMoreIssues(entry, below ? lostKeyWarnings(entry, below) : []);
}

function withMoreIssues<T>(entry: CatalogEntry<T>, issues: readonly Issue[]): CatalogEntry<T> {
  return issues.length === 0 ? entry : { ...entry, issues: [...entry.issues, ...withIssueFile(issues, entry.file)] };
}

function extendedName({ raw }: CatalogEntry<Materia>): string | undefined {
  const base = raw?.["extends"];
  return typeof base === "string" ? base : undefined;
}

/** [F17] Missing keys come from another materia by name, or from the overridden one of the same name. */
function extendMateria(
  { entry, below }: OverridingEntry,
  all: ReadonlyMap<string, OverridingEntry>,
): CatalogEntry<Materia> {
  const name = extendedName(entry) ?? "";
  const base = name === entry.name ? below : all.get(name)?.entry;
  const keys = ["materia", entry.name, "extends"];
  const refuse = (issue: Issue): CatalogEntry<Materia> => withMoreIssues(entry, [issue]);
  const shown = oneLine(name, 60);
  if (!base) {
    const own = name === entry.name;
    const where = own ? "no layer below has a" : "there is no";
    const hint = own ? undefined : didYouMean(name, all.keys());
    return refuse(error("unknown_base", keys, `${where} materia "${shown}" to extend`, hint));
  }
  const further = extendedName(base);
  if (further !== undefined) {
    const message = `"${shown}" extends "${oneLine(further, 60)}" itself; a materia is extended one level deep`;
    return refuse(error("nested_extends", keys, message, further === entry.name ? undefined : `extend "${further}"`));
  }
  if (base.value === undefined)
    return refuse(error("invalid_materia", keys, `the materia "${shown}" that it extends has problems`));
  return mergeWithBase(entry, base.value);
}

/** Merged key by key, also inside `assign`, then checked as if written in full. */
function mergeWithBase(entry: CatalogEntry<Materia>, base: Materia): CatalogEntry<Materia> {
  const { raw = {} } = entry;
  const { command: _command, script: _script, ...withoutProgram }: JsonObject = { ...base } as JsonObject; // parsed from JSON
  const ownProgram = "command" in raw || "script" in raw;
  const assign = isJsonObject(raw["assign"]) ? { assign: { ...base.assign, ...raw["assign"] } } : {};
  const whole = { ...(ownProgram ? withoutProgram : (base as unknown as JsonObject)), ...raw, ...assign };
  const { value, issues } = readCompleteMateria(entry.name, whole);
  const checked = withMoreIssues(entry, issues);
  return value === undefined || checked.issues.some(isError) ? checked : { ...checked, value };
}

/** [F18] Silent loss makes a cast useless: Build without tools builds nothing. */
function lostKeyWarnings(
  { name, raw = {} }: CatalogEntry<Materia>,
  { layer, value }: CatalogEntry<Materia>,
): readonly Issue[] {
  if (!value) return [];
  const had = [
    ...(value.type === "agent" && value.tools !== "none" ? ["tools"] : []),
    ...("parse" in value && value.parse !== undefined ? ["parse"] : []),
    ...(isGenerator(value) ? ["generator"] : []),
  ];
  const lost = had.filter((key) => !(key in raw));
  if (lost.length === 0) return [];
  const message = `it replaces the ${layer} materia and lacks its ${lost.join(", ")}`;
  return [
    warning("incomplete_override", ["materia", name], message, `add "extends": ${JSON.stringify(name)} to keep them`),
  ];
}
