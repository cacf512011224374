import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { castBranch, itemGitRef, type CastId } from "../../../core/model/ids.ts";
import type { ItemTreeProgress, ItemsFailure, ItemsRefusal, PreparedWorktree } from "../../item-ports.ts";
import { errorText } from "../../system/files.ts";
import type { CachedWorktree } from "../cached-worktree.ts";
import { deleteRefs, isAncestor, readRef, headCommitOf } from "../refs.ts";
import {
  findRepository,
  gitErrorText,
  gitProblem,
  hasOwnFilters,
  runGit,
  stdoutText,
  type Repository,
} from "../repository.ts";
import { stageFiles, type ShadowIndex } from "../shadow-index.ts";
import { acquireWorktree, repairWorktree, type WorktreeContext } from "./acquire-worktree.ts";
import {
  broken,
  commitIdentityOf,
  excludeBelow,
  findItemRepository,
  hasSubmodules,
  refused,
} from "./item-repository.ts";
import { copyIndex, saveItem } from "./save-item.ts";
import { poolWorktree, removeWorktree } from "./worktree.ts";

export interface OwnWorktree {
  readonly castId: CastId;
  readonly base: string;
  readonly folder: string;
}

/** [YT1] The tree of a cast with its branch checked out: created, found again, or rebuilt. */
export async function prepareOwnWorktree(
  context: WorktreeContext,
  own: OwnWorktree & { readonly progress: ItemTreeProgress },
): Promise<(PreparedWorktree & { readonly cached: CachedWorktree | undefined }) | ItemsFailure> {
  const opened = await findItemRepository(context.cwd);
  if ("kind" in opened) return opened;
  const { repository } = opened;
  const { castId, base, folder, progress } = own;
  const [branch, ref, taken] = [castBranch(castId), branchRef(castId), takenRef(castId)];
  try {
    const tip = await readRef(repository.top, ref);
    if (progress === "not begun" && tip !== undefined && tip !== base)
      return broken(`the branch ${branch} exists already; rename it with "git branch -m ${branch} OTHER"`);
    const elsewhere = await findCheckout(repository, ref, folder);
    if (elsewhere !== undefined)
      return broken(`the branch ${branch} is checked out in ${elsewhere}; switch to another branch there`);
    const from = tip ?? base;
    const acquired = await acquireWorktree(context, {
      itemRepository: opened,
      free: [],
      folder,
      window: { base: from, tree: null },
      progress: (await hasTaken(repository, taken, from)) ? ALL_COMMITTED : progress,
    });
    if ("kind" in acquired) return acquired;
    // The empty old value: a branch that somebody created just now is not overwritten.
    const uncreated =
      tip === undefined ? await gitProblem(["update-ref", ref, from, ""], { cwd: repository.top }) : undefined;
    // Attaches the HEAD of a new tree to the branch; the files stay as they are.
    const attach = ["symbolic-ref", "-m", "materia", "HEAD", ref];
    const unbranched = uncreated ?? (acquired.isNew ? await gitProblem(attach, { cwd: folder }) : undefined);
    if (unbranched !== undefined) return broken(`cannot use the branch ${branch}: ${unbranched}`);
    await deleteRefs(repository, [taken]);
    return { kind: "ready", cwd: acquired.tree.cwd, cached: acquired.cached };
  } catch (thrown) {
    return broken(`cannot create a working tree: ${errorText(thrown)}`);
  }
}

/** After `take` everything is on the branch, where a person may have continued: no checkpoint is restored. */
const ALL_COMMITTED: ItemTreeProgress = { checkpoint: undefined, hasWorked: false };

async function hasTaken({ top }: Repository, taken: string, tip: string): Promise<boolean> {
  const commit = await readRef(top, taken);
  return commit !== undefined && isAncestor(top, commit, tip);
}

function branchRef(castId: CastId): string {
  return `refs/heads/${castBranch(castId)}`;
}

/** The working tree that has the branch checked out, if it is not this folder. */
async function findCheckout({ top }: Repository, ref: string, folder: string): Promise<string | undefined> {
  const listed = stdoutText(await runGit(["worktree", "list", "--porcelain"], { cwd: top }));
  const holders = listed.split("\n\n").filter((entry) => entry.split("\n").includes(`branch ${ref}`));
  const folders = holders.map((entry) => entry.slice("worktree ".length, entry.indexOf("\n")));
  return folders.find((each) => !each.endsWith(folder));
}

