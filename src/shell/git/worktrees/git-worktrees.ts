import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { itemGitRef, type CastId } from "../../../core/model/ids.ts";
import { errorText } from "../../system/files.ts";
import type { ItemsFailure, JoinRequest, SavedWork, ItemWorktrees, MergeRequest } from "../../item-ports.ts";
import type { ItemCastInput } from "../../../core/cast/state/parallel-run.ts";
import type { CachedWorktree } from "../cached-worktree.ts";
import { type Repository } from "../repository.ts";
import {
  broken,
  findParallelRepository,
  findItemRepository,
  createItemRepository,
  type ItemRepository,
} from "./item-repository.ts";
import { joinMergedItems } from "./join-items.ts";
import { saveItem, saveTransferred, type SavedItem, type TransferredWork } from "./save-item.ts";
import { deleteRefs, listItemRefs, writeRef, currentBranch } from "../refs.ts";
import { poolWorktree, isQuarantined, removeWorktree } from "./worktree.ts";
import { acquireWorktree, type WorktreeContext } from "./acquire-worktree.ts";
import { treeOf, readFileLines } from "../diff.ts";
import { replayCommits } from "./replay-commits.ts";
import { truncate } from "../../../core/model/text.ts";

export interface GitWorktreesContext extends WorktreeContext {
  readonly castId: CastId;
  /** The folder of casts: excluded from checkpoints. */
  readonly artifacts: string;
  readonly worktreesFolder: string;
}

export interface GitWorktrees extends ItemWorktrees {
  /** Cached facts of the tree of an item, if this process has filled it. */
  readonly cachedWorktree: (child: CastId) => CachedWorktree | undefined;
  /** [B50] Commits transferred work, whose objects are here already, under a ref. */
  readonly saveTransferred: (
    child: CastId,
    window: ItemCastInput,
    work: Omit<TransferredWork, "ref" | "base" | "previousRef">,
  ) => Promise<SavedWork | ItemsFailure>;
}

