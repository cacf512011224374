import type { FleetConfig, NoticeTarget, SandboxProfile, TelemetryConfig } from "../model/config.ts";
import { DEFAULT_LIMITS, type LayeredText, type Settings } from "./settings.ts";
import { type Issue, error, isError, warning } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { type Materia, isGenerator } from "../model/materia.ts";
import { type CatalogEntry, type ConfigLayer, withIssueFile } from "./layer.ts";
import { isJsonObject, withoutUndefined, type JsonObject } from "../model/json.ts";
import { didYouMean, oneLine } from "../model/text.ts";
import { readCompleteMateria } from "./read-materia.ts";

/** All materia and loadouts by name, and the effective settings. */
export interface Catalog {
  readonly settings: Settings;
  /** Separate from the settings, which the page shows: a URL may hold a password. */
  readonly fleet?: FleetConfig;
  /** The same: a header may hold a key. */
  readonly telemetry?: TelemetryConfig;
  /** [YP8] The same: sandboxes by name. */
  readonly sandboxes?: Readonly<Record<string, SandboxProfile>>;
  /** [YN1] The same: receivers of notices. */
  readonly receivers?: readonly NoticeTarget[];
  readonly materia: ReadonlyMap<string, CatalogEntry<Materia>>;
  readonly loadouts: ReadonlyMap<string, CatalogEntry<Loadout>>;
  /** Problems of whole files. Problems of a materia or loadout are in its entry. */
  readonly issues: readonly Issue[];
}

/**
 * Later layers win: a materia or loadout replaces the earlier one (a materia may extend it), `null` removes it,
 * settings merge by key.
 */
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
function userSettings(
  layers: readonly ConfigLayer[],
): Pick<Catalog, "fleet" | "telemetry" | "sandboxes" | "receivers"> {
  const { fleet, telemetry, sandboxes, notify } = layers.find(({ name }) => name === "user")?.settings ?? {};
  return withoutUndefined({ fleet, telemetry, sandboxes, receivers: Array.isArray(notify) ? notify : undefined });
}

function lastSetting(
  layers: readonly ConfigLayer[],
  pick: (layer: ConfigLayer) => string | undefined,
  fallback: string,
): LayeredText {
  for (const layer of layers.toReversed()) {
    const value = pick(layer);
    if (value !== undefined)
      return { value, layer: layer.name, ...(layer.file === undefined ? {} : { file: layer.file }) };
  }
  return { value: fallback, layer: "bundled" };
}

function mergeLoadouts(layers: readonly ConfigLayer[]): ReadonlyMap<string, CatalogEntry<Loadout>> {
  const merged = new Map<string, CatalogEntry<Loadout>>();
  for (const { loadouts } of layers) {
    for (const [name, entry] of loadouts) {
      if (entry === null) merged.delete(name);
      else merged.set(name, entry);
    }
  }
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

type MateriaEntries = ReadonlyMap<string, CatalogEntry<Materia>>;

/** An effective entry, and the one of the same name that it overrides. */
interface OverridingEntry {
  readonly entry: CatalogEntry<Materia>;
  readonly below?: CatalogEntry<Materia>;
}

/** The materia of all layers. A later one replaces an earlier one, or extends it with `extends`. */
function mergeMateria(layers: readonly ConfigLayer[]): MateriaEntries {
  const stacked = new Map<string, OverridingEntry>();
  for (const layer of layers) {
    for (const [name, entry] of layer.materia) {
      const below = stacked.get(name)?.entry;
      if (entry === null) stacked.delete(name);
      else stacked.set(name, below ? { entry, below } : { entry });
    }
  }
  return new Map([...stacked].map(([name, each]) => [name, resolveEntry(each, stacked)]));
}

function resolveEntry(each: OverridingEntry, all: ReadonlyMap<string, OverridingEntry>): CatalogEntry<Materia> {
  const { entry, below } = each;
  if (extendedName(entry) !== undefined) return extendMateria(each, all);
  const lost = below ? lostKeyWarnings(entry, below) : [];
  return lost.length === 0 ? entry : { ...entry, issues: [...entry.issues, ...withIssueFile(lost, entry.file)] };
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
  const refuse = (issue: Issue): CatalogEntry<Materia> => ({
    ...entry,
    issues: [...entry.issues, ...withIssueFile([issue], entry.file)],
  });
  const shown = oneLine(name, 60);
  if (!base) {
    const own = name === entry.name;
    const message = own
      ? `no layer below has a materia "${shown}" to extend`
      : `there is no materia "${shown}" to extend`;
    return refuse(error("unknown_base", keys, message, own ? undefined : didYouMean(name, all.keys())));
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
  const told = [...entry.issues, ...withIssueFile(issues, entry.file)];
  return { ...entry, issues: told, ...(value === undefined || told.some(isError) ? {} : { value }) };
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
