import { mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Repository } from "../../repository.ts";
import { runGit } from "../../run-git.ts";
import { moveTree, removeTree } from "./tree.ts";

/** About 2,000 files: below that a new tree costs less than the sight of trees that nobody works in. */
const LARGE_INDEX = 150_000;
const MOST_TREES = 8;

/** The trees that lie ready, oldest name first. Who moves one away first has it. */
export function pooledTrees(pool: string): readonly string[] {
  try {
    return readdirSync(pool)
      .toSorted()
      .map((name) => join(pool, name));
  } catch {
    return [];
  }
}

/** [V18] Keeps a tree whose work is on the branch for a later cast. Answers whether it is kept. */
export async function poolTree(repository: Repository, pool: string, tree: string): Promise<boolean> {
  if (!isLarge(repository) || pooledTrees(pool).length >= MOST_TREES) return false;
  try {
    mkdirSync(pool, { recursive: true, mode: 0o700 });
  } catch {
    return false;
  }
  // What was copied into it, or made there, is nobody's any more.
  if (!(await runGit(["clean", "-ffdxq"], { cwd: tree })).ok) return false;
  return (await moveTree(repository, tree, join(pool, basename(tree)))) === undefined;
}

/** Nobody's work is in them. */
export async function emptyPool(cwd: string, pool: string): Promise<void> {
  for (const tree of pooledTrees(pool)) await removeTree(cwd, tree);
}

function isLarge({ gitDir }: Repository): boolean {
  return (statSync(join(gitDir, "index"), { throwIfNoEntry: false })?.size ?? 0) >= LARGE_INDEX;
}
