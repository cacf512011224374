import { cpSync, lstatSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { WorktreeConfig } from "../../../../core/model/config.ts";

/** Where a project is, and what its trees need besides what git keeps. */
export interface WorktreeSetup {
  readonly cwd: string;
  readonly worktree: WorktreeConfig;
  /** Runs the program that a new tree needs; the answer is a sentence where it failed. */
  readonly runSetup: (command: readonly string[], cwd: string) => Promise<string | undefined>;
}

/** What git does not keep and an item needs. The answer is a sentence where it cannot be had. */
export async function prepareWorktree(
  { cwd, worktree: { copy = [], setup }, runSetup: setUp }: WorktreeSetup,
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

interface CopyPaths {
  readonly project: string;
  readonly tree: string;
  readonly to: string;
}

/** [V18] Copied, so that nothing done to it reaches the person's own; a link that would lead there is none to copy. */
function copyInto({ project, tree, to }: CopyPaths, name: string): string | undefined {
  const target = resolve(to, name);
  if (isAbsolute(name) || !target.startsWith(`${tree}${sep}`)) return OUTSIDE_PROJECT;
  const top = realpathSync(project);
  const source = resolve(top, name);
  if (!pathExists(source)) return undefined;
  if (realpathSync(dirname(source)) !== dirname(source)) return "which lies behind a link";
  const leading: string[] = [];
  // A link in its place would lead what is copied to where it points.
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

const OUTSIDE_PROJECT = "which lies outside the project";

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Written from where it stands, to a place of the project: then it leads to the same place of the tree. */
function linkStaysInside(top: string, link: string): boolean {
  const to = readlinkSync(link);
  return !isAbsolute(to) && join(dirname(link), to).startsWith(`${top}${sep}`);
}
