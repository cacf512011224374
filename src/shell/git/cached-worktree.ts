import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Repository } from "./repository.ts";
import type { ChangeCounts } from "../../core/model/checkpoint.ts";
import { valueOr } from "../system/files.ts";
import type { GitSettings } from "./shadow-index.ts";

/** A working tree that this process has just filled: cached facts save calls of git. */
export interface CachedWorktree {
  readonly repository: Repository;
  readonly settings: GitSettings;
  readonly attributes: readonly string[];
  /** True if it holds exactly the files of HEAD. */
  readonly isClean: boolean;
  /** Its last checkpoint, if git would store the same bytes, and the files that it changed. */
  readonly lastCheckpoint: { tree: string | undefined; changed: ChangeCounts | undefined };
  /** git's own files of the tree, as this process left them. */
  readonly stamp: string;
}

/** Undefined if git stores HEAD in another way, or if HEAD is at another commit. */
export function cacheWorktree(
  of: Pick<Repository, "commonDir" | "objectFormat">,
  at: Pick<CachedWorktree, "settings" | "attributes" | "isClean"> & Pick<Repository, "head" | "tree">,
  folder: string,
): CachedWorktree | undefined {
  const { head, tree, ...facts } = at;
  const stamp = stampOf(folder, head);
  const gitDir = gitDirOf(folder);
  if (stamp === undefined || gitDir === undefined) return undefined;
  const { commonDir, objectFormat } = of;
  const repository = { top: folder, gitDir, commonDir, objectFormat, head, tree };
  return { ...facts, repository, lastCheckpoint: { tree: undefined, changed: undefined }, stamp };
}

/** [V8] True if nobody has used git in it since: then its files are all there is. */
export function isUntouched({ repository, stamp }: CachedWorktree): boolean {
  return stampOf(repository.top, repository.head) === stamp;
}

export function gitDirOf(folder: string): string | undefined {
  const [, path] = /^gitdir: (.+)\n$/.exec(valueOr(() => readFileSync(join(folder, ".git"), "utf8"), "")) ?? [];
  return path === undefined ? undefined : resolve(folder, path);
}

function stampOf(folder: string, head: string): string | undefined {
  const gitDir = gitDirOf(folder);
  if (gitDir === undefined) return undefined;
  try {
    if (readFileSync(join(gitDir, "HEAD"), "latin1") !== `${head}\n`) return undefined;
    const { ino, size, mtimeNs, ctimeNs } = statSync(join(gitDir, "index"), { bigint: true });
    return [gitDir, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return undefined;
  }
}
