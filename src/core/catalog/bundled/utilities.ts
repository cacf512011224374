import type * as v from "valibot";
import type { UtilityMateria } from "../../model/materia.ts";

type Utilities = Readonly<Record<string, v.InferInput<typeof UtilityMateria>>>;

export const UTILITIES: Utilities = {
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
  "Blackbelt-Bootstrap": {
    type: "utility",
    description: "Prepares version control: a repository, earlier work kept safe, a branch or bookmark of its own.",
    group: "Utility",
    color: "slate",
    script: "Blackbelt-Bootstrap",
    parse: "json",
    // Not GIT_DIR: its commits belong to the repository it found, whatever the environment points at.
    env: ["XDG_CONFIG_HOME", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
    timeoutMs: 120_000,
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
