import { itemRef, type CastId } from "../../../core/model/ids.ts";
import type { Broken, MergeRequest, Trees } from "../../ports.ts";
import { treeOf } from "../changes.ts";
import type { Repository } from "../repository.ts";
import { conflictReason, hasMarks } from "./conflict.ts";
import type { OpenRepository } from "./tree/open-repository.ts";
import { keepRef } from "./refs.ts";
import { replayCommits } from "./replay.ts";

type Merge = ReturnType<Trees["merge"]>;

/** [V7, V9] An item's work behind what is merged before it, or the conflict that keeps it out. */
export async function mergeWork(
  castId: CastId,
  { repository, identity }: OpenRepository,
  request: MergeRequest,
): Merge {
  const { top: cwd } = repository;
  const { work, commit, tip, title, fork } = request;
  if (commit === null) return { kind: "merged", commit: tip };
  const marked = await stillMarked(cwd, request);
  if (marked) return marked;
  if (tip === work.base) return merged(castId, repository, fork, commit);
  const result = await replayCommits({ cwd, base: work.base, commit, onto: tip, title, identity });
  if (result.kind === "failed") return broken(`${work.child} cannot be merged: ${result.problem}`);
  if (result.kind === "replayed") return merged(castId, repository, fork, result.commit);
  const { tree, files } = result;
  const [, reason] = await Promise.all([
    keepRef(repository, itemRef(castId, `${work.child}-conflict`), tree),
    conflictReason(cwd, result),
  ]);
  return { kind: "conflicted", onto: tip, tree, files: [...files], reason };
}

async function merged(castId: CastId, repository: Repository, fork: number, commit: string): Merge {
  const ref = itemRef(castId, `merged-${fork}`);
  return (await keepRef(repository, ref, commit))
    ? { kind: "merged", commit }
    : broken(`the name ${ref} cannot be written`);
}

/** [V9] Files that were to be mended and still hold the marks of the conflict are no result. */
async function stillMarked(cwd: string, { work, commit, tip }: MergeRequest): Promise<Awaited<Merge> | undefined> {
  const { conflict } = work;
  if (!conflict || commit === null) return undefined;
  const files: string[] = [];
  for (const file of conflict.files) if (await hasMarks(cwd, commit, file)) files.push(file);
  const tree = files.length === 0 ? undefined : await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  const said = "The marks of the conflict are still in these files.";
  return { kind: "conflicted", onto: tip, tree, files, reason: await conflictReason(cwd, { tree, files, said }) };
}

function broken(problem: string): Broken {
  return { kind: "broken", problem };
}