export interface OwnWorktreeToSave extends OwnWorktree {
  readonly cwd: string;
  readonly pool: string;
  readonly title: string;
  /** The last checkpoint, for a tree that is gone. */
  readonly checkpoint: string | undefined;
}

/** [YT6] Commits everything in the tree on its branch, and frees the branch. Repeated, it changes nothing. */
export async function saveOwnWorktree(own: OwnWorktreeToSave): Promise<BranchOutcome> {
  const { cwd, pool, castId, base, folder, title, checkpoint } = own;
  const opened = await findItemRepository(cwd);
  if ("kind" in opened) return { kind: "failed", problem: opened.problem };
  const { repository } = opened;
  const [branch, ref, taken] = [castBranch(castId), branchRef(castId), takenRef(castId)];
  const tip = await readRef(repository.top, ref);
  const found = await repairWorktree(repository, folder);
  if (found !== "tree") {
    // git never prunes a locked tree: removed by hand, it would hold the branch.
    if (found === "nothing")
      await runGit(["worktree", "remove", "--force", "--force", folder], { cwd: repository.top });
    const before = await readRef(repository.top, taken);
    // The branch may have lost since what was taken.
    if (before !== undefined) return moveBranch(cwd, branch, before);
    const head = tip ?? base;
    return createCastBranch(cwd, castId, { head, ckpt: checkpoint ?? head });
  }
  const elsewhere = await findCheckout(repository, ref, folder);
  if (elsewhere !== undefined)
    return { kind: "failed", problem: `it is checked out in ${elsewhere}; switch to another branch there` };
  await deleteRefs(repository, [taken]);
  const saved = await saveItem(opened, { folder, ref: taken, base, title, cachedWorktree: undefined });
  if (saved.work.kind === "broken") return { kind: "failed", problem: saved.work.problem };
  const commit = saved.work.commit ?? tip ?? base;
  const moved = await moveBranch(cwd, branch, commit);
  if (moved.kind === "branched") await freeWorktree(repository, pool, folder);
  return moved;
}

/** [YT10] Removes a tree. The branch stays while no other branch has its work. Returns false if the work cannot be stored. */
export async function discardOwnWorktree(own: OwnWorktreeToSave): Promise<boolean> {
  const { cwd, castId, base, folder } = own;
  const ref = branchRef(castId);
  if (!existsSync(folder) && (await readRef(cwd, ref)) === undefined) return true;
  const saved = await saveOwnWorktree(own);
  if (saved.kind === "failed") return !existsSync(folder);
  if (saved.commit === base || (await isOnOtherBranch(cwd, saved.commit, ref)))
    // git keeps a branch that is checked out somewhere.
    await runGit(["branch", "--quiet", "-D", castBranch(castId)], { cwd });
  return true;
}

async function isOnOtherBranch(cwd: string, commit: string, ref: string): Promise<boolean> {
  const list = ["for-each-ref", "--format=%(refname)", "--contains", commit, "refs/heads", "refs/remotes"];
  const holders = stdoutText(await runGit(list, { cwd })).split("\n");
  return holders.some((name) => name !== "" && name !== ref);
}

/** Its work is on the branch, which another tree may want to check out. */
async function freeWorktree(repository: Repository, pool: string, folder: string): Promise<void> {
  const head = await headCommitOf(folder);
  if (head !== undefined) await runGit(["update-ref", "--no-deref", "HEAD", head], { cwd: folder });
  if (!(await poolWorktree(repository, pool, folder))) await removeWorktree(repository.top, folder);
}

export interface OwnBaseRequest {
  readonly cwd: string;
  readonly artifacts: string;
  /** Whether the tree starts from the files as they are, not from HEAD. */
  readonly withChanges: boolean;
  /** Whether a program fills new trees with what git leaves out. */
  readonly hasSetup: boolean;
}

