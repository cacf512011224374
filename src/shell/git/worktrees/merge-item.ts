import { itemGitRef, type CastId } from "../../../core/model/ids.ts";
import type { ItemsFailure, MergeRequest, ItemWorktrees } from "../../ports.ts";
import { treeOf } from "../diff.ts";
import type { Repository } from "../repository.ts";
import type { ItemRepository } from "./item-repository.ts";
import { writeRef } from "../refs.ts";
import { replayCommits } from "./replay-commits.ts";
import { truncate } from "../../../core/model/text.ts";
import { runGit } from "../run-git.ts";

type MergePromise = ReturnType<ItemWorktrees["merge"]>;

/** [V7, V9] Adds an item's work to the merged ones before it, or returns the conflict. */
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
  for (const file of conflict.files) if (await hasConflictMarkers(cwd, commit, file)) files.push(file);
  const tree = files.length === 0 ? undefined : await treeOf(cwd, commit);
  if (tree === undefined) return undefined;
  const said = "The marks of the conflict are still in these files.";
  return { kind: "conflicted", onto: tip, tree, files, reason: await describeConflict(cwd, { tree, files, said }) };
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}

const FILES_SHOWN = 5;
const FILES_NAMED = 30;
const HUNK_LINES = 24;
const HUNK_CHARS = 700;

/** [V36] Everything that an agent needs to resolve a conflict: the files, their present text, and conflicts without markers in words. */
async function describeConflict(
  cwd: string,
  { tree, files, said }: { readonly tree: string; readonly files: readonly string[]; readonly said: string },
): Promise<string> {
  const hunks: string[] = [];
  for (const file of files.slice(0, FILES_SHOWN)) {
    const hunk = await firstHunk(cwd, tree, file);
    if (hunk !== undefined) hunks.push(`${file}:\n${hunk}`);
  }
  const named = files.slice(0, FILES_NAMED).join(", ");
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : "";
  return [
    `Other items were merged since this one started, and this work conflicts with theirs in: ${named}${more}.`,
    "The files now hold the merged state, with conflict marks where both changed the same lines. Keep what the others did, " +
      "bring in what this item needs, and leave no marks behind.",
    ...(said === "" ? [] : [truncate(said, 1_500)]),
    ...hunks,
  ].join("\n\n");
}

/** True if a file of a commit or tree still contains conflict markers. */
async function hasConflictMarkers(cwd: string, tree: string, file: string): Promise<boolean> {
  const lines = (await readFileLines(cwd, tree, file)) ?? [];
  return lines.some((line) => line.startsWith("<<<<<<< ")) && lines.some((line) => line.startsWith(">>>>>>> "));
}

async function firstHunk(cwd: string, tree: string, file: string): Promise<string | undefined> {
  const lines = (await readFileLines(cwd, tree, file)) ?? [];
  const from = lines.findIndex((line) => line.startsWith("<<<<<<< "));
  if (from === -1) return undefined;
  const length = lines.slice(from).findIndex((line) => line.startsWith(">>>>>>> ")) + 1;
  const hunk = lines.slice(from, from + Math.min(length === 0 ? HUNK_LINES : length, HUNK_LINES));
  return truncate(hunk.join("\n"), HUNK_CHARS);
}

async function readFileLines(cwd: string, tree: string, file: string): Promise<readonly string[] | undefined> {
  const blob = await runGit(["cat-file", "blob", `${tree}:${file}`], { cwd, maxBytes: 8 * 1024 * 1024 });
  if (!blob.ok || blob.stdout.includes(0)) return undefined;
  return blob.stdout.toString("utf8").split("\n");
}
