import { mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Repository } from "../../repository.ts";
import { runGit } from "../../run-git.ts";
import { moveWorktree, removeWorktree } from "./tree.ts";

/** About 2,000 files: below that a new tree costs less than the sight of trees that nobody works in. */
const LARGE_INDEX = 150_000;
const MAX_POOLED = 8;

/** The trees that lie ready, oldest name first. Who moves one away first has it. */
export function listPooledWorktrees(pool: string): readonly string[] {
  try {
    return readdirSync(pool)
      .toSorted()
      .map((name) => join(pool, name));
  } catch {
    return [];
  }
}

/** [V18] Keeps a tree whose work is on the branch for a later cast. Answers whether it is kept. */
export async function poolWorktree(repository: Repository, pool: string, tree: string): Promise<boolean> {
  if (!isLargeRepository(repository) || listPooledWorktrees(pool).length >= MAX_POOLED) return false;
  try {
    mkdirSync(pool, { recursive: true, mode: 0o700 });
  } catch {
    return false;
  }
  // What was copied into it, or made there, is nobody's any more.
  if (!(await runGit(["clean", "-ffdxq"], { cwd: tree })).ok) return false;
  return (await moveWorktree(repository, tree, join(pool, basename(tree)))) === undefined;
}

/** Nobody's work is in them. */
export async function emptyWorktreePool(cwd: string, pool: string): Promise<void> {
  for (const tree of listPooledWorktrees(pool)) await removeWorktree(cwd, tree);
}

function isLargeRepository({ gitDir }: Repository): boolean {
  return (statSync(join(gitDir, "index"), { throwIfNoEntry: false })?.size ?? 0) >= LARGE_INDEX;
}
