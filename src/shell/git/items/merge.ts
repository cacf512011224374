import { itemGitRef, type CastId } from "../../../core/model/ids.ts";
import type { ItemsFailure, MergeRequest, ItemWorktrees } from "../../ports.ts";
import { treeOf } from "../changes.ts";
import type { Repository } from "../repository.ts";
import { describeConflict, hasConflictMarkers } from "./conflict.ts";
import type { ItemRepository } from "./tree/open-repository.ts";
import { writeRef } from "./refs.ts";
import { replayCommits } from "./replay.ts";

type MergePromise = ReturnType<ItemWorktrees["merge"]>;

/** [V7, V9] An item's work behind what is merged before it, or the conflict that keeps it out. */
export async function mergeItem(
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
  return (await writeRef(repository, ref, commit))
    ? { kind: "merged", commit }
    : broken(`the name ${ref} cannot be written`);
}

/** [V9] Files that were to be mended and still hold the marks of the conflict are no result. */
async function findUnresolvedConflict(cwd: string, { work, commit, tip }: MergeRequest): Promise<Awaited<MergePromise> | undefined> {
  const { conflict } = work;
  if (!conflict || commit === null) return undefined;
  const files: string[] = [];
  for (const file of conflict.files) if (await hasConflictMarkers(cwd, commit, file)) files.push(file);
  const tree = files.length === 0 ? undefined : await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  const said = "The marks of the conflict are still in these files.";
  return { kind: "conflicted", onto: tip, tree, files, reason: await describeConflict(cwd, { tree, files, said }) };
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}
