import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { ItemCastInput } from "../../../../core/cast/state/fork.ts";
import type { ItemsFailure, PreparedWorktree } from "../../../ports.ts";
import { cacheWorktree, type CachedWorktree } from "../../known-tree.ts";
import type { Repository } from "../../repository.ts";
import { runGit } from "../../run-git.ts";
import { prepareWorktree, type WorktreeSetup } from "./furnish.ts";
import type { ItemRepository } from "./open-repository.ts";
import { listPooledWorktrees } from "./pool.ts";
import { createWorktree, removeWorktree, reuseWorktree, quarantine, readWorktreeState, type WorktreeState } from "./tree.ts";

export interface WorktreeContext extends WorktreeSetup {
  /** Where trees lie that earlier casts have left. */
  readonly pool: string;
}

export interface WorktreeRequest {
  readonly itemRepository: ItemRepository;
  /** Trees that other items have left. */
  readonly free: string[];
  readonly folder: string;
  readonly window: ItemCastInput;
  readonly has: "begun" | "not begun";
}

/** A tree for an item, and what is known of one that was filled here. */
export interface AcquiredWorktree {
  readonly tree: PreparedWorktree;
  readonly cached: CachedWorktree | undefined;
}

export async function acquireWorktree(place: WorktreeContext, preparing: WorktreeRequest): Promise<AcquiredWorktree | ItemsFailure> {
  const { folder, has, itemRepository: opened } = preparing;
  const { repository } = opened;
  const lies = await repairWorktree(repository, folder);
  if (lies === "not known") return broken(`git does not say what lies in ${folder}`);
  const tree: PreparedWorktree = { kind: "ready", cwd: projectFolderIn(place, repository, folder) };
  if (lies === "tree") {
    if (has === "begun") return { tree, cached: undefined };
    await removeWorktree(repository.top, folder);
  } else if (lies === "something else") quarantine(folder);
  const problem = await reuseOrCreateWorktree(preparing, place.pool);
  if (problem !== undefined) return broken(`a working tree cannot be made: ${problem}`);
  const known = await cacheAcquired(place, preparing);
  const unfurnished = await prepareWorktree(place, folder, tree.cwd);
  return unfurnished === undefined ? { tree, cached: known } : broken(unfurnished);
}

/** A tree whose own file of git was removed or broken, or that was moved with its project, is still one: git can mend that file. */
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
  const used = free.pop();
  if (used === undefined) {
    // Another cast may be quicker: then the next one, and else a new one.
    for (const left of listPooledWorktrees(pool))
      if ((await reuseWorktree(repository, left, folder, window)) === undefined) return undefined;
    if (existsSync(folder)) await removeWorktree(repository.top, folder);
    return createWorktree(repository, folder, window);
  }
  const problem = await reuseWorktree(repository, used, folder, window);
  if (problem === undefined) return undefined;
  // What could not be used again is made anew.
  await removeWorktree(repository.top, used);
  await removeWorktree(repository.top, folder);
  return createWorktree(repository, folder, window);
}

/** What is copied or set up in it later, its checkpoints look at. */
async function cacheAcquired(
  { worktree: { copy = [], setup } }: WorktreeContext,
  { itemRepository: opened, folder, window: { base, tree } }: WorktreeRequest,
): Promise<CachedWorktree | undefined> {
  const { repository, treeOf: filesOf, settings, attributesOf } = opened;
  const files = await filesOf(base);
  if (files === undefined) return undefined;
  const isClean = tree === null && copy.length === 0 && setup === undefined;
  const known = { settings: await settings(), attributes: await attributesOf(base, folder), isClean };
  return cacheWorktree(repository, { ...known, head: base, tree: files }, folder);
}

/** A folder of the project may be anywhere below the top of its repository. */
function projectFolderIn({ cwd }: WorktreeContext, { top }: Repository, folder: string): string {
  const below = relative(top, realpathSync(cwd));
  return below === "" || below.startsWith("..") ? folder : join(folder, below);
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}
