import { copyFileSync, existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { ChangeCounts } from "../../../core/model/checkpoint.ts";
import type { ItemsFailure, SavedWork } from "../../ports.ts";
import { treeOf } from "../diff.ts";
import { countChanges } from "../take-checkpoint.ts";
import { gitErrorText, runGit, stdoutText } from "../run-git.ts";
import { isUntouched, type CachedWorktree } from "../cached-worktree.ts";
import type { Repository } from "../repository.ts";
import type { ItemRepository } from "./item-repository.ts";
import { writeRef, readRef } from "../refs.ts";
import { absorbNestedRepositories, quarantineInnerWorktrees } from "./nested-repositories.ts";
import { repairWorktree } from "./acquire-worktree.ts";
import { quarantine } from "./worktree.ts";

export interface ItemSaveRequest {
  /** The working tree of the item, and the ref for its work. */
  readonly folder: string;
  readonly ref: string;
  readonly base: string;
  readonly title: string;
  /** Cached facts of the tree; they hold while nobody has used git in it. */
  readonly cachedWorktree: CachedWorktree | undefined;
}

interface SavedItem {
  readonly work: SavedWork | ItemsFailure;
  /** True if everything in the tree is stored. */
  readonly isFree: boolean;
}

/** [V17] Stores all work of a tree under a ref. */
export async function saveItem(opened: ItemRepository, request: ItemSaveRequest): Promise<SavedItem> {
  const { repository } = opened;
  const { folder: tree, ref, base, cachedWorktree: known } = request;
  // A tree that this process filled and has not stored yet has no ref either.
  const before = known ? undefined : await readRef(repository.top, ref);
  if (before !== undefined)
    return { work: await addChangeCounts(repository, base, { kind: "kept", commit: before }), isFree: false };
  const asLeft = known && isUntouched(known) ? known : undefined;
  const lies = asLeft ? "tree" : await repairWorktree(repository, tree);
  if (lies === "not known") return notSaved(`git cannot tell what is in ${tree}`);
  // An agent that removed its own tree has left nothing; files of a broken tree are not lost.
  if (lies === "something else") quarantine(tree);
  if (lies !== "tree") return { work: { kind: "kept", commit: null }, isFree: false };
  const unmoved = await quarantineInnerWorktrees(repository, tree);
  if (unmoved !== undefined) return notSaved(unmoved);
  const kept = await commitWorktree(opened, { ...request, cachedWorktree: asLeft });
  if (kept.kind === "broken") return { work: kept, isFree: false };
  if (kept.commit === null) return { work: kept, isFree: true };
  const [isHeld, work] = await Promise.all([
    writeRef(repository, ref, kept.commit),
    addChangeCounts(repository, base, kept, asLeft?.lastCheckpoint.changed),
  ]);
  return isHeld ? { work, isFree: true } : notSaved(`cannot write the ref ${ref}`);
}

function notSaved(problem: string): SavedItem {
  return { work: { kind: "broken", problem }, isFree: false };
}

/** [V21] The counts for people. If counting fails, the work is still stored. */
async function addChangeCounts(
  { top }: Repository,
  base: string,
  kept: SavedWork,
  known?: ChangeCounts,
): Promise<SavedWork> {
  const files = kept.commit === null ? undefined : (known ?? (await countChanges(top, base, kept.commit)));
  return files === undefined ? kept : { ...kept, files };
}

/** [V8] All work of a tree as one commit on its base, for any use of git by the agent. */
export async function commitWorktree(
  { treeOf: filesOf, identity }: ItemRepository,
  { folder: tree, base, title, cachedWorktree: asLeft }: Omit<ItemSaveRequest, "ref">,
): Promise<SavedWork | ItemsFailure> {
  // The last checkpoint has everything if nobody used git in between.
  const now = asLeft?.lastCheckpoint.tree ?? (await writeWorktreeFiles(tree, base));
  if (typeof now !== "string") return now;
  if (now === (await filesOf(base))) return { kind: "kept", commit: null };
  const parent = asLeft ? base : await parentCommitFor(tree, base, "HEAD");
  return commitWork({ identity }, { cwd: tree, now, parent, base, title });
}

/** The files of an item that ran elsewhere: its HEAD, and its last checkpoint. */
export interface TransferredWork {
  readonly base: string;
  readonly head: string;
  readonly ckpt: string;
  readonly title: string;
  readonly ref: string;
}

/** [V8, B50] The same for files from another machine. */
export async function saveTransferred(
  opened: ItemRepository,
  work: TransferredWork,
): Promise<SavedWork | ItemsFailure> {
  const { repository, treeOf: filesOf } = opened;
  const { base, title, ref } = work;
  const cwd = repository.top;
  const now = await treeOf(cwd, work.ckpt);
  if (now === undefined) return { kind: "broken", problem: "the files of an item are gone" };
  if (now === (await filesOf(base))) return { kind: "kept", commit: null };
  const kept = await commitWork(opened, { cwd, now, parent: await parentCommitFor(cwd, base, work.head), base, title });
  if (kept.kind === "broken" || kept.commit === null) return kept;
  if (!(await writeRef(repository, ref, kept.commit)))
    return { kind: "broken", problem: `cannot write the ref ${ref}` };
  return addChangeCounts(repository, base, kept);
}

interface WorkCommit {
  readonly cwd: string;
  readonly now: string;
  readonly parent: string;
  readonly base: string;
  readonly title: string;
}

async function commitWork(
  { identity }: Pick<ItemRepository, "identity">,
  { cwd, now, parent, base, title }: WorkCommit,
): Promise<SavedWork | ItemsFailure> {
  if (parent !== base && now === (await treeOf(cwd, parent))) return { kind: "kept", commit: parent };
  const made = await runGit(["commit-tree", now, "-p", parent, "-F", "-"], {
    cwd,
    input: `${title}\n`,
    env: await identity(),
  });
  return made.ok ? { kind: "kept", commit: stdoutText(made) } : broken(gitErrorText(made));
}

/** After a reset or a change of branch: the files are the work, and it started from the base. */
async function parentCommitFor(cwd: string, base: string, at: string): Promise<string> {
  const head = stdoutText(await runGit(["rev-parse", "--verify", "--quiet", `${at}^{commit}`], { cwd }));
  if (head === "" || head === base) return base;
  return (await runGit(["merge-base", "--is-ancestor", base, head], { cwd })).ok ? head : base;
}

/** The present files in a private index: the agent's staged files stay staged. */
async function writeWorktreeFiles(tree: string, base: string): Promise<string | ItemsFailure> {
  const asked = await runGit(["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: tree });
  if (!asked.ok) return broken(gitErrorText(asked));
  const index = stdoutText(asked);
  const own = join(index, "..", "materia-index");
  try {
    rmSync(own, { force: true });
    rmSync(`${own}.lock`, { force: true });
    if (existsSync(index)) copyIndex(index, own);
    const env = { GIT_INDEX_FILE: own };
    const closed = await absorbNestedRepositories({ tree, base, env });
    if (closed !== undefined) return broken(closed);
    const added = await runGit(["add", "--all", "--", ":/"], { cwd: tree, env });
    const written = added.ok ? await runGit(["write-tree"], { cwd: tree, env }) : added;
    return written.ok ? stdoutText(written) : broken(gitErrorText(written));
  } finally {
    rmSync(own, { force: true });
  }
}

/** With its time: git uses it to find files that changed in the moment of writing. */
function copyIndex(from: string, to: string): void {
  const { atime, mtime } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atime, mtime);
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem: `cannot store the work of an item: ${problem}` };
}
