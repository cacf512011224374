import { existsSync, realpathSync, cpSync, lstatSync, readlinkSync, rmSync } from "node:fs";
import { join, relative, dirname, isAbsolute, resolve, sep } from "node:path";
import type { ItemTreeProgress, ItemsFailure, PreparedWorktree } from "../../item-ports.ts";
import { cacheWorktree, type CachedWorktree } from "../cached-worktree.ts";
import { type Repository, gitErrorText, gitProblem, runGit } from "../repository.ts";
import { openEmptyShadow, pathBelow } from "../shadow-index.ts";
import { broken, type ItemRepository } from "./item-repository.ts";
import {
  listPooledWorktrees,
  createWorktree,
  removeWorktree,
  reuseWorktree,
  quarantine,
  readWorktreeState,
  type WorktreeContent,
  type WorktreeState,
} from "./worktree.ts";
import type { WorktreeConfig } from "../../../core/model/config.ts";

/** A project, and the files that its trees need besides those in git. */
export interface WorktreeContext {
  readonly cwd: string;
  readonly worktree: WorktreeConfig;
  /** Runs the setup of a new tree; returns a problem if it failed. */
  readonly runSetup: (command: readonly string[], cwd: string) => Promise<string | undefined>;
  /** The pool of trees that earlier casts left. */
  readonly pool: string;
}

export interface WorktreeRequest {
  readonly itemRepository: ItemRepository;
  readonly free: string[];
  readonly folder: string;
  readonly window: WorktreeContent;
  readonly progress: ItemTreeProgress;
}

/** A tree for an item, with cached facts if it was filled here. `isNew` if it was created or rebuilt: its HEAD is detached. */
export async function acquireWorktree(context: WorktreeContext, preparing: WorktreeRequest) {
  const { folder, progress, itemRepository: opened } = preparing;
  const { repository } = opened;
  const lies = await repairWorktree(repository, folder);
  if (lies === "not known") return broken(`git cannot tell what is in ${folder}`);
  // The project may be any folder below the top of its repository.
  const below = pathBelow(repository.top, realpathSync(context.cwd));
  const tree: PreparedWorktree = { kind: "ready", cwd: join(folder, ...below) };
  if (lies === "tree") {
    if (progress !== "not begun") return { tree, isNew: false, cached: undefined };
    if (!preparing.free.includes(folder)) await removeWorktree(repository.top, folder);
  } else if (progress !== "not begun" && progress.checkpoint === undefined && progress.hasWorked) {
    return lostWorktree(folder);
  } else if (lies === "something else") quarantine(folder);
  const problem = await reuseOrCreateWorktree(preparing, context.pool);
  if (problem !== undefined) return broken(`cannot create a working tree: ${problem}`);
  const cached = await cacheAcquired(context, preparing);
  const unprepared = await prepareWorktree(context, folder, tree.cwd);
  if (unprepared !== undefined) return broken(unprepared);
  if (progress === "not begun" || progress.checkpoint === undefined) return { tree, isNew: true, cached };
  const lost = await restoreWorktree(preparing, progress.checkpoint);
  return lost === undefined ? { tree, isNew: true, cached: undefined } : lostWorktree(folder, lost);
}

/** [V44] Without its files an item would complete without its work. */
function lostWorktree(folder: string, why = "its cast has no checkpoints"): ItemsFailure {
  return broken(
    `the working tree ${folder} is gone, and its files cannot be rebuilt: ${why}. ` +
      "Put the folder back, or fork the cast: a fork runs its items again",
  );
}

/** [V44] The files of the item's last checkpoint, byte by byte. Ignored files stay as the setup left them. */
async function restoreWorktree(
  { itemRepository: { repository }, folder, window: { base } }: WorktreeRequest,
  checkpoint: string,
): Promise<string | undefined> {
  const unclean = await gitProblem(["clean", "-ffdq"], { cwd: folder });
  if (unclean !== undefined) return unclean;
  const shadow = await openEmptyShadow(repository, folder);
  // From the base: files that the item deleted must go.
  const read = await shadow.git(["read-tree", base]);
  const filled = read.ok ? await shadow.git(["read-tree", "--reset", "-u", checkpoint]) : read;
  shadow.close();
  return filled.ok ? undefined : gitErrorText(filled);
}

