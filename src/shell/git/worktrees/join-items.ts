import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { JoinOutcome, JoinRequest } from "../../item-ports.ts";
import { treeOf } from "../diff.ts";
import {
  type Repository,
  findRepository,
  gitErrorText,
  operationInProgress,
  stdoutParts,
  runGit,
  stdoutText,
  type GitResult,
  type GitOptions,
} from "../repository.ts";
import { isAncestor, currentBranch, headCommitOf, mergeBase } from "../refs.ts";
import { createItemRepository, refused, type ItemRepository } from "./item-repository.ts";
import { replayCommits } from "./replay-commits.ts";

/** [V32] Moves the person's branch and files to the merged items, and overwrites nothing of theirs. */
export async function joinMergedItems(
  { repository, identity }: ItemRepository,
  { base, branch, tip }: JoinRequest,
): Promise<JoinOutcome> {
  const { top } = repository;
  const elsewhere = branch === undefined ? undefined : describeOtherBranch(branch, base, await currentBranch(top));
  if (elsewhere !== undefined) return refused(elsewhere);
  const head = await headCommitOf(top);
  if (head === undefined) return refused("HEAD stands at no commit any more");
  const behind = head === base ? undefined : await moveFilesToHead(top, base, head);
  if (behind !== undefined) return refused(behind);
  const landed = await landCommits({ repository, identity }, { base, head, tip, title: "The items of a cast" });
  if (landed.kind !== "conflicted") return landed;
  const files = landed.files.slice(0, 5).join(", ");
  return refused(
    `the branch has moved, and the merged items conflict with it in ${files}; merge ${tip} yourself, then continue`,
  );
}

type LandingOutcome = JoinOutcome | { readonly kind: "conflicted"; readonly files: readonly string[] };

/** Puts the commits from `base` to `tip` behind those of the checked out branch. Overwrites nothing of the person's. */
async function landCommits(
  { repository, identity }: Pick<ItemRepository, "repository" | "identity">,
  { base, head, tip, title }: { base: string; head: string; tip: string; title: string },
): Promise<LandingOutcome> {
  const { top } = repository;
  // An unmoved branch is fast-forwarded; git itself refuses anything else.
  if (head === base && head !== tip) return fastForward(repository, tip);
  if (head === tip || (await isAncestor(top, tip, head)))
    return (await repairInterruptedMove(repository, head)) ?? joined(head);
  // A branch that was reset is an ancestor of the tip too, but the commits that it dropped must not come back.
  const isRewritten = !(await isAncestor(top, base, head));
  if (!isRewritten && (await isAncestor(top, head, tip))) return fastForward(repository, tip);
  // [V33] The branch has moved since: the commits of the items are replayed on it.
  const moved = await replayCommits({ cwd: top, base, commit: tip, onto: head, isRewritten, title, identity });
  if (moved.kind === "replayed") {
    // A kill may have come after they were replayed.
    const isThere = (await treeOf(top, moved.commit)) === (await treeOf(top, head));
    return isThere ? joined(head) : fastForward(repository, moved.commit);
  }
  return moved.kind === "failed"
    ? { kind: "broken", problem: moved.problem }
    : { kind: "conflicted", files: moved.files };
}

export type BranchMerge =
  | { readonly kind: "merged"; readonly commit: string; readonly into: string }
  | { readonly kind: "refused"; readonly reason: string; readonly hint?: string };

/** [YT7] Merges the work of a cast into the checked out branch, or changes nothing. */
export async function mergeCastBranch(
  cwd: string,
  work: { readonly branch: string; readonly commit: string; readonly base: string | undefined; readonly title: string },
): Promise<BranchMerge> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return { kind: "refused", reason: found.why };
  const { repository } = found;
  const { top, gitDir, head } = repository;
  const doing = operationInProgress(gitDir);
  if (doing !== undefined)
    return { kind: "refused", reason: `${doing} is in progress`, hint: "finish or abort it first" };
  const into = (await currentBranch(top))?.replace(/^refs\/heads\//, "");
  if (into === undefined)
    return { kind: "refused", reason: "no branch is checked out", hint: "switch to the branch that it belongs on" };
  const base = work.base ?? (await mergeBase(top, head, work.commit));
  if (base === undefined) return { kind: "refused", reason: "it has no commit in common with the current branch" };
  const landed = await landCommits(createItemRepository(repository), { ...work, base, head, tip: work.commit });
  switch (landed.kind) {
    case "joined":
      return { kind: "merged", commit: landed.commit, into };
    case "refused":
      return { kind: "refused", reason: landed.reason, hint: "commit or stash these changes first" };
    case "broken":
      return { kind: "refused", reason: landed.problem };
    case "conflicted":
      return { kind: "refused", reason: `it conflicts with ${into} in ${landed.files.slice(0, 5).join(", ")}` };
  }
}