/** [YT2] The commit that the working tree of a cast starts from, or why it cannot have one. */
export async function findOwnBase(request: OwnBaseRequest): Promise<{ kind: "found"; base: string } | ItemsRefusal> {
  const found = await findRepository(request.cwd);
  if (found.kind === "none") return refused(found.why);
  const { repository } = found;
  const { top, head } = repository;
  if (await hasOwnFilters(repository))
    return refused("the repository's own configuration has filters, which do not run in a new working tree");
  // A branch "materia" takes the place of the folder of our branches.
  if ((await readRef(top, "refs/heads/materia")) !== undefined)
    return refused(`a branch is named "materia"; rename it with "git branch -m materia OTHER"`);
  const base = request.withChanges ? await commitChanges(repository, request) : head;
  if (typeof base !== "string") return base;
  if (!request.hasSetup && (await hasSubmodules(top, base)))
    return refused(
      `it has submodules, which are empty in a new working tree; a "setup" in "worktree" can fill them: ["git", "submodule", "update", "--init"]`,
    );
  return { kind: "found", base };
}

/** The files as they are, in a commit on HEAD that no branch names yet; HEAD if nothing has changed. */
async function commitChanges(
  { top, gitDir, head, tree }: Repository,
  { artifacts }: OwnBaseRequest,
): Promise<string | ItemsRefusal> {
  const scratch = mkdtempSync(join(tmpdir(), "materia-index-"));
  try {
    const [index, own] = [join(gitDir, "index"), join(scratch, "index")];
    // A private index: the person's staged files stay staged.
    if (existsSync(index)) copyIndex(index, own);
    const git: ShadowIndex["git"] = (args, call) => runGit(args, { ...call, cwd: top, env: { GIT_INDEX_FILE: own } });
    const added = await stageFiles(git, ["--all"], [":/", ...excludeBelow(top, artifacts)]);
    const written = added.ok ? await git(["write-tree"]) : added;
    if (written.ok && stdoutText(written) === tree) return head;
    const commit = ["commit-tree", stdoutText(written), "-p", head, "-m", "Uncommitted changes"];
    const made = written.ok ? await runGit(commit, { cwd: top, env: await commitIdentityOf(top) }) : written;
    return made.ok ? stdoutText(made) : refused(`git cannot store the files as they are: ${gitErrorText(made)}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export type BranchOutcome =
  | { readonly kind: "branched"; readonly branch: string; readonly commit: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B17] A branch at the agents' last commit, with one more commit for uncommitted files. */
export async function createCastBranch(
  cwd: string,
  castId: string,
  { head, ckpt }: { readonly head: string; readonly ckpt: string },
): Promise<BranchOutcome> {
  const branch = castBranch(castId);
  let commit = head;
  if (!(await runGit(["diff-tree", "--quiet", head, ckpt], { cwd })).ok) {
    const env = { ...(await commitIdentityOf(cwd)), ...(await commitDatesOf(cwd, ckpt)) };
    const args = ["commit-tree", `${ckpt}^{tree}`, "-p", head, "-m", `Work of cast ${castId}`];
    const made = await runGit(args, { cwd, env });
    if (!made.ok) return { kind: "failed", problem: gitErrorText(made) };
    commit = stdoutText(made);
  }
  const taken = takenRef(castId);
  // Only what an earlier call put there may be replaced.
  const moved = await moveBranch(cwd, branch, commit, await readRef(cwd, taken));
  if (moved.kind === "branched") await runGit(["update-ref", taken, moved.commit], { cwd });
  return moved;
}

/** The work as it was when a person took it. */
function takenRef(castId: string): string {
  return itemGitRef(castId, "taken");
}

/** Moves a branch forward to a commit, or creates it. Commits that a person added to it stay; other commits are never dropped. */
async function moveBranch(cwd: string, branch: string, commit: string, replaceable?: string): Promise<BranchOutcome> {
  const ref = `refs/heads/${branch}`;
  const tip = await readRef(cwd, ref);
  if (tip !== undefined && (await isAncestor(cwd, commit, tip))) return { kind: "branched", branch, commit: tip };
  if (tip !== undefined && tip !== replaceable && !(await isAncestor(cwd, tip, commit)))
    return {
      kind: "failed",
      problem: `${branch} has other commits than the cast; rename it with "git branch -m ${branch} OTHER"`,
    };
  const named = await runGit(["update-ref", ref, commit, tip ?? ""], { cwd });
  return named.ok ? { kind: "branched", branch, commit } : { kind: "failed", problem: gitErrorText(named) };
}

/** Author and date of the checkpoint: repeated, it gives the same commit. */
async function commitDatesOf(cwd: string, ckpt: string): Promise<Readonly<Record<string, string>>> {
  const answer = await runGit(["show", "-s", "--format=%ct", ckpt], { cwd });
  const at = `${stdoutText(answer)} +0000`;
  return answer.ok ? { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at } : {};
}
