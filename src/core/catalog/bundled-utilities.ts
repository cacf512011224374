import type * as v from "valibot";
import type { UtilityMateria, PersonMateria } from "../model/materia.ts";

type Utilities = Readonly<Record<string, v.InferInput<typeof UtilityMateria>>>;

export const BUNDLED_UTILITY_MATERIA: Utilities = {
  "Ignore-Artifacts": {
    type: "utility",
    description: "Keeps the folder of casts out of version control and notes it in state.artifactIgnore.",
    group: "Utility",
    color: "slate",
    script: "Ignore-Artifacts",
    parse: "json",
    // The person's global ignore file may already cover the folder.
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

type Utility = v.InferInput<typeof UtilityMateria>;

/** Not GIT_DIR: commits go to the repository that the utility finds, even if the environment names another. */
const COMMITTER = [
  "XDG_CONFIG_HOME",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
];
const REMOTE = ["XDG_CONFIG_HOME", "SSH_AUTH_SOCK"];
const GITHUB = [...REMOTE, "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_ENTERPRISE_TOKEN", "GH_CONFIG_DIR"];
const AZURE = [...REMOTE, "AZURE_DEVOPS_EXT_PAT", "AZURE_CONFIG_DIR"];

/** Mime uses git. Blackbelt uses jj in a jj repository and git elsewhere. */
export const BUNDLED_VERSION_CONTROL: Readonly<Record<string, Utility>> = {
  "Blackbelt-Bootstrap": committing(
    "Blackbelt-Bootstrap",
    "Prepares version control: makes a repository if needed, commits earlier work, makes a branch or bookmark.",
  ),
  "Blackbelt-Maintain": committing("Blackbelt-Maintain", "Commits what the item has changed, with jj or git."),
  "Blackbelt-GH-PR": request("Blackbelt-GH-PR", "GitHub, with jj or git", GITHUB),
  "Blackbelt-ADO-PR": request("Blackbelt-ADO-PR", "Azure DevOps, with jj or git", AZURE),
  "Mime-Bootstrap": committing(
    "Mime-Bootstrap",
    "Prepares git: makes a repository if needed, commits earlier work, makes a branch.",
  ),
  "Mime-Maintain": committing("Mime-Maintain", "Commits what the item has changed, with git."),
  "Mime-GH-PR": request("Mime-GH-PR", "GitHub, with git", GITHUB),
  "Mime-ADO-PR": request("Mime-ADO-PR", "Azure DevOps, with git", AZURE),
};

function committing(script: string, description: string): Utility {
  return { ...utility(script, description), env: COMMITTER, timeoutMs: 120_000 };
}

function request(script: string, where: string, env: readonly string[]): Utility {
  const description = `Pushes the branch of the work and opens a pull request on ${where}; says what is missing.`;
  return { ...utility(script, description), env: [...env], timeoutMs: 300_000 };
}

function utility(script: string, description: string): Utility {
  return { type: "utility", description, group: "Version control", color: "slate", script, parse: "json" };
}

type Gates = Readonly<Record<string, v.InferInput<typeof UtilityMateria> | v.InferInput<typeof PersonMateria>>>;

/** [Q8] Gates that answer yes or no without a model. */
export const BUNDLED_GATES: Gates = {
  "Run-Checks": {
    type: "utility",
    description: "Runs the project's own tests: satisfied when they pass, else with the end of what they printed.",
    group: "Gates",
    color: "leaf",
    script: "Run-Checks",
    gate: true,
    timeoutMs: 900_000,
    // Paths of toolchains and their caches; none of them is secret.
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
  "Several-Items": {
    type: "utility",
    description:
      "Satisfied when the plan has more than one item, so that a loadout can leave steps out for a single one.",
    group: "Gates",
    color: "leaf",
    script: "Several-Items",
    gate: true,
  },
  Approve: {
    type: "person",
    description: "Asks a person whether the work may go on.",
    group: "Gates",
    color: "gold",
    question: `May this go on?

Request: {{request}}`,
  },
};

/** Bundled utility scripts by the name in a materia's `script`, with the state that each one writes. */
const BUNDLED_SCRIPTS: ReadonlyMap<string, { readonly file: string; readonly writes: readonly string[] }> = new Map([
  ["Ignore-Artifacts", { file: "ignore-artifacts.mjs", writes: ["artifactIgnore"] }],
  ["Detect-VCS", { file: "detect-vcs.mjs", writes: ["vcs"] }],
  ["Blackbelt-Bootstrap", { file: "blackbelt-bootstrap.mjs", writes: ["blackbelt"] }],
  ["Commit-Sigil", { file: "commit-sigil.mjs", writes: [] }],
  ["Blackbelt-Maintain", { file: "blackbelt-maintain.mjs", writes: ["lastCommit"] }],
  ["Blackbelt-GH-PR", { file: "blackbelt-gh-pr.mjs", writes: ["pullRequest"] }],
  ["Blackbelt-ADO-PR", { file: "blackbelt-ado-pr.mjs", writes: ["pullRequest"] }],
  ["Mime-Bootstrap", { file: "mime-bootstrap.mjs", writes: ["mime"] }],
  ["Mime-Maintain", { file: "mime-maintain.mjs", writes: ["lastCommit"] }],
  ["Mime-GH-PR", { file: "mime-gh-pr.mjs", writes: ["pullRequest"] }],
  ["Mime-ADO-PR", { file: "mime-ado-pr.mjs", writes: ["pullRequest"] }],
  ["Pass-On", { file: "pass-on.mjs", writes: [] }],
  ["Several-Items", { file: "several-items.mjs", writes: [] }],
  ["Run-Checks", { file: "run-checks.mjs", writes: [] }],
]);

export const BUNDLED_SCRIPT_NAMES: readonly string[] = [...BUNDLED_SCRIPTS.keys()];

export function bundledScriptFile(script: string): string | undefined {
  return BUNDLED_SCRIPTS.get(script)?.file;
}

export function stateKeysWrittenBy(script: string): readonly string[] {
  return BUNDLED_SCRIPTS.get(script)?.writes ?? [];
}
