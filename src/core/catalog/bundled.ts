import { AGENTS } from "./bundled/agents.ts";
import { GATES } from "./bundled/gates.ts";
import { GENERATORS } from "./bundled/generators.ts";
import { LOADOUTS } from "./bundled/loadouts.ts";
import { UTILITIES } from "./bundled/utilities.ts";
import { VERSION_CONTROL } from "./bundled/version-control.ts";
import { readLayer, type Layer } from "./layer.ts";

/** What comes with the package, written as a user would write it and read through the same door. */
const BUNDLED = {
  artifactDir: ".pi/pi-materia",
  activeLoadout: "Full-Auto",
  budget: { maxTokens: 10_000_000, maxCostUsd: 20, warnAtPercent: 75 },
  limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
  materia: { ...AGENTS, ...GENERATORS, ...UTILITIES, ...VERSION_CONTROL, ...GATES },
  loadouts: LOADOUTS,
};

export function bundledLayer(): Layer {
  return readLayer("bundled", BUNDLED);
}
