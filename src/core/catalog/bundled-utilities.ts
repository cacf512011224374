import type * as v from "valibot";
import type { UtilityMateria, PersonMateria } from "../model/materia.ts";

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

const UTILITIES: readonly (Utility & { readonly script: string })[] = [
  {
    ...utility(
      "Ignore-Artifacts",
      "Keeps the folder of casts out of version control and notes it in state.artifactIgnore.",
    ),
    group: "Utility",
    // The person's global ignore file may already cover the folder.
    env: ["XDG_CONFIG_HOME"],
  },
  {
    ...utility("Detect-VCS", "Finds the repository around the folder, git or jj, and notes it in state.vcs."),
    group: "Utility",
    color: "lagoon",
    env: ["GIT_DIR", "GIT_WORK_TREE"],
  },
  {
    ...utility(
      "Commit-Sigil",
      "Hands the work items on unchanged, satisfied when every title can be a commit subject.",
    ),
    group: "Utility",
    generator: true,
  },
  // Mime uses git. Blackbelt uses jj in a jj repository and git elsewhere.
  committing(
    "Blackbelt-Bootstrap",
    "Prepares version control: makes a repository if needed, commits earlier work, makes a branch or bookmark.",
  ),
  committing("Blackbelt-Maintain", "Commits what the item has changed, with jj or git."),
  request("Blackbelt-GH-PR", "GitHub, with jj or git", GITHUB),
  request("Blackbelt-ADO-PR", "Azure DevOps, with jj or git", AZURE),
  committing("Mime-Bootstrap", "Prepares git: makes a repository if needed, commits earlier work, makes a branch."),
  committing("Mime-Maintain", "Commits what the item has changed, with git."),
  request("Mime-GH-PR", "GitHub, with git", GITHUB),
  request("Mime-ADO-PR", "Azure DevOps, with git", AZURE),
];

export const BUNDLED_UTILITY_MATERIA: Readonly<Record<string, Utility>> = Object.fromEntries(
  UTILITIES.map((each) => [each.script, each]),
);

function committing(script: string, description: string) {
  return { ...utility(script, description), env: COMMITTER, timeoutMs: 120_000 };
}

function request(script: string, where: string, env: readonly string[]) {
  const description = `Pushes the branch of the work and opens a pull request on ${where}; says what is missing.`;
  return { ...utility(script, description), env: [...env], timeoutMs: 300_000 };
}

function utility(script: string, description: string) {
  return {
    type: "utility" as const,
    description,
    group: "Version control",
    color: "slate",
    script,
    parse: "json" as const,
  };
}

/** [Q8] Gates that answer yes or no without a model. */
export const BUNDLED_GATES: Readonly<Record<string, Utility | v.InferInput<typeof PersonMateria>>> = {
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

const STATE_WRITES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Ignore-Artifacts", ["artifactIgnore"]],
  ["Detect-VCS", ["vcs"]],
  ["Blackbelt-Bootstrap", ["blackbelt"]],
  ["Commit-Sigil", []],
  ["Blackbelt-Maintain", ["lastCommit"]],
  ["Blackbelt-GH-PR", ["pullRequest"]],
  ["Blackbelt-ADO-PR", ["pullRequest"]],
  ["Mime-Bootstrap", ["mime"]],
  ["Mime-Maintain", ["lastCommit"]],
  ["Mime-GH-PR", ["pullRequest"]],
  ["Mime-ADO-PR", ["pullRequest"]],
  ["Pass-On", []],
  ["Several-Items", []],
  ["Run-Checks", []],
]);

export const BUNDLED_SCRIPT_NAMES: readonly string[] = [...STATE_WRITES.keys()];

export function bundledScriptFile(script: string): string {
  return `${script.toLowerCase()}.mjs`;
}

export function stateKeysWrittenBy(script: string): readonly string[] {
  return STATE_WRITES.get(script) ?? [];
}