export function createGitWorktrees(context: GitWorktreesContext): GitWorktrees {
  const { castId, cwd, artifacts, worktreesFolder } = context;
  // [V18] One folder for all attempts: paths in a conversation that continues stay right.
  const folderOf = (child: CastId): string => join(worktreesFolder, child.replace(/(_WI-\d+)_\d+$/, "$1"));
  /** Trees whose work is stored, for reuse: a new one takes long in a large repository. */
  const free: string[] = [];
  const cached = new Map<CastId, CachedWorktree>();
  /** Items whose tree was there in this process. */
  const prepared = new Set<CastId>();
  let opening: Promise<ItemRepository | ItemsFailure> | undefined;
  const withRepository = async <T>(work: (opened: ItemRepository) => Promise<T>): Promise<T | ItemsFailure> => {
    const opened = await (opening ??= findItemRepository(cwd));
    if (!("kind" in opened)) return work(opened);
    // It may exist the next time.
    opening = undefined;
    return opened;
  };
  const prepare: GitWorktrees["prepare"] = (child, window, progress) =>
    withRepository(async (itemRepository) => {
      cached.delete(child);
      try {
        const folder = folderOf(child);
        const acquired = await acquireWorktree(context, { itemRepository, free, folder, window, progress });
        if ("kind" in acquired) return acquired;
        if (acquired.cached) cached.set(child, acquired.cached);
        prepared.add(child);
        return acquired.tree;
      } catch (thrown) {
        return broken(`cannot create a working tree: ${errorText(thrown)}`);
      }
    });
  return {
    findBase: async () => {
      const found = await findParallelRepository(cwd, artifacts);
      if (found.kind === "refused") return found;
      opening = Promise.resolve(createItemRepository(found.repository));
      const { head, top } = found.repository;
      return { kind: "forked", base: head, branch: await currentBranch(top) };
    },
    prepare,
    saveWork: ({ child, window, title, checkpoint }) =>
      withRepository(async (opened) => {
        const folder = folderOf(child);
        const request = { folder, ...itemRefs(castId, child, window), base: window.base, title };
        const save = () => saveItem(opened, { ...request, cachedWorktree: cached.get(child) });
        const rebuild = () => prepare(child, window, { checkpoint, hasWorked: true });
        const saved = await saveOrRebuild(save, prepared.has(child) && checkpoint === undefined ? undefined : rebuild);
        if (saved.tree === "stored") free.push(folder);
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
    saveTransferred: (child, window, work) =>
      withRepository((opened) =>
        saveTransferred(opened, { ...work, ...itemRefs(castId, child, window), base: window.base }),
      ),
  };
}

function itemRefs(castId: CastId, child: CastId, { previous }: ItemCastInput) {
  return { ref: itemGitRef(castId, child), previousRef: previous && itemGitRef(castId, previous.castId) };
}

/** [V44] A lost tree is rebuilt, or the cast stops. An agent without checkpoints that removed its own tree has left nothing. */
async function saveOrRebuild(
  save: () => Promise<SavedItem>,
  rebuild: (() => ReturnType<ItemWorktrees["prepare"]>) | undefined,
): Promise<SavedItem> {
  const saved = await save();
  if (saved.tree !== "gone" || !rebuild) return saved;
  const rebuilt = await rebuild();
  return rebuilt.kind === "broken" ? { work: rebuilt, tree: "gone" } : save();
}

/** Work on the person's branch needs no ref; unmerged work keeps its ref. */
async function removeJoinedWorktrees(
  context: GitWorktreesContext,
  repository: Repository,
  request: JoinRequest,
): Promise<void> {
  const { castId, worktreesFolder: trees, pool } = context;
  const { fork, unmerged } = request;
  const prefix = `${castId}_${fork}_`;
  const made = existsSync(trees)
    ? readdirSync(trees).filter((name) => name.startsWith(prefix) && !isQuarantined(name))
    : [];
  const left = made.map(async (name) => {
    const tree = join(trees, name);
    if (!(await poolWorktree(repository, pool, tree))) await removeWorktree(repository.top, tree);
  });
  const done = (await listItemRefs(repository, castId)).filter((ref) => {
    const name = ref.slice(itemGitRef(castId, "").length);
    return name === `merged-${fork}` || (name.startsWith(prefix) && !unmerged.includes(name as CastId)); // as it was made
  });
  await Promise.all([...left, deleteRefs(repository, done)]);
}

type MergePromise = ReturnType<ItemWorktrees["merge"]>;

/** [V7, V9] Adds an item's work to the merged ones before it, or returns the conflict. */
async function mergeItem(
  castId: CastId,
  { repository, identity }: ItemRepository,
  request: MergeRequest,
): MergePromise {
  const { top: cwd } = repository;
  const { work, commit, tip, title, fork } = request;
  if (commit === null) return { kind: "merged", commit: tip };
  const marked = await findUnresolvedConflict(cwd, request);
  if (marked) return marked;
  if (tip === work.base) return recordMerged(castId, repository, fork, commit);
  const result = await replayCommits({ cwd, base: work.base, commit, onto: tip, title, identity });
  if (result.kind === "failed") return broken(`${work.child} cannot be merged: ${result.problem}`);
  if (result.kind === "replayed") return recordMerged(castId, repository, fork, result.commit);
  const { tree, files } = result;
  const [, reason] = await Promise.all([
    writeRef(repository, itemGitRef(castId, `${work.child}-conflict`), tree),
    describeConflict(cwd, result),
  ]);
  return { kind: "conflicted", onto: tip, tree, files: [...files], reason };
}

async function recordMerged(castId: CastId, repository: Repository, fork: number, commit: string): MergePromise {
  const ref = itemGitRef(castId, `merged-${fork}`);
  return (await writeRef(repository, ref, commit)) ? { kind: "merged", commit } : broken(`cannot write the ref ${ref}`);
}

/** [V36] Files that still contain conflict markers are no result. */
async function findUnresolvedConflict(
  cwd: string,
  { work, commit, tip }: MergeRequest,
): Promise<Awaited<MergePromise> | undefined> {
  const { conflict } = work;
  if (!conflict || commit === null) return undefined;
  const files: string[] = [];
  for (const file of conflict.files) {
    const lines = (await readFileLines(cwd, commit, file)) ?? [];
    if (["<<<<<<< ", ">>>>>>> "].every((mark) => lines.some((line) => line.startsWith(mark)))) files.push(file);
  }
  const tree = files.length === 0 ? undefined : await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  const said = "The marks of the conflict are still in these files.";
  return { kind: "conflicted", onto: tip, tree, files, reason: await describeConflict(cwd, { tree, files, said }) };
}

const FILES_NAMED = 30;
const FILES_READ = 5;
const HUNKS_SHOWN = 7;
const HUNK_LINES = 24;
const HUNK_CHARS = 700;

/** [V36] Everything that an agent needs to resolve a conflict: the files, their present text, and conflicts without markers in words. */
async function describeConflict(
  cwd: string,
  { tree, files, said }: { readonly tree: string; readonly files: readonly string[]; readonly said: string },
): Promise<string> {
  const hunks: string[] = [];
  for (const file of files.slice(0, FILES_READ))
    for (const [at, hunk] of (await readHunks(cwd, tree, file)).entries())
      hunks.push(at === 0 ? `${file}:\n${hunk}` : hunk);
  const areMore = hunks.length > HUNKS_SHOWN || files.length > FILES_READ;
  // A conflict with marks shows itself.
  const unmarked = said
    .split("\n")
    .filter((each) => !/^(Auto-merging |CONFLICT \(content\))/.test(each))
    .join("\n")
    .trim();
  const named = files.slice(0, FILES_NAMED).join(", ");
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : "";
  return [
    `This work conflicts with that of merged items in: ${named}${more}.`,
    "The files now hold the merged state, with conflict marks where both changed the same lines: first the lines of the " +
      "others, then the lines of this item. Keep what the others did, bring in what this item needs, and leave no marks behind.",
    ...(unmarked === "" ? [] : [truncate(unmarked, 1_500)]),
    ...hunks.slice(0, HUNKS_SHOWN),
    ...(areMore ? ["More of these files may have marks: look for all of them."] : []),
  ].join("\n\n");
}

async function readHunks(cwd: string, tree: string, file: string): Promise<readonly string[]> {
  const lines = (await readFileLines(cwd, tree, file)) ?? [];
  return lines.flatMap((line, from) => {
    if (!line.startsWith("<<<<<<< ")) return [];
    const length = lines.slice(from).findIndex((each) => each.startsWith(">>>>>>> ")) + 1;
    const hunk = lines.slice(from, from + Math.min(length === 0 ? HUNK_LINES : length, HUNK_LINES));
    return [truncate(hunk.join("\n"), HUNK_CHARS)];
  });
}
