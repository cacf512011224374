import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { itemGitRef, type CastId } from "../../../core/model/ids.ts";
import { errorText } from "../../system/system-error.ts";
import type { ItemsFailure, JoinRequest, SavedWork, ItemWorktrees } from "../../ports.ts";
import type { CachedWorktree } from "../cached-worktree.ts";
import type { Repository } from "../repository.ts";
import {
  findParallelRepository,
  findItemRepository,
  createItemRepository,
  type ItemRepository,
} from "./item-repository.ts";
import { joinMergedItems } from "./join-items.ts";
import { saveItem, saveTransferred, type TransferredWork } from "./save-item.ts";
import { mergeItem } from "./merge-item.ts";
import { deleteRefs, listItemRefs } from "../refs.ts";
import { poolWorktree, isQuarantined, removeWorktree } from "./worktree.ts";
import { acquireWorktree, type WorktreeContext } from "./acquire-worktree.ts";

export interface GitWorktreesContext extends WorktreeContext {
  readonly castId: CastId;
  /** Where casts are kept: no part of anybody's work. */
  readonly artifacts: string;
  /** Where working trees are made. */
  readonly worktreesFolder: string;
}

/** Working trees of git for the items of one cast. */
export interface GitWorktrees extends ItemWorktrees {
  /** What is known of the tree that an item works in, where this process has filled it. */
  readonly cachedWorktree: (child: CastId) => CachedWorktree | undefined;
  /** [B50] What was done elsewhere, whose objects are here by now, as a commit that nothing removes. */
  readonly saveTransferred: (child: CastId, work: Omit<TransferredWork, "ref">) => Promise<SavedWork | ItemsFailure>;
}

export function createGitWorktrees(place: GitWorktreesContext): GitWorktrees {
  /** Trees whose work is kept, to be used again: making one takes long in a large repository. */
  const free: string[] = [];
  const known = new Map<CastId, CachedWorktree>();
  let opening: Promise<ItemRepository | ItemsFailure> | undefined;
  const open = async (): Promise<ItemRepository | ItemsFailure> => {
    const opened = await (opening ??= findItemRepository(place.cwd));
    // It may be there the next time.
    if ("kind" in opened) opening = undefined;
    return opened;
  };
  return {
    findBase: async () => {
      const found = await findParallelRepository(place.cwd, place.artifacts);
      if (found.kind === "refused") return found;
      opening = Promise.resolve(createItemRepository(found.repository));
      return { kind: "forked", base: found.repository.head };
    },
    prepare: async (child, window, has) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      known.delete(child);
      try {
        const folder = join(place.worktreesFolder, child);
        const prepared = await acquireWorktree(place, { itemRepository: opened, free, folder, window, has });
        if ("kind" in prepared) return prepared;
        if (prepared.cached) known.set(child, prepared.cached);
        return prepared.tree;
      } catch (thrown) {
        return broken(`a working tree cannot be made: ${errorText(thrown)}`);
      }
    },
    saveWork: async (child, { base }, title) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      const tree = join(place.worktreesFolder, child);
      const ref = itemGitRef(place.castId, child);
      const { isFree, work } = await saveItem(opened, {
        folder: tree,
        ref,
        base,
        title,
        cachedWorktree: known.get(child),
      });
      if (isFree) free.push(tree);
      return work;
    },
    merge: async (request) => {
      const opened = await open();
      return "kind" in opened ? opened : mergeItem(place.castId, opened, request);
    },
    join: async (request) => {
      const opened = await open();
      if ("kind" in opened) return opened;
      const joined = await joinMergedItems(opened, request);
      if (joined.kind === "joined") await removeJoinedWorktrees(place, opened.repository, request);
      return joined;
    },
    cachedWorktree: (child) => known.get(child),
    saveTransferred: async (child, work) => {
      const opened = await open();
      return "kind" in opened ? opened : saveTransferred(opened, { ...work, ref: itemGitRef(place.castId, child) });
    },
  };
}

/** What is on the person's branch needs no name of ours; what could not be merged keeps its own. */
async function removeJoinedWorktrees(
  place: GitWorktreesContext,
  repository: Repository,
  request: JoinRequest,
): Promise<void> {
  const { castId, worktreesFolder: trees } = place;
  const prefix = `${castId}_${request.fork}_`;
  const made = existsSync(trees)
    ? readdirSync(trees).filter((name) => name.startsWith(prefix) && !isQuarantined(name))
    : [];
  const left = made.map(async (name) => {
    const tree = join(trees, name);
    if (!(await poolWorktree(repository, place.pool, tree))) await removeWorktree(repository.top, tree);
  });
  await Promise.all([...left, deleteJoinedRefs(castId, repository, request)]);
}

async function deleteJoinedRefs(
  castId: CastId,
  repository: Repository,
  { fork, unmerged }: JoinRequest,
): Promise<void> {
  const prefix = `${castId}_${fork}_`;
  const named = (ref: string): string => ref.slice(itemGitRef(castId, "").length);
  const done = (await listItemRefs(repository, castId)).filter((ref) => {
    const name = named(ref);
    return name === `merged-${fork}` || (name.startsWith(prefix) && !unmerged.includes(name as CastId)); // as it was made
  });
  await deleteRefs(repository, done);
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}
