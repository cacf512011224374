import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { problemText } from "../../system/problem.ts";
import { toolsUser } from "../../process/tools-user.ts";
import { takePacks } from "./joined-packs.ts";
import { findRepository } from "../repository.ts";
import { complaintOf, runGit, textOf } from "../run-git.ts";
import { emptyShadow } from "../shadow.ts";

/** Where the files of a cast came from. */
export interface TreeSource {
  /** The repository that holds what was pushed; nothing where the first pack holds everything. */
  readonly remote: string | null;
  /** The branch of the person who submitted it. */
  readonly branch: string | null;
  /** The folder below the top that the cast works in. */
  readonly below: string;
  /** [B23] Set where the cast begins with what the branch is by then, in the repository that was pushed to. */
  readonly follows?: true;
}

export interface KeptPack {
  readonly head: string;
  readonly ckpt: string;
  readonly pack: Buffer;
}

/** Where HEAD stands, and the files as they are. */
export type Stand = Pick<KeptPack, "head" | "ckpt">;

export interface TravelledTree {
  /** The packs of the cast, first to last. */
  readonly packs: readonly KeptPack[];
  readonly source: TreeSource;
  /** [B12] Where it stands, where that is another place than the last of these packs. */
  readonly stands?: Stand | undefined;
  /** Where the tree is made, whatever lies there. */
  readonly folder: string;
  /** Where this machine keeps what it fetched, for all casts. */
  readonly caches: string;
}

export type RestoredTree =
  | { readonly kind: "ready"; readonly cwd: string; readonly head: string; readonly ckpt: string }
  | { readonly kind: "failed"; readonly problem: string };

/** [B9] The working tree of a cast as its last checkpoint left it, in a repository of its own. */
export async function restoreTree(tree: TravelledTree): Promise<RestoredTree> {
  try {
    const made = await restoreInto(tree);
    const { remote } = tree.source;
    if (made.kind === "ready" || remote === null) return made;
    // What was pushed is in no pack: where history was rewritten since, that is what is missing.
    return failed(`${made.problem} (it builds on what ${remote} held when it was submitted)`);
  } catch (thrown) {
    return failed(problemText(thrown));
  }
}

async function restoreInto({ packs, source, folder, caches, stands }: TravelledTree): Promise<RestoredTree> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const call = { cwd: folder };
  // [B25] Checkpoints are written by this process, commits of agents by another user's: both into its objects.
  const made = await runGit(["init", "-q", ...(toolsUser() ? ["--shared=group"] : [])], call);
  if (!made.ok) return failed(complaintOf(made));
  let begins: Stand | undefined;
  if (source.remote !== null) {
    const cache = await fetchCache(caches, source.remote);
    if (cache.kind === "failed") return cache;
    if (source.follows) begins = await branchHead(cache.folder, source.branch ?? "");
    appendFileSync(join(folder, ".git", "objects", "info", "alternates"), `${join(cache.folder, "objects")}\n`);
    await runGit(["remote", "add", "origin", source.remote], call);
  }
  const last = stands ?? packs.at(-1) ?? begins;
  if (!last)
    return failed(source.follows ? `${source.remote} has no ${source.branch}` : "no checkpoint of it was kept");
  const unusable = await takePacks(
    folder,
    packs.map(({ pack }) => pack),
  );
  if (unusable) return failed(`pack ${unusable.index} of its files cannot be used: ${unusable.wrong}`);
  const head =
    source.branch === null ? ["update-ref", "--no-deref", "HEAD", last.head] : ["update-ref", source.branch, last.head];
  if (source.branch !== null) await runGit(["symbolic-ref", "HEAD", source.branch], call);
  const moved = await runGit(head, call);
  if (!moved.ok) return failed(complaintOf(moved));
  const found = await findRepository(folder);
  if (found.kind === "none") return failed(found.why);
  const shadow = await emptyShadow(found.repository, folder);
  try {
    const filled = await shadow.git(["read-tree", "--reset", "-u", last.ckpt]);
    if (!filled.ok) return failed(complaintOf(filled));
  } finally {
    shadow.close();
  }
  const index = await runGit(["reset", "-q", "--mixed", last.head], call);
  if (!index.ok) return failed(complaintOf(index));
  return { kind: "ready", cwd: join(folder, source.below), head: last.head, ckpt: last.ckpt };
}

async function branchHead(cache: string, branch: string): Promise<Stand | undefined> {
  const asked = await runGit(["rev-parse", "--verify", "--quiet", `${branch}^{commit}`], { cwd: cache });
  return asked.ok ? { head: textOf(asked), ckpt: textOf(asked) } : undefined;
}

type Cache =
  | { readonly kind: "cache"; readonly folder: string }
  | { readonly kind: "failed"; readonly problem: string };

/** Git locks every ref that it moves: of two casts that begin at once, one would not get its files. */
const fetching = new Map<string, Promise<unknown>>();

/** What was pushed, fetched once for all casts of this machine. */
function fetchCache(caches: string, remote: string): Promise<Cache> {
  const folder = join(caches, `${createHash("sha256").update(remote).digest("hex").slice(0, 32)}.git`);
  const before = fetching.get(folder) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(() => fetchInto(folder, remote));
  fetching.set(folder, mine);
  return mine;
}

async function fetchInto(folder: string, remote: string): Promise<Cache> {
  // [B25] The git of whoever works in a tree reads it as well.
  mkdirSync(folder, { recursive: true, mode: toolsUser() ? 0o755 : 0o700 });
  const call = { cwd: folder };
  const made = await runGit(["init", "-q", "--bare"], call);
  if (!made.ok) return failed(complaintOf(made));
  const fetched = await runGit(["fetch", "-q", "--no-tags", remote, "+refs/heads/*:refs/heads/*"], call);
  if (!fetched.ok) return failed(`the repository ${remote} cannot be read from here: ${complaintOf(fetched)}`);
  return { kind: "cache", folder };
}

function failed(problem: string): { readonly kind: "failed"; readonly problem: string } {
  return { kind: "failed", problem };
}
