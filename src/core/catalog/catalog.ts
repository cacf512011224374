import type { AgentLimits, Budget, CastLimits, FleetConfig, WorktreeConfig } from "../model/config.ts";
import type { Issue } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import type { Materia } from "../model/materia.ts";
import { mergeMateria } from "./extend.ts";
import type { CatalogEntry, ConfigLayer, LayerName } from "./layer.ts";

/** What can be named, and the settings in force. */
export interface Catalog {
  readonly settings: Settings;
  /** Apart from the settings, which the page is shown: a url may hold a password. */
  readonly fleet?: FleetConfig;
  readonly materia: ReadonlyMap<string, CatalogEntry<Materia>>;
  readonly loadouts: ReadonlyMap<string, CatalogEntry<Loadout>>;
  /** Problems of the files as wholes; those of a materia or loadout are kept with it. */
  readonly issues: readonly Issue[];
}

export interface Settings {
  readonly artifactDir: LayeredSetting<string>;
  readonly activeLoadout: LayeredSetting<string>;
  /** What agents use whose materia names none; null leaves it to Pi. */
  readonly model: string | null;
  readonly budget: Budget;
  readonly limits: CastLimits & AgentLimits;
  /** Whether the files of a cast are kept after every visit. */
  readonly checkpoints: boolean;
  /** Whether a face may call the person. */
  readonly notify: boolean;
  readonly worktree: WorktreeConfig;
}

export interface LayeredSetting<T> {
  readonly value: T;
  readonly layer: LayerName;
  readonly file?: string;
}

/** What holds where no layer says otherwise. */
export const DEFAULT_LIMITS: CastLimits & AgentLimits = {
  maxNoAdvanceCycles: 3,
  maxRepairs: 1,
  agentSilenceMs: 900_000,
};

/** Later layers win: a materia or loadout replaces the earlier one whole (a materia may extend it), `null` removes it, settings merge by key. */
export function mergeLayers(layers: readonly ConfigLayer[]): Catalog {
  return {
    settings: {
      artifactDir: lastSetting(layers, (layer) => layer.settings.artifactDir, ".pi/pi-materia"),
      activeLoadout: lastSetting(layers, (layer) => layer.settings.activeLoadout, "Full-Auto"),
      model: layers.findLast((layer) => layer.settings.model !== undefined)?.settings.model ?? null,
      budget: Object.assign({}, ...layers.map((layer) => layer.settings.budget)),
      limits: Object.assign({}, DEFAULT_LIMITS, ...layers.map((layer) => layer.settings.limits)),
      notify: layers.findLast((layer) => layer.settings.notify !== undefined)?.settings.notify ?? true,
      checkpoints: layers.findLast((layer) => layer.settings.checkpoints !== undefined)?.settings.checkpoints ?? true,
      worktree: Object.assign({}, ...layers.map((layer) => layer.settings.worktree)),
    },
    ...fleetSetting(layers),
    materia: mergeMateria(layers),
    loadouts: mergeLoadouts(layers),
    issues: layers.flatMap((layer) => layer.issues),
  };
}

/** [B3] Only the user's own file is read for it. */
function fleetSetting(layers: readonly ConfigLayer[]): Pick<Catalog, "fleet"> {
  const fleet = layers.find((layer) => layer.settings.fleet)?.settings.fleet;
  return fleet ? { fleet } : {};
}

function lastSetting(
  layers: readonly ConfigLayer[],
  pick: (layer: ConfigLayer) => string | undefined,
  fallback: string,
): LayeredSetting<string> {
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
