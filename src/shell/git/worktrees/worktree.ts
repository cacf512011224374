import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve, basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { namesIn } from "../../system/folders.ts";
import { errorText, ignoreLocalErrors, valueOr } from "../../system/files.ts";
import { gitDirOf } from "../cached-worktree.ts";
import { operationInProgress, type Repository, gitProblem, runGit, stdoutText, type GitResult } from "../repository.ts";

/** The contents of a working tree: HEAD at the base, and the files of the base or of a failed merge. */
export interface WorktreeContent {
  readonly base: string;
  readonly tree: string | null;
}

/** [V18] Creates a working tree. git cannot create several at once; filling them can run in parallel. */
export async function createWorktree(
  repository: Repository,
  folder: string,
  content: WorktreeContent,
): Promise<string | undefined> {
  return (
    (await runExclusively(repository.commonDir, () => addWorktree(repository, folder, content.base))) ??
    (await gitProblem(["read-tree", "--reset", "-u", content.base], { cwd: folder })) ??
    overlayFiles(folder, content)
  );
}

async function addWorktree({ top }: Repository, folder: string, base: string): Promise<string | undefined> {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    return errorText(thrown);
  }
  const lock = ["--lock", "--reason", "an item of a cast"];
  const add = ["worktree", "add", "--no-checkout", "--detach", "--force", ...lock, folder, base];
  for (let attempt = 1; ; attempt += 1) {
    const problem = await gitProblem(add, { cwd: top });
    if (problem === undefined || attempt === MAX_ADD_ATTEMPTS) return problem;
    // A killed git left a partial tree: no cast has started in it, so it can be removed.
    await removeWorktree(top, folder);
    // Other processes may be creating trees: git cannot read their unfinished records. Spread the next attempts.
    await sleep(Math.random() * RETRY_SPREAD_MS * attempt);
  }
}

const MAX_ADD_ATTEMPTS = 8;
const RETRY_SPREAD_MS = 100;

/** Resets a tree that another item left. Returns false if it cannot be used. */
export async function reuseWorktree(
  repository: Repository,
  from: string,
  folder: string,
  content: WorktreeContent,
): Promise<boolean> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  if (!(await moveWorktree(repository, from, folder))) return false;
  const gitDir = gitDirOf(folder) ?? folder;
  // A sparse tree cannot be reused, nor one that has had submodules.
  if (["config.worktree", "modules"].some((name) => existsSync(join(gitDir, name)))) return false;
  // A checkout keeps an unfinished operation, and the next agent would continue it.
  if (operationInProgress(gitDir) !== undefined) return false;
  const problem =
    (await gitProblem(["checkout", "--detach", "--quiet", "--force", content.base], { cwd: folder })) ??
    // Removes all files of the earlier item, also ignored ones: an item must not depend on its predecessor.
    (await gitProblem(["clean", "-ffdxq"], { cwd: folder })) ??
    (await overlayFiles(folder, content));
  return problem === undefined;
}

/** The first to move it gets it. After a kill in between, the next owner repairs git's record of the path. */
async function moveWorktree(repository: Repository, from: string, to: string): Promise<boolean> {
  const gitDir = gitDirOf(from);
  // A planted link may lead to a tree of the person.
  const isOurs = gitDir !== undefined && isRegistered(repository, gitDir, from);
  if (!isOurs || from === to || existsSync(to)) return isOurs && from === to;
  if (!readFileSync(join(from, ".git"), "utf8").includes(gitDir)) {
    // The relative path changes with its place.
    const move = ["worktree", "move", "--force", "--force", from, to];
    return runExclusively(repository.commonDir, async () => (await runGit(move, { cwd: repository.top })).ok);
  }
  return valueOr(() => {
    renameSync(from, to);
    writeFileSync(join(gitDir, "gitdir"), `${join(to, ".git")}\n`);
    return true;
  }, false);
}

function isRegistered({ commonDir }: Repository, gitDir: string, folder: string): boolean {
  const registered = registeredFolder(gitDir);
  return isSamePath(dirname(dirname(gitDir)), commonDir) && registered !== undefined && isSamePath(registered, folder);
}

/** The working tree that git has on record for one of its folders. */
export function registeredFolder(gitDir: string): string | undefined {
  return valueOr(() => dirname(resolve(gitDir, readFileSync(join(gitDir, "gitdir"), "utf8").trim())), undefined);
}

