import { existsSync, lstatSync, readdirSync, rmSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { snapshotTree } from "./take-checkpoint.ts";
import { type Repository, expectSuccess, stdoutParts, runGit, stdoutText } from "./repository.ts";
import { errorText } from "../system/files.ts";
import { openShadowIndex, writeFilesOf } from "./shadow-index.ts";

export type RestoreOutcome =
  | { readonly kind: "restored"; readonly files: number; readonly pointers: number }
  | {
      readonly kind: "refused";
      readonly why: "folder_not_empty" | "dirty_worktree" | "path_occupied";
      readonly paths: readonly string[];
    }
  | { readonly kind: "failed"; readonly problem: string };

/** [Y8] Restores a checkpoint into a new working tree, at an unused path. */
export function restoreToFolder(repository: Repository, commit: string, folder: string): Promise<RestoreOutcome> {
  return catchFailure(async () => {
    if (existsSync(folder) && readdirSync(folder).length > 0)
      return { kind: "refused", why: "folder_not_empty", paths: [folder] };
    const call = { cwd: repository.top };
    expectSuccess(await runGit(["worktree", "add", "--no-checkout", "--detach", folder, commit], call));
    try {
      const index = await runGit(["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: folder });
      await writeFilesOf(repository, folder, commit, { GIT_INDEX_FILE: stdoutText(index) });
    } catch (thrown) {
      await runGit(["worktree", "remove", "--force", folder], call);
      rmSync(folder, { recursive: true, force: true });
      throw thrown;
    }
    return describeRestored(repository, commit, folder);
  });
}

async function catchFailure(work: () => Promise<RestoreOutcome>): Promise<RestoreOutcome> {
  try {
    return await work();
  } catch (thrown) {
    return { kind: "failed", problem: errorText(thrown) };
  }
}

interface RestoreInPlaceRequest {
  readonly commit: string;
  /** Trees that are stored anyway: that of HEAD, and those of the cast's checkpoints. */
  readonly savedTrees: ReadonlySet<string>;
  readonly exclude: readonly string[];
}

/** [Y15] Restores over the working tree itself, only if nothing would be lost. */
export function restoreInPlace(repository: Repository, request: RestoreInPlaceRequest): Promise<RestoreOutcome> {
  return catchFailure(async () => {
    const { commit, savedTrees, exclude } = request;
    const shadow = await openShadowIndex(repository, { exclude });
    try {
      const { tree } = await snapshotTree(shadow);
      if (!savedTrees.has(tree)) {
        const changed = await runGit(["diff-tree", "-r", "-z", "--name-only", "HEAD", tree], { cwd: repository.top });
        return { kind: "refused", why: "dirty_worktree", paths: stdoutParts(changed) };
      }
      const inTheWay = await findOccupiedPaths(repository, tree, commit);
      if (inTheWay.length > 0) return { kind: "refused", why: "path_occupied", paths: inTheWay };
      expectSuccess(await shadow.git(["read-tree", "-u", "-m", tree, commit]));
      return await describeRestored(repository, commit, repository.top);
    } finally {
      shadow.close();
    }
  });
}

/** Files at the paths to write that are in no checkpoint: ignored, too large or unreadable. git would overwrite them. */
async function findOccupiedPaths({ top }: Repository, from: string, to: string): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A", "--name-only", from, to];
  const added = stdoutParts(await runGit(args, { cwd: top }));
  const kept = new Set(stdoutParts(await runGit(["ls-tree", "-r", "-z", "--name-only", from], { cwd: top })));
  return added.filter((name) => {
    const parts = name.split("/");
    const aboves = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join("/"));
    return [...aboves.filter((above) => !kept.has(above)), name].some((each) => {
      const found = lstatSync(join(top, each), { throwIfNoEntry: false });
      return found && !found.isDirectory();
    });
  });
}

const LFS_POINTER = "version https://git-lfs.github.com/spec/";

async function describeRestored(repository: Repository, commit: string, folder: string): Promise<RestoreOutcome> {
  const listed = await runGit(["ls-tree", "-r", "-z", "--name-only", commit], { cwd: repository.top });
  const found = await runGit(["grep", "--cached", "-l", "-z", "-F", LFS_POINTER, commit], { cwd: folder });
  return { kind: "restored", files: stdoutParts(listed).length, pointers: stdoutParts(found).length };
}

/** Exports the files of a commit into a plain folder without a repository; returns a problem if that failed. */
export async function exportTree(repository: Repository, commit: string, folder: string): Promise<string | undefined> {
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) return `${folder} is not empty`;
    mkdirSync(folder, { recursive: true });
    await writeFilesOf(repository, folder, commit);
    return undefined;
  } catch (thrown) {
    return errorText(thrown);
  }
}
