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
  /** The folder of casts: excluded from checkpoints. */
  readonly artifacts: string;
  /** The folder of working trees. */
  readonly worktreesFolder: string;
}

/** git working trees for the items of one cast. */
export interface GitWorktrees extends ItemWorktrees {
  /** Cached facts of the tree of an item, if this process has filled it. */
  readonly cachedWorktree: (child: CastId) => CachedWorktree | undefined;
  /** [B50] Commits transferred work, whose objects are here already, under a ref. */
  readonly saveTransferred: (child: CastId, work: Omit<TransferredWork, "ref">) => Promise<SavedWork | ItemsFailure>;
}

export function createGitWorktrees(context: GitWorktreesContext): GitWorktrees {
  const { castId, cwd, artifacts, worktreesFolder } = context;
  /** Trees whose work is stored, for reuse: a new one takes long in a large repository. */
  const free: string[] = [];
  const cached = new Map<CastId, CachedWorktree>();
  let opening: Promise<ItemRepository | ItemsFailure> | undefined;
  const withRepository = async <T>(work: (opened: ItemRepository) => Promise<T>): Promise<T | ItemsFailure> => {
    const opened = await (opening ??= findItemRepository(cwd));
    if (!("kind" in opened)) return work(opened);
    // It may exist the next time.
    opening = undefined;
    return opened;
  };
  return {
    findBase: async () => {
      const found = await findParallelRepository(cwd, artifacts);
      if (found.kind === "refused") return found;
      opening = Promise.resolve(createItemRepository(found.repository));
      return { kind: "forked", base: found.repository.head };
    },
    prepare: (child, window, has) =>
      withRepository(async (itemRepository) => {
        cached.delete(child);
        try {
          const folder = join(worktreesFolder, child);
          const prepared = await acquireWorktree(context, { itemRepository, free, folder, window, has });
          if ("kind" in prepared) return prepared;
          if (prepared.cached) cached.set(child, prepared.cached);
          return prepared.tree;
        } catch (thrown) {
          return broken(`cannot create a working tree: ${errorText(thrown)}`);
        }
      }),
    saveWork: (child, { base }, title) =>
      withRepository(async (opened) => {
        const folder = join(worktreesFolder, child);
        const ref = itemGitRef(castId, child);
        const saved = await saveItem(opened, { folder, ref, base, title, cachedWorktree: cached.get(child) });
        if (saved.isFree) free.push(folder);
        return saved.work;
      }),
    merge: (request) => withRepository((opened) => mergeItem(castId, opened, request)),
    join: (request) =>
      withRepository(async (opened) => {
        const joined = await joinMergedItems(opened, request);
        if (joined.kind === "joined") await removeJoinedWorktrees(context, opened.repository, request);
        return joined;
      }),
    cachedWorktree: (child) => cached.get(child),
    saveTransferred: (child, work) =>
      withRepository((opened) => saveTransferred(opened, { ...work, ref: itemGitRef(castId, child) })),
  };
}

/** Work on the person's branch needs no ref; unmerged work keeps its ref. */
async function removeJoinedWorktrees(
  context: GitWorktreesContext,
  repository: Repository,
  request: JoinRequest,
): Promise<void> {
  const { castId, worktreesFolder: trees, pool } = context;
  const prefix = `${castId}_${request.fork}_`;
  const made = existsSync(trees)
    ? readdirSync(trees).filter((name) => name.startsWith(prefix) && !isQuarantined(name))
    : [];
  const left = made.map(async (name) => {
    const tree = join(trees, name);
    if (!(await poolWorktree(repository, pool, tree))) await removeWorktree(repository.top, tree);
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