/** [V45] The steps after the items work on the files of the branch too: it must be checked out. */
function describeOtherBranch(begun: string | null, base: string, now: string | null): string | undefined {
  if (begun === now) return undefined;
  const name = (ref: string | null): string => ref?.replace(/^refs\/heads\//, "") ?? "no branch";
  const back = begun === null ? `git switch --detach ${base}` : `git switch ${name(begun)}`;
  return `the items began on ${name(begun)}, and ${name(now)} is checked out: run "${back}", then recast`;
}

/**
 * [V33] An agent that checked out the person's branch in its tree moved it under the person's files, which are still at the
 * base. They are moved to the branch, as in a checkout. Returns why git refused.
 */
async function moveFilesToHead(cwd: string, base: string, head: string): Promise<string | undefined> {
  const standsAt = async (commit: string): Promise<boolean> =>
    (await runGit(["diff-index", "--cached", "--quiet", commit, "--"], { cwd })).ok;
  if (!(await standsAt(base)) || (await standsAt(head))) return undefined;
  const moved = await runGit(["read-tree", "-m", "-u", base, head], runInWorktree(cwd));
  return moved.ok ? undefined : gitMessage(moved);
}

async function fastForward(repository: Repository, tip: string): Promise<JoinOutcome> {
  const { top } = repository;
  const merge = (): Promise<GitResult> =>
    runGit(["merge", "--ff-only", "--no-overwrite-ignore", "--quiet", "--no-autostash", tip], runInWorktree(top));
  const first = await merge();
  if (first.ok) return joined(tip);
  if ((await repairStaleLock(repository, tip)) && (await merge()).ok) return joined(tip);
  return refused(gitMessage(first));
}

/** An agent may have set `core.bare` in the configuration that all trees share: these are known to be files. */
function runInWorktree(top: string, env: GitOptions["env"] = {}): GitOptions {
  return { cwd: top, env: { ...env, GIT_WORK_TREE: top } };
}

function gitMessage(answer: GitResult): string {
  const lines = answer.stderr.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "" && !line.startsWith("hint:") && line !== "Aborting");
  return (
    said
      .slice(0, 12)
      .join(" ")
      .replace(/^(fatal|error): /, "") || gitErrorText(answer)
  );
}

/** HEAD is there already, but a kill may have left the files behind. Only files of the tip, or missing ones, are corrected. */
async function repairInterruptedMove(repository: Repository, head: string): Promise<JoinOutcome | undefined> {
  if (!existsSync(join(repository.gitDir, "index.lock"))) return undefined;
  return (await repairStaleLock(repository, head)) ? undefined : refused("the index is locked by another git");
}

/**
 * [V19] A git that was killed while it moved the files left its lock and a part of them. If every differing file is the
 * tip's own, or still empty, nothing of the person's is in the way: the lock is removed, and the files follow.
 */
async function repairStaleLock({ top, gitDir }: Repository, tip: string): Promise<boolean> {
  const lock = join(gitDir, "index.lock");
  if (!existsSync(lock)) return false;
  const own = join(gitDir, "materia-index");
  try {
    const env = { GIT_INDEX_FILE: own };
    rmSync(own, { force: true });
    rmSync(`${own}.lock`, { force: true });
    const read = await runGit(["read-tree", "HEAD"], { cwd: top, env });
    const added = read.ok ? await runGit(["add", "--update", "--", ":/"], runInWorktree(top, env)) : read;
    if (!added.ok) return false;
    const differs = stdoutParts(
      await runGit(["diff-index", "--cached", "-z", "--name-only", "HEAD"], { cwd: top, env }),
    );
    for (const path of differs) {
      const [now, then] = await Promise.all([
        runGit(["rev-parse", "--verify", "--quiet", `:${path}`], { cwd: top, env }),
        runGit(["rev-parse", "--verify", "--quiet", `${tip}:${path}`], { cwd: top }),
      ]);
      if (stdoutText(now) !== stdoutText(then) && !EMPTY_BLOBS.includes(stdoutText(now))) return false;
    }
    rmSync(lock, { force: true });
    // Only the checked paths are reset to HEAD; the merge then moves them completely.
    const input = differs.map((path) => `${path}\0`).join("");
    if (differs.length === 0) return true;
    const restored = await runGit(["checkout", "--quiet", "HEAD", "--pathspec-from-file=-", "--pathspec-file-nul"], {
      ...runInWorktree(top, { GIT_LITERAL_PATHSPECS: "1" }),
      input,
    });
    return restored.ok;
  } finally {
    rmSync(own, { force: true });
  }
}

/** For both object formats. */
const EMPTY_BLOBS: readonly string[] = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

function joined(commit: string): JoinOutcome {
  return { kind: "joined", commit };
}
