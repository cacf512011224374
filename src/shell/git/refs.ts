import type { RepositoryFacts } from "../../core/prompt/work-so-far.ts";
import { askGit, mayBeInRepository, runGit, stdoutText, stdoutParts, type Repository } from "./repository.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { itemGitRef } from "../../core/model/ids.ts";
import { withoutUndefined } from "../../core/model/json.ts";

/** [Y2] The only ref that holds the checkpoints of a cast. To git, `materia/<castId>` would be this ref before the branch. */
export function castRef(castId: string, hasBranch = false): string {
  return hasBranch ? itemGitRef(castId, "checkpoints") : `refs/materia/${castId}`;
}

/** [Y9, V17, V41] Removes the refs of casts and of their items, and git's records of the working trees of items. */
export async function removeCastRefs(cwd: string, castIds: readonly string[]): Promise<void> {
  if (castIds.length === 0) return;
  const deleteAll = (refs: readonly string[]) => runGit(DELETE_REFS, { cwd, input: deletionsOf(refs) });
  await deleteAll(castIds.map((castId) => castRef(castId)));
  const listed = await runGit(["for-each-ref", "--format=%(refname)", "refs/materia", "refs/materia-items"], { cwd });
  const prefixes = castIds.flatMap((castId) => [`${castRef(castId)}_`, itemGitRef(castId, "")]);
  const gone = stdoutText(listed)
    .split("\n")
    .filter((ref) => prefixes.some((prefix) => ref.startsWith(prefix)));
  if (gone.length === 0) return;
  await deleteAll(gone);
  const trees = stdoutText(await runGit(["worktree", "list", "--porcelain"], { cwd })).matchAll(/^worktree (.*)$/gm);
  // They are locked while their cast may need them.
  for (const [, path = ""] of trees)
    if (castIds.some((castId) => path.includes(`/${castId}_`))) await runGit(["worktree", "unlock", path], { cwd });
  await runGit(["worktree", "prune", "--expire=now"], { cwd });
}

const DELETE_REFS = ["update-ref", "--no-deref", "--stdin"];

function deletionsOf(refs: readonly string[]): string {
  return refs.map((ref) => `delete ${ref}\n`).join("");
}

/** The branch of HEAD, `refs/heads/…`; null if HEAD is detached. */
export async function currentBranch(cwd: string): Promise<string | null> {
  return (await askGit(["symbolic-ref", "--quiet", "HEAD"], { cwd })) ?? null;
}

export function headCommitOf(cwd: string): Promise<string | undefined> {
  return askGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd });
}

export function readRef(cwd: string, ref: string): Promise<string | undefined> {
  return askGit(["rev-parse", "--verify", "--quiet", ref], { cwd });
}

export async function isAncestor(cwd: string, one: string, other: string): Promise<boolean> {
  return (await runGit(["merge-base", "--is-ancestor", one, other], { cwd })).ok;
}

export function mergeBase(cwd: string, one: string, other: string): Promise<string | undefined> {
  return askGit(["merge-base", one, other], { cwd });
}

/** Returns true if the ref exists afterwards. */
export function writeRef(repository: Repository, ref: string, object: string): Promise<boolean> {
  return retryWithoutLocks(repository, [ref], ["update-ref", "--no-deref", ref, object]);
}

export async function listItemRefs({ top }: Repository, castId: string): Promise<readonly string[]> {
  const list = () => runGit(["for-each-ref", "--format=%(refname)%00", itemGitRef(castId, "")], { cwd: top });
  const first = await list();
  // A killed git reported nothing; refs that it would have listed would stay for ever.
  const answer = first.ok ? first : await list();
  return stdoutParts(answer).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

export async function deleteRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  if (refs.length > 0) await retryWithoutLocks(repository, refs, DELETE_REFS, deletionsOf(refs));
}

/** A git that was killed while it wrote these refs left their locks; only the owner of the cast writes them. */
async function retryWithoutLocks(
  { top, commonDir }: Repository,
  refs: readonly string[],
  args: readonly string[],
  input?: string,
): Promise<boolean> {
  const call = { cwd: top, ...withoutUndefined({ input }) };
  if ((await runGit(args, call)).ok) return true;
  for (const ref of refs) rmSync(join(commonDir, `${ref}.lock`), { force: true });
  return (await runGit(args, call)).ok;
}

const MAX_SUBJECTS = 10;
const MAX_MADE = 30;
const MAX_BYTES = 64 * 1024;

/** [P13, P16] The branch, its last subjects, the commits since the first checkpoint and what is not committed; undefined without a repository. */
export async function readRepositoryFacts(
  cwd: string,
  since: string | undefined,
): Promise<RepositoryFacts | undefined> {
  if (!mayBeInRepository(cwd)) return undefined;
  const linesOf = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await askGit(args, { cwd, maxBytes: MAX_BYTES }))?.split("\n").filter(Boolean) ?? [];
  const log = (...args: readonly string[]) => linesOf("log", "--no-color", ...args, "--");
  const [branch = null, subjects, made, changed] = await Promise.all([
    askGit(["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd }),
    log("--format=%s", "-n", String(MAX_SUBJECTS), "HEAD"),
    since === undefined ? [] : log("--reverse", "--format=%h %s", "-n", String(MAX_MADE), `${since}..HEAD`),
    linesOf("status", "--short", "--no-renames"),
  ]);
  const uncommitted = changed.map((line) => line.replace(/^ *\S+ +/, ""));
  return branch === null && subjects.length === 0 ? undefined : { branch, made, subjects, uncommitted };
}
