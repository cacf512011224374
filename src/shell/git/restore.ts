import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeTree } from "./checkpoint.ts";
import type { Repository } from "./repository.ts";
import { problemText } from "../system/problem.ts";
import { complaintOf, partsOf, runGit, textOf } from "./run-git.ts";
import { emptyShadow, openShadow } from "./shadow.ts";

export type Restored =
  | { readonly kind: "restored"; readonly files: number; readonly pointers: number }
  | {
      readonly kind: "refused";
      readonly why: "not_empty" | "not_clean" | "in_the_way";
      readonly paths: readonly string[];
    }
  | { readonly kind: "failed"; readonly problem: string };

/** [Y8] A checkpoint in a working tree of its own, at a place where nothing is yet. */
export function restoreTo(repository: Repository, commit: string, folder: string): Promise<Restored> {
  return guarded(() => fillFolder(repository, commit, folder));
}

/** [Y8] Over the working tree itself, and only where nothing would be lost by it. */
export function restoreHere(repository: Repository, request: HereRequest): Promise<Restored> {
  return guarded(() => moveHere(repository, request));
}

async function guarded(work: () => Promise<Restored>): Promise<Restored> {
  try {
    return await work();
  } catch (thrown) {
    return { kind: "failed", problem: problemText(thrown) };
  }
}

async function fillFolder(repository: Repository, commit: string, folder: string): Promise<Restored> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    return { kind: "refused", why: "not_empty", paths: [folder] };
  const added = await runGit(["worktree", "add", "--no-checkout", "--detach", folder, commit], { cwd: repository.top });
  if (!added.ok) return { kind: "failed", problem: complaintOf(added) };
  const shadow = await emptyShadow(repository, folder);
  try {
    const index = await runGit(["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: folder });
    const env = { GIT_INDEX_FILE: textOf(index) };
    const filled = await shadow.git(["read-tree", "--reset", "-u", commit], { env });
    if (filled.ok) return await restored(repository, commit, folder);
    await runGit(["worktree", "remove", "--force", folder], { cwd: repository.top });
    rmSync(folder, { recursive: true, force: true });
    return { kind: "failed", problem: complaintOf(filled) };
  } finally {
    shadow.close();
  }
}

export interface HereRequest {
  readonly commit: string;
  /** Trees that are kept anyway: HEAD's, and those of the cast's own checkpoints. */
  readonly known: ReadonlySet<string>;
  readonly leaveOut: readonly string[];
}

async function moveHere(repository: Repository, request: HereRequest): Promise<Restored> {
  const shadow = await openShadow(repository, { leaveOut: request.leaveOut });
  try {
    const now = await takeTree(shadow);
    if (now.kind === "failed") return now;
    if (!request.known.has(now.tree)) {
      const changed = await runGit(["diff-tree", "-r", "-z", "--name-only", "HEAD", now.tree], { cwd: repository.top });
      return { kind: "refused", why: "not_clean", paths: partsOf(changed) };
    }
    const inTheWay = await unkeptAt(repository, now.tree, request.commit);
    if (inTheWay.length > 0) return { kind: "refused", why: "in_the_way", paths: inTheWay };
    const moved = await shadow.git(["read-tree", "-u", "-m", now.tree, request.commit]);
    if (!moved.ok) return { kind: "failed", problem: complaintOf(moved) };
    return await restored(repository, request.commit, repository.top);
  } finally {
    shadow.close();
  }
}

/** What lies where a file is to come, and is in no checkpoint: ignored, too large, or not readable. git would overwrite it. */
async function unkeptAt({ top }: Repository, from: string, to: string): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A", "--name-only", from, to];
  const added = partsOf(await runGit(args, { cwd: top }));
  const kept = new Set(partsOf(await runGit(["ls-tree", "-r", "-z", "--name-only", from], { cwd: top })));
  return added.filter((name) => {
    const parts = name.split("/");
    const aboves = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join("/"));
    const isBlocked = aboves.some(
      (above) => !kept.has(above) && isThere(join(top, above)) && !isFolder(join(top, above)),
    );
    return isBlocked || (isThere(join(top, name)) && !isFolder(join(top, name)));
  });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const POINTER = "version https://git-lfs.github.com/spec/";

async function restored(repository: Repository, commit: string, folder: string): Promise<Restored> {
  const listed = await runGit(["ls-tree", "-r", "-z", "--name-only", commit], { cwd: repository.top });
  const found = await runGit(["grep", "--cached", "-l", "-z", "-F", POINTER, commit], { cwd: folder });
  return { kind: "restored", files: partsOf(listed).length, pointers: partsOf(found).length };
}
