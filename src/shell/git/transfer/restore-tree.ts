import { appendFileSync, existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { join, posix, relative } from "node:path";
import * as v from "valibot";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { errorText } from "../../system/files.ts";
import { currentToolsUser } from "../../process/tools-user.ts";
import { importPacks } from "./packs.ts";
import { readRef } from "../refs.ts";
import { expectSuccess, findRepository, gitProblem, isObjectId, runGit } from "../repository.ts";
import { writeFilesOf } from "../shadow-index.ts";

/** An encrypted address of another machine. A host or path that begins with a dash would be an option of a program. */
const REMOTE_URL = /^(https?|ssh|git):\/\/(?:[^\s/@]*@)?[A-Za-z0-9[][^\s/@]*(?:\/[^\s\p{Cc}]*)?$/u;
/** `host:path`, as ssh takes it. Two colons would name a program (`ext::`). */
const SSH_ADDRESS = /^(?:[A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?![:-]|\/\/)[^\s\p{Cc}]+$/u;
const LOCAL_PATH = /^(?:file:\/\/)?\/[^\p{Cc}]*$/u;
/** A path that climbs may leave the folder that `remotes` allows. */
const CLIMBS = /(^|[/:])(\.|%2e){1,2}([/?#]|$)/i;
const MAX_ADDRESS = 2_000;

/** [B77] Another text would reach git as an option, or name a program. */
const RemoteAddress = v.pipe(
  v.string(),
  v.maxLength(MAX_ADDRESS),
  v.check((text) => protocolOf(text) !== undefined && !CLIMBS.test(text)),
);

/** A part that git would refuse, or take for an option or a revision. */
const BRANCH_REF =
  /^refs\/heads\/(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)|\/\.|\.$|\/$))[^-./\s\p{Cc}~^:?*[\\][^\s\p{Cc}~^:?*[\\]*$/u;

/** [B78] A folder inside the tree. */
const FolderBelow = v.pipe(
  v.string(),
  v.maxLength(4_096),
  v.check((path) => !posix.isAbsolute(path) && !path.split(/[/\\]/).includes("..") && !/^-|\0/.test(path)),
);

/** The source of the files of a cast. Members write it: nothing of it reaches a program unchecked. */
export const TreeSource = v.object({
  /** The repository of the pushed commits; null if the first pack has everything. */
  remote: v.nullable(RemoteAddress),
  branch: v.nullable(v.pipe(v.string(), v.maxLength(1_000), v.regex(BRANCH_REF))),
  /** The folder below the top that the cast works in. */
  below: FolderBelow,
  /** [B43] Set if the cast starts with the present state of the branch in that repository. */
  follows: v.exactOptional(v.literal(true)),
});
export type TreeSource = v.InferOutput<typeof TreeSource>;

/** git's name of the protocol of an address; undefined if it has no form that git may get. */
function protocolOf(remote: string): "https" | "http" | "ssh" | "git" | "file" | undefined {
  const [, scheme] = REMOTE_URL.exec(remote) ?? [];
  if (scheme !== undefined) return scheme as "https" | "http" | "ssh" | "git"; // the alternatives of the pattern
  if (LOCAL_PATH.test(remote)) return "file";
  return SSH_ADDRESS.test(remote) ? "ssh" : undefined;
}

/**
 * [B77] Where a worker may fetch and push: below the addresses of its profile, or on other machines over https and ssh. A
 * path of this machine could be another project's repository, and a push would run its hooks.
 */
export function isAllowedRemote(remote: string, allowed: AllowedRemotes): boolean {
  const protocol = protocolOf(remote);
  if (protocol === undefined || CLIMBS.test(remote)) return false;
  if (allowed === undefined) return protocol === "https" || protocol === "ssh";
  return allowed.some(
    (each) => each === "*" || remote === each || remote.startsWith(/[/:]$/.test(each) ? each : `${each}/`),
  );
}

export type AllowedRemotes = readonly string[] | undefined;

/** [B87] A redirect could lead outside of the addresses of the profile. */
export function redirectOptions(allowed: AllowedRemotes): readonly string[] {
  return allowed === undefined || allowed.includes("*") ? [] : ["-c", "http.followRedirects=false"];
}

/** [B77] The protocols that one call of git may use; the worker's own configuration may turn https into ssh. */
export function protocolsFor(remote: string): Readonly<Record<string, string>> {
  const protocol = protocolOf(remote);
  return { GIT_ALLOW_PROTOCOL: protocol === "https" || protocol === "ssh" ? "https:ssh" : (protocol ?? "") };
}

/** The commit of HEAD, and the checkpoint with the files. */
export interface TreePosition {
  readonly head: string;
  readonly ckpt: string;
}

export interface TreeTransfer {
  /** The packs of the cast, first to last. */
  readonly packs: readonly (TreePosition & { readonly pack: Buffer })[];
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
  | (TreePosition & { readonly kind: "ready" })
  | { readonly kind: "failed"; readonly problem: string };

/** [B55] Restores the working tree of a cast from its last checkpoint, in its own repository. */
export async function restoreTransferredTree(tree: TreeTransfer): Promise<RestoredTree> {
  const { remote } = tree.source;
  if (remote !== null && !isAllowedRemote(remote, tree.remotes))
    return restoreFailure(`this worker may not fetch from ${remote}: "remotes" of its profile does not allow it`);
  const ids = [...tree.packs, ...(tree.position ? [tree.position] : [])].flatMap(({ head, ckpt }) => [head, ckpt]);
  if (!ids.every(isObjectId)) return restoreFailure("a pack names no commit");
  try {
    const { head, ckpt } = await restoreIntoFolder(tree);
    return { kind: "ready", head, ckpt };
  } catch (thrown) {
    const isOfSystem = thrown instanceof Error && "errno" in thrown;
    if (remote === null || isOfSystem) return restoreFailure(errorText(thrown));
    // Pushed commits are in no pack: they are missing if history was rewritten since.
    return restoreFailure(`${errorText(thrown)} (it builds on what ${remote} held when it was submitted)`);
  }
}

function restoreFailure(problem: string): RestoredTree {
  return { kind: "failed", problem };
}

async function restoreIntoFolder(tree: TreeTransfer): Promise<TreePosition> {
  const { packs, source, folder, position } = tree;
  const { remote, branch } = source;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const git = async (...args: readonly string[]) => expectSuccess(await runGit(args, { cwd: folder }));
  await git("init", "-q");
  let begins: TreePosition | undefined;
  if (remote !== null) {
    const cache = await fetchIntoCache(tree, remote);
    const head = source.follows ? await readRef(cache, `${branch ?? ""}^{commit}`) : undefined;
    if (head !== undefined) begins = { head, ckpt: head };
    appendFileSync(join(folder, ".git", "objects", "info", "alternates"), `${join(cache, "objects")}\n`);
    await runGit(["remote", "add", "--", "origin", remote], { cwd: folder });
  }
  const last = position ?? packs.at(-1) ?? begins;
  if (!last) throw new Error(source.follows ? `${remote} has no ${branch}` : "it has no checkpoint");
  const unusable = await importPacks(
    folder,
    packs.map(({ pack }) => pack),
  );
  if (unusable) throw new Error(`pack ${unusable.index} of its files is damaged: ${unusable.wrong}`);
  if (branch !== null) await runGit(["symbolic-ref", "HEAD", branch], { cwd: folder });
  await git("update-ref", ...(branch === null ? ["--no-deref", "HEAD"] : [branch]), last.head);
  const found = await findRepository(folder);
  if (found.kind === "none") throw new Error(found.why);
  await writeFilesOf(found.repository, folder, last.ckpt);
  await git("reset", "-q", "--mixed", last.head);
  const cwd = join(folder, source.below);
  // A link in the tree may lead out of it.
  if (existsSync(cwd) && relative(realpathSync(folder), realpathSync(cwd)).startsWith(".."))
    throw new Error(`${source.below} is outside its tree`);
  return last;
}

/** git locks every ref that it moves: of two casts that start at once, one would not get its files. */
const fetchOneByOne = createSerialQueue();

/** Fetches pushed commits once for all casts of this machine, and returns the folder that has them. */
function fetchIntoCache({ cacheFolder, cacheSecret, remotes }: TreeTransfer, remote: string): Promise<string> {
  const name = createHash("sha256").update(`${cacheSecret} ${remote}`).digest("hex").slice(0, 32);
  const folder = join(cacheFolder, `${name}.git`);
  return fetchOneByOne(folder, async () => {
    // [B25] The tools user's git reads it too.
    mkdirSync(folder, { recursive: true, mode: currentToolsUser() ? 0o755 : 0o700 });
    expectSuccess(await runGit(["init", "-q", "--bare"], { cwd: folder }));
    const args = [...redirectOptions(remotes), "fetch", "-q", "--no-tags", "--", remote, "+refs/heads/*:refs/heads/*"];
    const unread = await gitProblem(args, { cwd: folder, env: protocolsFor(remote) });
    if (unread !== undefined) throw new Error(`cannot read the repository ${remote}: ${unread}`);
    return folder;
  });
}
