import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Repository } from "./repository.ts";
import type { ChangeCounts } from "../../core/model/checkpoint.ts";
import type { GitSettings } from "./shadow-index.ts";

/** A working tree that this process has just filled: what is known of it, git need not be asked. */
export interface CachedWorktree {
  readonly repository: Repository;
  readonly settings: GitSettings;
  readonly attributes: readonly string[];
  /** Whether there is nothing in it but the files of HEAD. */
  readonly isClean: boolean;
  /** The last checkpoint of it, where that holds the files as git itself would keep them, and what it changed of HEAD's. */
  readonly lastCheckpoint: { tree: string | undefined; changed: ChangeCounts | undefined };
  /** git's own files of the tree, as they were left. */
  readonly stamp: string;
}

/** Nothing where git keeps HEAD in another way, or it does not stand at the commit. */
export function cacheWorktree(
  of: Pick<Repository, "commonDir" | "objectFormat">,
  at: Pick<CachedWorktree, "settings" | "attributes" | "isClean"> & Pick<Repository, "head" | "tree">,
  folder: string,
): CachedWorktree | undefined {
  const { head, tree, ...known } = at;
  const stamp = stampOf(folder, head);
  const gitDir = gitDirOf(folder);
  if (stamp === undefined || gitDir === undefined) return undefined;
  const { commonDir, objectFormat } = of;
  const repository = { top: folder, gitDir, commonDir, objectFormat, head, tree };
  return { ...known, repository, lastCheckpoint: { tree: undefined, changed: undefined }, stamp };
}

/** [V8] Whether nobody has used git in it since: then what lies in its files is all that there is. */
export function isUntouched({ repository, stamp }: CachedWorktree): boolean {
  return stampOf(repository.top, repository.head) === stamp;
}

/** The folder of git's own that the file of a linked tree leads to. */
export function gitDirOf(folder: string): string | undefined {
  try {
    const [, path] = /^gitdir: (.+)\n$/.exec(readFileSync(join(folder, ".git"), "utf8")) ?? [];
    return path === undefined ? undefined : resolve(folder, path);
  } catch {
    return undefined;
  }
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
