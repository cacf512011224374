import { existsSync, readdirSync, rmSync } from "node:fs";
import { takeTree } from "./checkpoint.ts";
import type { Repository } from "./repository.ts";
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
export async function restoreTo(repository: Repository, commit: string, folder: string): Promise<Restored> {
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

/** [Y9] Over the working tree itself, and only where nothing would be lost by it. */
export async function restoreHere(repository: Repository, request: HereRequest): Promise<Restored> {
  const shadow = await openShadow(repository, { leaveOut: request.leaveOut });
  try {
    const now = await takeTree(shadow);
    if (now.kind === "failed") return now;
    if (!request.known.has(now.tree)) {
      const changed = await runGit(["diff-tree", "-r", "-z", "--name-only", "HEAD", now.tree], { cwd: repository.top });
      return { kind: "refused", why: "not_clean", paths: partsOf(changed) };
    }
    const moved = await shadow.git(["read-tree", "-u", "-m", now.tree, request.commit]);
    if (moved.ok) return await restored(repository, request.commit, repository.top);
    const paths = moved.stderr.split("\n").flatMap((line) => /^\t(.+)$/.exec(line)?.[1] ?? []);
    return paths.length > 0
      ? { kind: "refused", why: "in_the_way", paths }
      : { kind: "failed", problem: complaintOf(moved) };
  } finally {
    shadow.close();
  }
}

const POINTER = "version https://git-lfs.github.com/spec/";

async function restored(repository: Repository, commit: string, folder: string): Promise<Restored> {
  const listed = await runGit(["ls-tree", "-r", "-z", "--name-only", commit], { cwd: repository.top });
  const found = await runGit(["grep", "--cached", "-l", "-z", "-F", POINTER, commit], { cwd: folder });
  return { kind: "restored", files: partsOf(listed).length, pointers: partsOf(found).length };
}
