import { appendFileSync, existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { errorText } from "../../system/files.ts";
import { currentToolsUser } from "../../process/tools-user.ts";
import { importPacks } from "./packs.ts";
import { readRef } from "../refs.ts";
import { findRepository, gitProblem, isObjectId, runGit } from "../repository.ts";
import { writeFilesOf } from "../shadow-index.ts";
import { isAllowedRemote, protocolsFor, redirectOptions, type AllowedRemotes, type TreeSource } from "./tree-source.ts";

export interface CheckpointPack {
  readonly head: string;
  readonly ckpt: string;
  readonly pack: Buffer;
}

/** The commit of HEAD, and the checkpoint with the files. */
export type TreePosition = Pick<CheckpointPack, "head" | "ckpt">;

export interface TreeTransfer {
  /** The packs of the cast, first to last. */
  readonly packs: readonly CheckpointPack[];
  readonly source: TreeSource;
  /** [B50] The position to restore, if it is not that of the last pack. */
  readonly position?: TreePosition | undefined;
  /** The folder of the tree; existing files are replaced. */
  readonly folder: string;
  /** The cache of fetched repositories on this machine, for all casts. */
  readonly cacheFolder: string;
  /** [B78] Makes the names of its folders unknown to programs of casts that use other repositories. */
  readonly cacheSecret: string;
  /** [B77] Where this machine may fetch. */
  readonly remotes: AllowedRemotes;
}

export type RestoredTree =
  | { readonly kind: "ready"; readonly head: string; readonly ckpt: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B55] Restores the working tree of a cast from its last checkpoint, in its own repository. */
export async function restoreTransferredTree(tree: TreeTransfer): Promise<RestoredTree> {
  const { remote } = tree.source;
  if (remote !== null && !isAllowedRemote(remote, tree.remotes))
    return restoreFailure(`this worker may not fetch from ${remote}: "remotes" of its profile does not allow it`);
  const ids = [...tree.packs, ...(tree.position ? [tree.position] : [])].flatMap(({ head, ckpt }) => [head, ckpt]);
  if (!ids.every(isObjectId)) return restoreFailure("a pack names no commit");
  try {
    const made = await restoreIntoFolder(tree);
    if (made.kind === "ready" || remote === null) return made;
    // Pushed commits are in no pack: they are missing if history was rewritten since.
    return restoreFailure(`${made.problem} (it builds on what ${remote} held when it was submitted)`);
  } catch (thrown) {
    return restoreFailure(errorText(thrown));
  }
}

async function restoreIntoFolder(tree: TreeTransfer): Promise<RestoredTree> {
  const { packs, source, folder, position } = tree;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const call = { cwd: folder };
  const unmade = await gitProblem(["init", "-q"], call);
  if (unmade !== undefined) return restoreFailure(unmade);
  let begins: TreePosition | undefined;
  if (source.remote !== null) {
    const cache = await fetchIntoCache(tree, source.remote);
    if (cache.kind === "failed") return cache;
    if (source.follows) begins = await branchHead(cache.folder, source.branch ?? "");
    appendFileSync(join(folder, ".git", "objects", "info", "alternates"), `${join(cache.folder, "objects")}\n`);
    await runGit(["remote", "add", "--", "origin", source.remote], call);
  }
  const last = position ?? packs.at(-1) ?? begins;
  if (!last)
    return restoreFailure(source.follows ? `${source.remote} has no ${source.branch}` : "it has no checkpoint");
  const unusable = await importPacks(
    folder,
    packs.map(({ pack }) => pack),
  );
  if (unusable) return restoreFailure(`pack ${unusable.index} of its files is damaged: ${unusable.wrong}`);
  const head =
    source.branch === null ? ["update-ref", "--no-deref", "HEAD", last.head] : ["update-ref", source.branch, last.head];
  if (source.branch !== null) await runGit(["symbolic-ref", "HEAD", source.branch], call);
  const unmoved = await gitProblem(head, call);
  if (unmoved !== undefined) return restoreFailure(unmoved);
  const found = await findRepository(folder);
  if (found.kind === "none") return restoreFailure(found.why);
  const unfilled = await writeFilesOf(found.repository, folder, last.ckpt);
  if (unfilled !== undefined) return restoreFailure(unfilled);
  const unset = await gitProblem(["reset", "-q", "--mixed", last.head], call);
  if (unset !== undefined) return restoreFailure(unset);
  const cwd = join(folder, source.below);
  // A link in the tree may lead out of it.
  if (existsSync(cwd) && relative(realpathSync(folder), realpathSync(cwd)).startsWith(".."))
    return restoreFailure(`${source.below} is outside its tree`);
  return { kind: "ready", head: last.head, ckpt: last.ckpt };
}

async function branchHead(cache: string, branch: string): Promise<TreePosition | undefined> {
  const commit = await readRef(cache, `${branch}^{commit}`);
  return commit === undefined ? undefined : { head: commit, ckpt: commit };
}

type CacheOutcome =
  | { readonly kind: "cache"; readonly folder: string }
  | { readonly kind: "failed"; readonly problem: string };

/** git locks every ref that it moves: of two casts that start at once, one would not get its files. */
const fetchOneByOne = createSerialQueue();

/** Fetches pushed commits once for all casts of this machine. */
function fetchIntoCache(tree: TreeTransfer, remote: string): Promise<CacheOutcome> {
  const name = createHash("sha256").update(`${tree.cacheSecret} ${remote}`).digest("hex").slice(0, 32);
  const folder = join(tree.cacheFolder, `${name}.git`);
  return fetchOneByOne(folder, () => fetchRemote(folder, remote, tree.remotes));
}

async function fetchRemote(folder: string, remote: string, remotes: AllowedRemotes): Promise<CacheOutcome> {
  // [B25] The tools user's git reads it too.
  mkdirSync(folder, { recursive: true, mode: currentToolsUser() ? 0o755 : 0o700 });
  const call = { cwd: folder };
  const unmade = await gitProblem(["init", "-q", "--bare"], call);
  if (unmade !== undefined) return restoreFailure(unmade);
  const args = ["fetch", "-q", "--no-tags", "--", remote, "+refs/heads/*:refs/heads/*"];
  const unread = await gitProblem([...redirectOptions(remotes), ...args], { ...call, env: protocolsFor(remote) });
  if (unread !== undefined) return restoreFailure(`cannot read the repository ${remote}: ${unread}`);
  return { kind: "cache", folder };
}

function restoreFailure(problem: string): { readonly kind: "failed"; readonly problem: string } {
  return { kind: "failed", problem };
}
