import { BUNDLED_AGENTS } from "./bundled-agents.ts";
import { BUNDLED_GATES, BUNDLED_UTILITY_MATERIA, BUNDLED_VERSION_CONTROL } from "./bundled-utilities.ts";
import { BUNDLED_GENERATORS } from "./bundled-generators.ts";
import { BUNDLED_LOADOUTS } from "./bundled-loadouts.ts";
import { readLayer, type ConfigLayer } from "./layer.ts";

/** The bundled configuration, written and read like a user's file. */
const BUNDLED_CONFIG = {
  artifactDir: ".pi/pi-materia",
  activeLoadout: "Full-Auto",
  budget: { maxTokens: 10_000_000, maxCostUsd: 20, warnAtPercent: 75 },
  limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
  materia: {
    ...BUNDLED_AGENTS,
    ...BUNDLED_GENERATORS,
    ...BUNDLED_UTILITY_MATERIA,
    ...BUNDLED_VERSION_CONTROL,
    ...BUNDLED_GATES,
  },
  loadouts: BUNDLED_LOADOUTS,
};

export function bundledLayer(): ConfigLayer {
  return readLayer("bundled", BUNDLED_CONFIG);
}
