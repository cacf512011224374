import {
  copyFileSync,
  existsSync,
  rmSync,
  statSync,
  utimesSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { join, sep } from "node:path";
import type { ChangeCounts } from "../../../core/model/checkpoint.ts";
import type { ItemsFailure, SavedWork } from "../../item-ports.ts";
import { treeOf } from "../diff.ts";
import { countChanges } from "../take-checkpoint.ts";
import {
  gitErrorText,
  gitProblem,
  runGit,
  stdoutText,
  type GitOptions,
  type Repository,
  stdoutParts,
} from "../repository.ts";
import { isUntouched, type CachedWorktree } from "../cached-worktree.ts";
import type { ItemRepository } from "./item-repository.ts";
import { isAncestor, writeRef, readRef } from "../refs.ts";
import { squashMessage } from "./replay-commits.ts";
import { repairWorktree } from "./acquire-worktree.ts";
import { quarantine, quarantinePath, registeredFolder, runExclusively } from "./worktree.ts";
import { errorText } from "../../system/files.ts";

export interface ItemSaveRequest {
  /** The working tree of the item, and the ref for its work. */
  readonly folder: string;
  readonly ref: string;
  readonly base: string;
  readonly title: string;
  /** The ref of the attempt before a conflict. */
  readonly previousRef?: string | undefined;
  /** Cached facts of the tree; they hold while nobody has used git in it. */
  readonly cachedWorktree: CachedWorktree | undefined;
}

export interface SavedItem {
  readonly work: SavedWork | ItemsFailure;
  /** Whether everything in the tree is stored, or the tree is gone. */
  readonly tree: "stored" | "kept" | "gone";
}

/** [V17] Stores all work of a tree under a ref. */
export async function saveItem(opened: ItemRepository, request: ItemSaveRequest): Promise<SavedItem> {
  const { repository } = opened;
  const { folder: tree, ref, base, cachedWorktree: cached } = request;
  // A tree that this process filled and has not stored yet has no ref either.
  const before = cached ? undefined : await readRef(repository.top, ref);
  if (before !== undefined)
    return { work: await addChangeCounts(repository, base, { kind: "kept", commit: before }), tree: "kept" };
  const asLeft = cached && isUntouched(cached) ? cached : undefined;
  const lies = asLeft ? "tree" : await repairWorktree(repository, tree);
  if (lies === "not known") return notSaved(`git cannot tell what is in ${tree}`);
  // An agent that removed its own tree has left nothing; files of a broken tree are not lost.
  if (lies === "something else") quarantine(tree);
  if (lies !== "tree") return { work: { kind: "kept", commit: null }, tree: "gone" };
  const unmoved = await quarantineInnerWorktrees(repository, tree);
  if (unmoved !== undefined) return notSaved(unmoved);
  const kept = await commitWorktree(opened, { ...request, cachedWorktree: asLeft });
  if (kept.kind === "broken") return { work: kept, tree: "kept" };
  const work = await recordWork(repository, request, kept, asLeft?.lastCheckpoint.changed);
  return { work, tree: work.kind === "broken" ? "kept" : "stored" };
}

function notSaved(problem: string): SavedItem {
  return { work: { kind: "broken", problem }, tree: "kept" };
}

async function recordWork(
  repository: Repository,
  { ref, base }: Pick<ItemSaveRequest, "ref" | "base">,
  kept: SavedWork,
  known?: ChangeCounts,
): Promise<SavedWork | ItemsFailure> {
  if (kept.commit === null) return kept;
  const [isHeld, work] = await Promise.all([
    writeRef(repository, ref, kept.commit),
    addChangeCounts(repository, base, kept, known),
  ]);
  return isHeld ? work : { kind: "broken", problem: `cannot write the ref ${ref}` };
}

/** [V21] The counts for people. If counting fails, the work is still stored. */
async function addChangeCounts(
  { top }: Repository,
  base: string,
  kept: SavedWork,
  known?: ChangeCounts,
): Promise<SavedWork> {
  const files = kept.commit === null ? undefined : (known ?? (await countChanges(top, base, kept.commit)));
  return files === undefined ? kept : { ...kept, files };
}

/** [V8] All work of a tree as one commit on its base, for any use of git by the agent. */
export async function commitWorktree(
  { treeOf: filesOf, identity }: ItemRepository,
  { folder: tree, base, title, previousRef, cachedWorktree: asLeft }: Omit<ItemSaveRequest, "ref">,
): Promise<SavedWork | ItemsFailure> {
  // The last checkpoint has everything if nobody used git in between.
  const now = asLeft?.lastCheckpoint.tree ?? (await writeWorktreeFiles(tree, base));
  if (typeof now !== "string") return now;
  if (now === (await filesOf(base))) return { kind: "kept", commit: null };
  const parent = asLeft ? base : await parentCommitFor(tree, base, "HEAD");
  return commitWork({ identity }, { base, title, previousRef }, { cwd: tree, now, parent });
}

/** The files of an item that ran elsewhere: its HEAD, and its last checkpoint. */
export interface TransferredWork extends Pick<ItemSaveRequest, "base" | "title" | "ref" | "previousRef"> {
  readonly head: string;
  readonly ckpt: string;
}

/** [V8, B50] The same for files from another machine. */
export async function saveTransferred(
  opened: ItemRepository,
  work: TransferredWork,
): Promise<SavedWork | ItemsFailure> {
  const { repository, treeOf: filesOf } = opened;
  const { base } = work;
  const cwd = repository.top;
  const now = await treeOf(cwd, work.ckpt);
  if (now === undefined) return { kind: "broken", problem: "the files of an item are gone" };
  if (now === (await filesOf(base))) return { kind: "kept", commit: null };
  const parent = await parentCommitFor(cwd, base, work.head);
  const kept = await commitWork(opened, work, { cwd, now, parent });
  return kept.kind === "broken" ? kept : recordWork(repository, work, kept);
}

async function commitWork(
  { identity }: Pick<ItemRepository, "identity">,
  { base, title, previousRef }: Pick<ItemSaveRequest, "base" | "title" | "previousRef">,
  { cwd, now, parent }: { readonly cwd: string; readonly now: string; readonly parent: string },
): Promise<SavedWork | ItemsFailure> {
  if (parent !== base && now === (await treeOf(cwd, parent))) return { kind: "kept", commit: parent };
  // [V53] Nobody has committed in this attempt: the committer may have been skipped after a conflict.
  const commit = parent === base && previousRef !== undefined ? await readRef(cwd, previousRef) : undefined;
  const kept = commit === undefined ? undefined : await squashMessage({ cwd, base, commit }, title);
  const env = { ...(await identity()), ...kept?.author };
  const input = kept?.words ?? `${title}\n`;
  const made = await runGit(["commit-tree", now, "-p", parent, "-F", "-"], { cwd, input, env });
  return made.ok ? { kind: "kept", commit: stdoutText(made) } : broken(gitErrorText(made));
}

/** After a reset or a change of branch: the files are the work, and it started from the base. */
async function parentCommitFor(cwd: string, base: string, at: string): Promise<string> {
  const head = await readRef(cwd, `${at}^{commit}`);
  return head !== undefined && head !== base && (await isAncestor(cwd, base, head)) ? head : base;
}

/** The present files in a private index: the agent's staged files stay staged. */
async function writeWorktreeFiles(tree: string, base: string): Promise<string | ItemsFailure> {
  const answer = await runGit(["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: tree });
  if (!answer.ok) return broken(gitErrorText(answer));
  const index = stdoutText(answer);
  const own = join(index, "..", "materia-index");
  try {
    rmSync(own, { force: true });
    rmSync(`${own}.lock`, { force: true });
    if (existsSync(index)) copyIndex(index, own);
    const call = { cwd: tree, env: { GIT_INDEX_FILE: own } };
    const closed = await absorbNestedRepositories(base, call);
    if (closed !== undefined) return broken(closed);
    const added = await runGit(["add", "--all", "--", ":/"], call);
    const written = added.ok ? await runGit(["write-tree"], call) : added;
    return written.ok ? stdoutText(written) : broken(gitErrorText(written));
  } finally {
    rmSync(own, { force: true });
  }
}

/** With its time: git uses it to find files that changed in the moment of writing. */
export function copyIndex(from: string, to: string): void {
  const { atime, mtime } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atime, mtime);
}

function broken(problem: string): ItemsFailure {
  return { kind: "broken", problem: `cannot store the work of an item: ${problem}` };
}

/** [V31] Quarantines working trees that an agent added inside its own: they would be removed with it. Returns a problem if that failed. */
async function quarantineInnerWorktrees({ top, commonDir }: Repository, tree: string): Promise<string | undefined> {
  for (const inner of listInnerWorktrees(commonDir, tree)) {
    const move = ["worktree", "move", "--force", "--force", inner, quarantinePath(tree)];
    const unmoved = await runExclusively(commonDir, () => gitProblem(move, { cwd: top }));
    if (unmoved !== undefined) return `cannot move the working tree ${inner} aside: ${unmoved}`;
  }
  return undefined;
}

/** Innermost first: git does not update trees inside a moved one. Reads files only, which costs no process. */
function listInnerWorktrees(commonDir: string, tree: string): readonly string[] {
  const registered = join(commonDir, "worktrees");
  if (!existsSync(registered) || !existsSync(tree)) return [];
  const below = `${realpathSync(tree)}${sep}`;
  const places = readdirSync(registered).flatMap((name) => registeredFolder(join(registered, name)) ?? []);
  return places
    .filter((place) => place.startsWith(below) && existsSync(place))
    .toSorted((one, other) => other.length - one.length);
}

/**
 * [V31] To git a repository that an agent made inside its tree is one entry without files, or an error. Its git folder is
 * quarantined, so that its files become ordinary files. A registered submodule stays one.
 */
async function absorbNestedRepositories(base: string, call: GitOptions): Promise<string | undefined> {
  const tree = call.cwd;
  const submodules = await listSubmodules(tree);
  const seen = new Set<string>();
  for (;;) {
    const untracked = await runGit(["ls-files", "-z", "--others", "--exclude-standard", "--", ":/"], call);
    const staged = await runGit(["diff-index", "--cached", "-z", "--no-renames", base, "--"], call);
    if (!untracked.ok || !staged.ok) return gitErrorText(untracked.ok ? staged : untracked);
    const links = newGitlinks(stdoutParts(staged)).filter((name) => !submodules.has(name));
    // git prints a nested repository with a trailing slash.
    const named = stdoutParts(untracked).flatMap((name) => (name.endsWith("/") ? [name.slice(0, -1)] : []));
    const nested = [...new Set([...named.filter((name) => !submodules.has(name)), ...links])];
    if (nested.length === 0) return undefined;
    // A name that is not text cannot be passed on: the repository would be found again and again.
    const shut = nested.find((name) => seen.has(name));
    if (shut !== undefined) return `cannot open the repository ${shut}`;
    for (const name of nested) seen.add(name);
    const unmoved = quarantineGitFolders(tree, nested);
    if (unmoved !== undefined) return unmoved;
    const input = links.map((name) => `${name}\0`).join("");
    const kept = await gitProblem(["update-index", "-z", "--force-remove", "--stdin"], { ...call, input });
    if (kept !== undefined) return kept;
  }
}

async function listSubmodules(tree: string): Promise<ReadonlySet<string>> {
  if (!existsSync(join(tree, ".gitmodules"))) return new Set();
  const ask = ["config", "--file", ".gitmodules", "--null", "--get-regexp", "^submodule\\..*\\.path$"];
  const paths = stdoutParts(await runGit(ask, { cwd: tree })).map((entry) => entry.slice(entry.indexOf("\n") + 1));
  return new Set(paths);
}

/** Each is below its former path, so that it can be put back. After a kill some are there already. */
function quarantineGitFolders(tree: string, nested: readonly string[]): string | undefined {
  const aside = quarantinePath(tree);
  try {
    for (const name of nested.filter((each) => existsSync(join(tree, each, ".git")))) {
      mkdirSync(join(aside, name), { recursive: true, mode: 0o700 });
      renameSync(join(tree, name, ".git"), join(aside, name, ".git"));
    }
    return undefined;
  } catch (thrown) {
    return errorText(thrown);
  }
}

/** Parses `:<mode> <mode> <object> <object> <kind>`, `<name>`, …: entries that became repositories. */
function newGitlinks(parts: readonly string[]): readonly string[] {
  return parts.filter((_, at) => at % 2 === 1 && /^:(?!160000)\d+ 160000 /.test(parts[at - 1] ?? ""));
}
