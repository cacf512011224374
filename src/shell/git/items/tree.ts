import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { problemText } from "../../system/problem.ts";
import type { Repository } from "../repository.ts";
import { complaintOf, runGit, textOf } from "../run-git.ts";
import type { GitAnswer } from "../run-git.ts";

/** What a working tree shall hold: HEAD at the base, and the files of the base or of a merge that went wrong. */
export interface TreeContent {
  readonly base: string;
  readonly tree: string | null;
}

/** [V18] A new working tree. git cannot make several at the same moment; filling them can go on side by side. */
export async function makeTree(
  repository: Repository,
  folder: string,
  content: TreeContent,
): Promise<string | undefined> {
  const unmade = await oneAtATime(repository.commonDir, () => addTree(repository, folder, content.base));
  return unmade ?? fill(folder, content);
}

async function addTree({ top }: Repository, folder: string, base: string): Promise<string | undefined> {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    return problemText(thrown);
  }
  const add = (): Promise<GitAnswer> =>
    runGit(
      [
        "worktree",
        "add",
        "--no-checkout",
        "--detach",
        "--force",
        "--lock",
        "--reason",
        "an item of a cast",
        folder,
        base,
      ],
      { cwd: top },
    );
  const first = await add();
  if (first.ok) return undefined;
  // A git that was killed here left a half: no cast has begun in it, so it can go.
  await removeTree(top, folder);
  const second = await add();
  return second.ok ? undefined : complaintOf(second);
}

/** A tree that another item has left, as if it were new. */
export async function reuseTree(
  repository: Repository,
  from: string,
  folder: string,
  content: TreeContent,
): Promise<string | undefined> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const moved = await oneAtATime(repository.commonDir, () =>
    runGit(["worktree", "move", "--force", "--force", from, folder], { cwd: repository.top }),
  );
  if (!moved.ok) return complaintOf(moved);
  const head = await runGit(["update-ref", "--no-deref", "HEAD", content.base], { cwd: folder });
  const detached = head.ok
    ? await runGit(["checkout", "--detach", "--quiet", "--force", content.base], { cwd: folder })
    : head;
  if (!detached.ok) return complaintOf(detached);
  return fill(folder, content);
}

/** No file of an earlier item is left, not even one that git ignores: what an item finds must not depend on who came before. */
async function fill(folder: string, { base, tree }: TreeContent): Promise<string | undefined> {
  const filled = await runGit(["read-tree", "--reset", "-u", tree ?? base], { cwd: folder });
  if (!filled.ok) return complaintOf(filled);
  const cleaned = await runGit(["clean", "-ffdxq"], { cwd: folder });
  if (!cleaned.ok) return complaintOf(cleaned);
  if (tree === null) return undefined;
  // What the merge left shows as changes of the item.
  const index = await runGit(["read-tree", "--reset", base], { cwd: folder });
  return index.ok ? undefined : complaintOf(index);
}

/** What lies where a tree should be. Where git could not say, nobody may take it for nothing. */
export type TreeState = "tree" | "nothing" | "something else" | "not known";

export async function stateOfTree({ commonDir }: Repository, folder: string): Promise<TreeState> {
  if (!existsSync(folder)) return "nothing";
  const asked = await runGit(["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"], {
    cwd: folder,
  });
  // Killed, or not to be started: that is no answer.
  if (asked.code === null) return "not known";
  const [top = "", common = ""] = textOf(asked).split("\n");
  return asked.ok && isSame(common, commonDir) && isSame(top, folder) ? "tree" : "something else";
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

export async function removeTree(cwd: string, folder: string): Promise<void> {
  const removed = await runGit(["worktree", "remove", "--force", "--force", folder], { cwd });
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // What cannot be removed now goes with the folder of its cast.
  }
  // What is locked is never pruned.
  if (!removed.ok) await runGit(["worktree", "unlock", folder], { cwd });
  await runGit(["worktree", "prune", "--expire=now"], { cwd });
}

const ASIDE = ".lost-";

export function isSetAside(name: string): boolean {
  return name.includes(ASIDE);
}

/** What lies where a tree should be, and is none, may be somebody's work: it is set aside. */
export function setAside(folder: string): void {
  for (let number = 1; ; number += 1) {
    const aside = `${folder}${ASIDE}${number}`;
    if (existsSync(aside)) continue;
    renameSync(folder, aside);
    return;
  }
}

const lines = new Map<string, Promise<unknown>>();

/** Eight at once failed in one of ten tries. */
export function oneAtATime<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
  const before = lines.get(commonDir) ?? Promise.resolve();
  const now = before.then(work, work);
  lines.set(
    commonDir,
    now.catch(() => undefined),
  );
  return now;
}