/** The files that a merge left; they show as changes of the item. */
async function overlayFiles(folder: string, { base, tree }: WorktreeContent): Promise<string | undefined> {
  if (tree === null) return undefined;
  const unfilled = await gitProblem(["read-tree", "--reset", "-u", tree], { cwd: folder });
  return unfilled ?? gitProblem(["read-tree", "--reset", base], { cwd: folder });
}

/** What exists at the path of a tree. If git could not answer, it must not count as nothing. */
export type WorktreeState = "tree" | "nothing" | "something else" | "not known";

export async function readWorktreeState({ commonDir }: Repository, folder: string): Promise<WorktreeState> {
  if (!existsSync(folder)) return "nothing";
  const asked = await runGit(["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"], {
    cwd: folder,
  });
  // git was killed or could not start: that is no answer.
  if (asked.code === null) return "not known";
  const [top = "", common = ""] = stdoutText(asked).split("\n");
  return asked.ok && isSamePath(common, commonDir) && isSamePath(top, folder) ? "tree" : "something else";
}

function isSamePath(one: string, other: string): boolean {
  return valueOr(() => realpathSync(one) === realpathSync(other), false);
}

export async function removeWorktree(cwd: string, folder: string): Promise<void> {
  const remove = (): Promise<GitResult> => runGit(["worktree", "remove", "--force", "--force", folder], { cwd });
  let { ok } = await remove();
  // A tree that was being moved when its process was killed: git knows it by its former path.
  if (!ok && gitDirOf(folder) !== undefined && (await runGit(["worktree", "repair", folder], { cwd })).ok)
    ({ ok } = await remove());
  // A folder that cannot be removed now goes with the folder of its cast.
  ignoreLocalErrors(() => rmSync(folder, { recursive: true, force: true }));
  if (ok) return;
  // A locked tree is never pruned.
  await runGit(["worktree", "unlock", folder], { cwd });
  await runGit(["worktree", "prune", "--expire=now"], { cwd });
}

const QUARANTINE_MARK = ".lost-";

export function isQuarantined(name: string): boolean {
  return name.includes(QUARANTINE_MARK);
}

/** [V39] Quarantined files in a folder of trees, by the name of the tree they were found in. */
export function listQuarantined(trees: string): ReadonlyMap<string, readonly string[]> {
  const names = existsSync(trees) ? readdirSync(trees).filter(isQuarantined).toSorted() : [];
  const byTree = Map.groupBy(names, (name) => name.slice(0, name.indexOf(QUARANTINE_MARK)));
  return new Map([...byTree].map(([tree, its]) => [tree, its.map((name) => join(trees, name))]));
}

/** Files at the path of a tree that are no tree may be somebody's work: they are quarantined. */
export function quarantine(folder: string): void {
  renameSync(folder, quarantinePath(folder));
}

export function quarantinePath(folder: string): string {
  for (let number = 1; ; number += 1) {
    const aside = `${folder}${QUARANTINE_MARK}${number}`;
    if (!existsSync(aside)) return aside;
  }
}

/** Work on the records of one repository. With eight at once one of ten tries failed. */
export const runExclusively = createSerialQueue();

/** About 2,000 files: below that a new tree costs less than an inspection of unused trees. */
const LARGE_INDEX = 150_000;
const MAX_POOLED = 8;

/** Unused trees, oldest name first. The first to move one gets it. */
export function listPooledWorktrees(pool: string): readonly string[] {
  return namesIn(pool)
    .toSorted()
    .map((name) => join(pool, name));
}

/** [V41] Keeps a tree whose work is on the branch for a later cast. Returns true if it is kept. */
export async function poolWorktree(repository: Repository, pool: string, tree: string): Promise<boolean> {
  const index = statSync(join(repository.gitDir, "index"), { throwIfNoEntry: false });
  if ((index?.size ?? 0) < LARGE_INDEX || listPooledWorktrees(pool).length >= MAX_POOLED) return false;
  ignoreLocalErrors(() => mkdirSync(pool, { recursive: true, mode: 0o700 }));
  // Files that were copied or made in it are no longer needed.
  if (!(await runGit(["clean", "-ffdxq"], { cwd: tree })).ok) return false;
  return moveWorktree(repository, tree, join(pool, basename(tree)));
}

/** They contain no work. */
export async function emptyWorktreePool(cwd: string, pool: string): Promise<void> {
  for (const tree of listPooledWorktrees(pool)) await removeWorktree(cwd, tree);
}
