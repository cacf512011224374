import type * as v from "valibot";
import type { UtilityMateria } from "../../model/materia.ts";

type Utilities = Readonly<Record<string, v.InferInput<typeof UtilityMateria>>>;

export const BUNDLED_UTILITY_MATERIA: Utilities = {
  "Ignore-Artifacts": {
    type: "utility",
    description: "Keeps the folder of casts out of version control and notes it in state.artifactIgnore.",
    group: "Utility",
    color: "slate",
    script: "Ignore-Artifacts",
    parse: "json",
    // Git's own ignore file of the person may already cover the folder.
    env: ["XDG_CONFIG_HOME"],
  },
  "Detect-VCS": {
    type: "utility",
    description: "Finds the repository around the folder, git or jj, and notes it in state.vcs.",
    group: "Utility",
    color: "lagoon",
    script: "Detect-VCS",
    parse: "json",
    env: ["GIT_DIR", "GIT_WORK_TREE"],
  },
  "Commit-Sigil": {
    type: "utility",
    description: "Hands the work items on unchanged, satisfied when every title can be a commit subject.",
    group: "Utility",
    color: "slate",
    script: "Commit-Sigil",
    generator: true,
    parse: "json",
  },
};