/** A tree whose `.git` file was removed or broken, or that was moved with its project, is still a tree: git can repair that file. */
export async function repairWorktree(repository: Repository, folder: string): Promise<WorktreeState> {
  const lies = await readWorktreeState(repository, folder);
  if (lies !== "something else") return lies;
  await runGit(["worktree", "repair", folder], { cwd: repository.top });
  return readWorktreeState(repository, folder);
}

async function reuseOrCreateWorktree(
  { itemRepository: { repository }, free, folder, window }: WorktreeRequest,
  pool: string,
): Promise<string | undefined> {
  // The attempt before left its tree there.
  const [used] = free.splice(free.includes(folder) ? free.indexOf(folder) : -1, 1);
  // Another cast may be faster: then the next one is tried, and at last a new one is created.
  for (const left of used === undefined ? listPooledWorktrees(pool) : [used])
    if (await reuseWorktree(repository, left, folder, window)) return undefined;
  if (used !== undefined) await removeWorktree(repository.top, used);
  if (used !== undefined || existsSync(folder)) await removeWorktree(repository.top, folder);
  return createWorktree(repository, folder, window);
}

/** Checkpoints look at files that are copied or set up later. */
async function cacheAcquired(
  { worktree: { copy = [], setup } }: WorktreeContext,
  { itemRepository: opened, folder, window: { base, tree } }: WorktreeRequest,
): Promise<CachedWorktree | undefined> {
  const { repository, treeOf: filesOf, settings, attributesOf } = opened;
  const files = await filesOf(base);
  if (files === undefined) return undefined;
  const isClean = tree === null && copy.length === 0 && setup === undefined;
  const facts = { settings: await settings(), attributes: await attributesOf(base, folder), isClean };
  return cacheWorktree(repository, { ...facts, head: base, tree: files }, folder);
}

/** The project may be any folder below the top of its repository. */
async function prepareWorktree(
  { cwd, worktree: { copy = [], setup }, runSetup: setUp }: WorktreeContext,
  folder: string,
  to: string,
): Promise<string | undefined> {
  for (const name of copy) {
    const problem = copyInto({ project: cwd, tree: folder, to }, name);
    if (problem !== undefined) return `worktree.copy names "${name}", ${problem}`;
  }
  const problem = setup ? await setUp(setup, to) : undefined;
  return problem === undefined ? undefined : `worktree.setup failed: ${problem}`;
}

/** [V26] Copied, so that no change reaches the person's files; a link that leads there is not copied. */
function copyInto(
  { project, tree, to }: { readonly project: string; readonly tree: string; readonly to: string },
  name: string,
): string | undefined {
  const target = resolve(to, name);
  if (isAbsolute(name) || !target.startsWith(`${tree}${sep}`)) return "which is outside the project";
  const top = realpathSync(project);
  const source = resolve(top, name);
  if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return undefined;
  if (realpathSync(dirname(source)) !== dirname(source)) return "which is behind a link";
  const leading: string[] = [];
  // A link at the target would redirect the copy.
  if (isLink(target)) rmSync(target);
  cpSync(source, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (each) => {
      if (!isLink(each) || linkStaysInside(top, each)) return true;
      leading.push(relative(top, each));
      return false;
    },
  });
  if (leading.length === 0) return undefined;
  return leading[0] === name ? "a link that leads out of it" : `in which ${leading[0]} is a link that leads out of it`;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Relative, and inside the project: then it leads to the same place of the tree. */
function linkStaysInside(top: string, link: string): boolean {
  const to = readlinkSync(link);
  return !isAbsolute(to) && join(dirname(link), to).startsWith(`${top}${sep}`);
}
