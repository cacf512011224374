import type * as v from "valibot";
import type { UtilityMateria } from "../../model/materia.ts";

type Utility = v.InferInput<typeof UtilityMateria>;

/** Not GIT_DIR: their commits belong to the repository that they found, whatever the environment points at. */
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

/** Mime works with git, Blackbelt with jj where there is a jj repository and else with git. */
export const BUNDLED_VERSION_CONTROL: Readonly<Record<string, Utility>> = {
  "Blackbelt-Bootstrap": bootstrap(
    "Blackbelt-Bootstrap",
    "Prepares version control: a repository, earlier work kept safe, a branch or bookmark of its own.",
  ),
  "Blackbelt-Maintain": maintain("Blackbelt-Maintain", "Commits what the item has changed, with jj or git."),
  "Blackbelt-GH-PR": request("Blackbelt-GH-PR", "GitHub, with jj or git", GITHUB),
  "Blackbelt-ADO-PR": request("Blackbelt-ADO-PR", "Azure DevOps, with jj or git", AZURE),
  "Mime-Bootstrap": bootstrap(
    "Mime-Bootstrap",
    "Prepares git: a repository, earlier work kept safe, a branch of its own.",
  ),
  "Mime-Maintain": maintain("Mime-Maintain", "Commits what the item has changed, with git."),
  "Mime-GH-PR": request("Mime-GH-PR", "GitHub, with git", GITHUB),
  "Mime-ADO-PR": request("Mime-ADO-PR", "Azure DevOps, with git", AZURE),
};

function bootstrap(script: string, description: string): Utility {
  return { ...utility(script, description), env: COMMITTER, timeoutMs: 120_000 };
}

function maintain(script: string, description: string): Utility {
  return { ...utility(script, description), env: COMMITTER, timeoutMs: 120_000 };
}

function request(script: string, where: string, env: readonly string[]): Utility {
  const description = `Pushes the branch of the work and opens a pull request on ${where}; says what is missing.`;
  return { ...utility(script, description), env: [...env], timeoutMs: 300_000 };
}

function utility(script: string, description: string): Utility {
  return { type: "utility", description, group: "Version control", color: "slate", script, parse: "json" };
}
