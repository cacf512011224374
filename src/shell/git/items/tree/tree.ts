import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { problemText } from "../../../system/problem.ts";
import { gitDirOf } from "../../known-tree.ts";
import { operationIn, type Repository } from "../../repository.ts";
import { complaintOf, runGit, textOf, type GitAnswer } from "../../run-git.ts";

/** What a working tree shall hold: HEAD at the base, and the files of the base or of a merge that went wrong. */
export interface TreeContent {
  readonly base: string;
  readonly tree: string | null;
}

/** [V18] A new working tree. git cannot make several at the same moment; filling them can go on side by side. */
export async function makeTree(
  repository: Repository,
  folder: string,
  { base, tree }: TreeContent,
): Promise<string | undefined> {
  const unmade = await oneAtATime(repository.commonDir, () => addTree(repository, folder, base));
  if (unmade !== undefined) return unmade;
  const filled = await runGit(["read-tree", "--reset", "-u", base], { cwd: folder });
  if (!filled.ok) return complaintOf(filled);
  return tree === null ? undefined : overlay(folder, { base, tree });
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
  { base, tree }: TreeContent,
): Promise<string | undefined> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const unmoved = await moveTree(repository, from, folder);
  if (unmoved !== undefined) return unmoved;
  const gitDir = gitDirOf(folder) ?? folder;
  // A tree that shows a part of its files only is no use to another, nor one in which the next submodule has a past.
  if (["config.worktree", "modules"].some((name) => existsSync(join(gitDir, name))))
    return "it has settings of its own";
  // A checkout leaves it as it is, and the next agent would be told to go on with it.
  const doing = operationIn(gitDir);
  if (doing !== undefined) return `${doing} is in progress in it`;
  const taken = await runGit(["checkout", "--detach", "--quiet", "--force", base], { cwd: folder });
  if (!taken.ok) return complaintOf(taken);
  // No file of an earlier item is left, not even one that git ignores: what an item finds must not depend on who came before.
  const cleaned = await runGit(["clean", "-ffdxq"], { cwd: folder });
  if (!cleaned.ok) return complaintOf(cleaned);
  return tree === null ? undefined : overlay(folder, { base, tree });
}

/** Who moves it first has it. Where a kill comes in between, the tree knows its place in git, and git is told by the next. */
export async function moveTree(repository: Repository, from: string, to: string): Promise<string | undefined> {
  const gitDir = gitDirOf(from);
  // What somebody has planted there may lead to a tree of the person's.
  const isOurs = gitDir !== undefined && isRegistered(repository, gitDir, from);
  if (!isOurs || existsSync(to)) return `${from} is no working tree that can be moved`;
  if (!readFileSync(join(from, ".git"), "utf8").includes(gitDir)) {
    // By a way that leads from the one to the other, which changes with its place.
    const move = ["worktree", "move", "--force", "--force", from, to];
    const moved = await oneAtATime(repository.commonDir, () => runGit(move, { cwd: repository.top }));
    return moved.ok ? undefined : complaintOf(moved);
  }
  try {
    renameSync(from, to);
    writeFileSync(join(gitDir, "gitdir"), `${join(to, ".git")}\n`);
    return undefined;
  } catch (thrown) {
    return problemText(thrown);
  }
}

function isRegistered({ commonDir }: Repository, gitDir: string, folder: string): boolean {
  try {
    const place = readFileSync(join(gitDir, "gitdir"), "utf8").trim();
    return isSame(dirname(dirname(gitDir)), commonDir) && isSame(dirname(resolve(gitDir, place)), folder);
  } catch {
    return false;
  }
}

/** The files as a merge left them; they show as changes of the item. */
async function overlay(folder: string, { base, tree }: { base: string; tree: string }): Promise<string | undefined> {
  const filled = await runGit(["read-tree", "--reset", "-u", tree], { cwd: folder });
  if (!filled.ok) return complaintOf(filled);
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
  const remove = (): Promise<GitAnswer> => runGit(["worktree", "remove", "--force", "--force", folder], { cwd });
  let { ok } = await remove();
  // One that was being moved when its process was killed: git knows it by the place where it was.
  if (!ok && gitDirOf(folder) !== undefined && (await runGit(["worktree", "repair", folder], { cwd })).ok)
    ({ ok } = await remove());
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // What cannot be removed now goes with the folder of its cast.
  }
  if (ok) return;
  // What is locked is never pruned.
  await runGit(["worktree", "unlock", folder], { cwd });
  await runGit(["worktree", "prune", "--expire=now"], { cwd });
}

const ASIDE = ".lost-";

export function isSetAside(name: string): boolean {
  return name.includes(ASIDE);
}

/** [V21] What lies aside in a folder of trees, by the name of the tree that it was found in. */
export function setAsideIn(trees: string): ReadonlyMap<string, readonly string[]> {
  const names = existsSync(trees) ? readdirSync(trees).filter(isSetAside).toSorted() : [];
  const byTree = Map.groupBy(names, (name) => name.slice(0, name.indexOf(ASIDE)));
  return new Map([...byTree].map(([tree, its]) => [tree, its.map((name) => join(trees, name))]));
}

/** What lies where a tree should be, and is none, may be somebody's work: it is set aside. */
export function setAside(folder: string): void {
  renameSync(folder, asideOf(folder));
}

/** Where the next thing goes that nobody may remove with a tree. */
export function asideOf(folder: string): string {
  for (let number = 1; ; number += 1) {
    const aside = `${folder}${ASIDE}${number}`;
    if (!existsSync(aside)) return aside;
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
