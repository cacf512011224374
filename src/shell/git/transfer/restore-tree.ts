import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorText } from "../../system/files.ts";
import { currentToolsUser } from "../../process/tools-user.ts";
import { importPacks } from "./packs.ts";
import { findRepository, gitErrorText, runGit, stdoutText } from "../repository.ts";
import { openEmptyShadow } from "../shadow-index.ts";

/** The source of the files of a cast. */
export interface TreeSource {
  /** The repository of the pushed commits; null if the first pack has everything. */
  readonly remote: string | null;
  /** The branch of the submitter. */
  readonly branch: string | null;
  /** The folder below the top that the cast works in. */
  readonly below: string;
  /** [B43] Set if the cast starts with the present state of the branch in that repository. */
  readonly follows?: true;
}

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
}

export type RestoredTree =
  | { readonly kind: "ready"; readonly cwd: string; readonly head: string; readonly ckpt: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B55] Restores the working tree of a cast from its last checkpoint, in its own repository. */
export async function restoreTransferredTree(tree: TreeTransfer): Promise<RestoredTree> {
  try {
    const made = await restoreIntoFolder(tree);
    const { remote } = tree.source;
    if (made.kind === "ready" || remote === null) return made;
    // Pushed commits are in no pack: they are missing if history was rewritten since.
    return restoreFailure(`${made.problem} (it builds on what ${remote} held when it was submitted)`);
  } catch (thrown) {
    return restoreFailure(errorText(thrown));
  }
}

async function restoreIntoFolder({
  packs,
  source,
  folder,
  cacheFolder: caches,
  position: stands,
}: TreeTransfer): Promise<RestoredTree> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const call = { cwd: folder };
  // [B25] This process writes checkpoints and another user's agents write commits, both into the same objects.
  const made = await runGit(["init", "-q", ...(currentToolsUser() ? ["--shared=group"] : [])], call);
  if (!made.ok) return restoreFailure(gitErrorText(made));
  let begins: TreePosition | undefined;
  if (source.remote !== null) {
    const cache = await fetchIntoCache(caches, source.remote);
    if (cache.kind === "failed") return cache;
    if (source.follows) begins = await branchHead(cache.folder, source.branch ?? "");
    appendFileSync(join(folder, ".git", "objects", "info", "alternates"), `${join(cache.folder, "objects")}\n`);
    await runGit(["remote", "add", "origin", source.remote], call);
  }
  const last = stands ?? packs.at(-1) ?? begins;
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
  const moved = await runGit(head, call);
  if (!moved.ok) return restoreFailure(gitErrorText(moved));
  const found = await findRepository(folder);
  if (found.kind === "none") return restoreFailure(found.why);
  const shadow = await openEmptyShadow(found.repository, folder);
  try {
    const filled = await shadow.git(["read-tree", "--reset", "-u", last.ckpt]);
    if (!filled.ok) return restoreFailure(gitErrorText(filled));
  } finally {
    shadow.close();
  }
  const index = await runGit(["reset", "-q", "--mixed", last.head], call);
  if (!index.ok) return restoreFailure(gitErrorText(index));
  return { kind: "ready", cwd: join(folder, source.below), head: last.head, ckpt: last.ckpt };
}

async function branchHead(cache: string, branch: string): Promise<TreePosition | undefined> {
  const asked = await runGit(["rev-parse", "--verify", "--quiet", `${branch}^{commit}`], { cwd: cache });
  return asked.ok ? { head: stdoutText(asked), ckpt: stdoutText(asked) } : undefined;
}

type CacheOutcome =
  | { readonly kind: "cache"; readonly folder: string }
  | { readonly kind: "failed"; readonly problem: string };

/** git locks every ref that it moves: of two casts that start at once, one would not get its files. */
const fetchQueues = new Map<string, Promise<unknown>>();

/** Fetches pushed commits once for all casts of this machine. */
function fetchIntoCache(caches: string, remote: string): Promise<CacheOutcome> {
  const folder = join(caches, `${createHash("sha256").update(remote).digest("hex").slice(0, 32)}.git`);
  const before = fetchQueues.get(folder) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(() => fetchRemote(folder, remote));
  fetchQueues.set(folder, mine);
  return mine;
}

async function fetchRemote(folder: string, remote: string): Promise<CacheOutcome> {
  // [B25] The tools user's git reads it too.
  mkdirSync(folder, { recursive: true, mode: currentToolsUser() ? 0o755 : 0o700 });
  const call = { cwd: folder };
  const made = await runGit(["init", "-q", "--bare"], call);
  if (!made.ok) return restoreFailure(gitErrorText(made));
  const fetched = await runGit(["fetch", "-q", "--no-tags", remote, "+refs/heads/*:refs/heads/*"], call);
  if (!fetched.ok) return restoreFailure(`cannot read the repository ${remote}: ${gitErrorText(fetched)}`);
  return { kind: "cache", folder };
}

function restoreFailure(problem: string): { readonly kind: "failed"; readonly problem: string } {
  return { kind: "failed", problem };
}
