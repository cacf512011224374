import type * as v from "valibot";
import type { PersonMateria, UtilityMateria } from "../../model/materia.ts";

type Gates = Readonly<Record<string, v.InferInput<typeof UtilityMateria> | v.InferInput<typeof PersonMateria>>>;

/** [Q8] What answers yes or no without a model. */
export const BUNDLED_GATES: Gates = {
  "Run-Checks": {
    type: "utility",
    description: "Runs the project's own tests: satisfied when they pass, else with the end of what they printed.",
    group: "Gates",
    color: "leaf",
    script: "Run-Checks",
    gate: true,
    timeoutMs: 900_000,
    // Where toolchains keep themselves and what they have built; no secret is among them.
    env: [
      "CI",
      "CARGO_HOME",
      "GOCACHE",
      "GOPATH",
      "JAVA_HOME",
      "NVM_DIR",
      "PNPM_HOME",
      "RUSTUP_HOME",
      "VIRTUAL_ENV",
      "XDG_CACHE_HOME",
      "XDG_CONFIG_HOME",
    ],
  },
  Approve: {
    type: "person",
    description: "Asks a person whether the work may go on.",
    group: "Gates",
    color: "gold",
    question: `May this go on?

Request: {{request}}
{{item.title}}`,
  },
};
