import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gitErrorText, runGit, stdoutText } from "./run-git.ts";

/** A repository whose working tree a cast uses. */
export interface Repository {
  /** The top of the working tree; a cast may work in a folder below it. */
  readonly top: string;
  /** git's folder of this working tree with its HEAD and index, and the folder that all working trees share. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectFormat: string;
  /** The commit of HEAD, and its tree. */
  readonly head: string;
  readonly tree: string;
}

export type FoundRepository =
  | { readonly kind: "found"; readonly repository: Repository }
  /** Why there can be no checkpoints, as the end of a sentence. */
  | { readonly kind: "none"; readonly why: string };

/** [Y3] Parallel items need `merge-tree --write-tree`, which this version added. */
const OLDEST_GIT = [2, 38] as const;

/** [Y3] The repository around a folder, or why its files cannot be stored. */
export async function findRepository(cwd: string): Promise<FoundRepository> {
  if (!mayBeInRepository(cwd)) return noRepository(explainMissing(cwd, NO_REPOSITORY));
  const useless = await whyGitUnusable(cwd);
  if (useless !== undefined) return noRepository(useless);
  const asked = await runGit(
    [
      "rev-parse",
      "--is-inside-work-tree",
      "--show-toplevel",
      "--absolute-git-dir",
      "--git-common-dir",
      "--show-object-format",
      "HEAD^{commit}",
      "HEAD^{tree}",
    ],
    { cwd },
  );
  // Without a commit, git still prints the answers before it.
  const [inside, top, gitDir, commonDir, objectFormat, head = "", tree = ""] = stdoutText(asked).split("\n");
  if (inside === "false") return noRepository(`the repository has no working tree${bareHint(cwd)}`);
  if (!top || !gitDir || !commonDir || !objectFormat) return noRepository(explainMissing(cwd, gitErrorText(asked)));
  if (asked.code === null) return noRepository(gitErrorText(asked));
  if (!isObjectId(head) || !isObjectId(tree)) return noRepository("the repository has no commit yet");
  return {
    kind: "found",
    repository: { top, gitDir, commonDir: resolve(cwd, commonDir), objectFormat, head, tree },
  };
}

/** A folder with `.git` inside should usually have a working tree. */
function bareHint(cwd: string): string {
  return existsSync(join(cwd, ".git"))
    ? ` ("git config core.bare false" gives it one, if the files here are its own)`
    : "";
}

function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

/** Programs that were recent enough, by PATH: checked once. */
const usableGits = new Set<string | undefined>();

async function whyGitUnusable(cwd: string): Promise<string | undefined> {
  const place = process.env["PATH"];
  if (usableGits.has(place)) return undefined;
  const version = await runGit(["version"], { cwd });
  if (!version.ok) return gitErrorText(version);
  if (!isRecentGit(stdoutText(version))) return `git is older than ${OLDEST_GIT.join(".")}`;
  usableGits.add(place);
  return undefined;
}

const NO_REPOSITORY = "not a git repository";

/** Checks names only, so that a folder outside every repository costs no process. A bare repository has other names. */
function mayBeInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git")) || existsSync(join(folder, "HEAD"))) return true;
  const above = dirname(folder);
  return above !== folder && mayBeInRepository(above);
}

function explainMissing(cwd: string, complaint: string): string {
  if (existsSync(join(cwd, ".jj"))) return "the repository is one of jj alone";
  if (/dubious ownership/.test(complaint)) return "the repository belongs to another user";
  return complaint.includes(NO_REPOSITORY) ? "there is no git repository" : complaint;
}

function noRepository(why: string): FoundRepository {
  return { kind: "none", why };
}

function isRecentGit(text: string): boolean {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);
}

const OPERATIONS: readonly (readonly [string, string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["BISECT_LOG", "a bisection"],
];

/** The operation that git is in the middle of, from the git folder of a working tree. */
export function operationInProgress(gitDir: string): string | undefined {
  return OPERATIONS.find(([name]) => existsSync(join(gitDir, name)))?.[1];
}

/** The commit of HEAD; undefined if there is none. */
export async function headCommitOf(cwd: string): Promise<string | undefined> {
  const asked = await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd });
  return asked.ok ? stdoutText(asked) : undefined;
}
