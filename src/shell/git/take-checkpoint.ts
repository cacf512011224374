import { accessSync, constants, lstatSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ChangeCounts, OmittedFiles } from "../../core/model/checkpoint.ts";
import { readFileOf } from "../process/tools-user.ts";
import { stageFiles, type ShadowIndex } from "./shadow-index.ts";
import { readRef } from "./refs.ts";
import { isMissingFile, valueOr } from "../system/files.ts";
import { expectSuccess, runGit, stdoutParts, stdoutText } from "./repository.ts";

interface CheckpointCommit {
  readonly ref: string;
  /** The last checkpoint, or the commit that the cast started from. */
  readonly parent: { readonly commit: string; readonly tree: string };
  /** The checkpoint that changes are counted from. */
  readonly since?: string | undefined;
  readonly message: string;
  /** Time of the commit; the same time gives the same commit id. */
  readonly at: string;
}

/** Author and committer where git knows no person. */
export const PROGRAM_IDENTITY = {
  GIT_AUTHOR_NAME: "pi-materia",
  GIT_AUTHOR_EMAIL: "pi-materia@localhost",
  GIT_COMMITTER_NAME: "pi-materia",
  GIT_COMMITTER_EMAIL: "pi-materia@localhost",
} as const;

const MAX_UNTRACKED_BYTES = 50 * 1024 * 1024;

/** [Y1] Commits the whole present working tree. `changed` is undefined if the commit `since` is gone, or not given. */
export async function takeCheckpoint(shadow: ShadowIndex, request: CheckpointCommit) {
  const { tree, left } = await snapshotTree(shadow);
  const { parent, since } = request;
  const isSame = tree === parent.tree;
  // Counting needs only the tree: it runs beside the two git calls for the commit and its ref.
  const [commit, changed] = await Promise.all([
    commitSnapshot(shadow, tree, request),
    since === undefined ? undefined : countChanges(shadow.repository.top, since, isSame ? parent.commit : tree),
  ]);
  return { commit, tree, left, changed };
}

async function commitSnapshot(shadow: ShadowIndex, tree: string, request: CheckpointCommit): Promise<string> {
  const { parent, ref } = request;
  const commit = tree === parent.tree ? parent.commit : await commitTree(shadow, tree, request);
  const stands = readRefFile(shadow, ref);
  if (stands !== commit) await moveRef(shadow, ref, stands, commit);
  return commit;
}

/** The present working tree as objects, without a name yet. */
export async function snapshotTree(shadow: ShadowIndex) {
  const { left, paths } = await listChangedPaths(shadow);
  const { tree: before } = shadow.lastWritten;
  if (paths.length === 0 && before !== undefined) return { tree: before, left };
  await stageChanges(shadow, paths);
  const tree = stdoutText(expectSuccess(await shadow.git(["write-tree", "--missing-ok"])));
  shadow.lastWritten.tree = tree;
  return { tree, left };
}

/** Paths in latin1, which preserves the bytes of any name. */
async function listChangedPaths(shadow: ShadowIndex) {
  const changes = ["--modified", "--deleted", "--others", "--unmerged", "--exclude-standard"];
  const listed = expectSuccess(await shadow.git(["ls-files", "-z", "-t", ...changes]));
  const paths = new Set<string>();
  const left = { large: 0, unreadable: 0, nested: 0 };
  let bytes = 0;
  for (const entry of listed.stdout.toString("latin1").split("\0")) {
    // `? name`, or `M <mode> <object> <stage>\tname` with stages.
    const path = entry.startsWith("? ") ? entry.slice(2) : entry.slice(entry.indexOf("\t") + 1);
    if (path === "" || isExcluded(shadow, path)) continue;
    // The shadow ignores its settings about bytes; git does not.
    if (basename(path) === ".gitattributes") shadow.bytes.differ = true;
    const looked = inspectFile(shadow, path, entry.startsWith("? "));
    if (typeof looked === "number") {
      paths.add(path);
      bytes += looked;
    } else left[looked] += 1;
  }
  const { maxBytes: mostBytes = bytes } = shadow;
  if (bytes > mostBytes)
    throw new Error(
      `${Math.ceil(bytes / 1e6)} MB of changed files are more than ${Math.floor(mostBytes / 1e6)} MB: add files to .gitignore, or raise maxCheckpointBytes`,
    );
  const omitted: OmittedFiles = Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0));
  return { paths: [...paths], left: omitted };
}

function isExcluded({ excluded: leftOut }: ShadowIndex, path: string): boolean {
  return leftOut.some((folder) => {
    const bytes = Buffer.from(folder).toString("latin1");
    return path === bytes || path === `${bytes}/` || path.startsWith(`${bytes}/`);
  });
}

/** Its size, or why it is not stored. */
function inspectFile({ repository }: ShadowIndex, path: string, isNew: boolean): keyof OmittedFiles | number {
  // git prints a nested repository with a trailing slash.
  if (path.endsWith("/")) return "nested";
  const file = Buffer.concat([Buffer.from(`${repository.top}/`), Buffer.from(path, "latin1")]);
  try {
    const stats = lstatSync(file);
    if (!stats.isFile()) return 0;
    if (isNew && stats.size > MAX_UNTRACKED_BYTES) return "large";
    accessSync(file, constants.R_OK);
    return stats.size;
  } catch (thrown) {
    return isMissingFile(thrown) ? 0 : "unreadable";
  }
}

async function stageChanges(shadow: ShadowIndex, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const kept = await shadow.git(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"], { input });
  if (kept.ok) return;
  // A file that vanished or was locked during the fast way fails it; the slow way skips the file.
  const slowly = await stageFiles(shadow.git, ["--all", "--ignore-errors"]);
  if (slowly.code !== 1) expectSuccess(slowly);
}

async function commitTree(shadow: ShadowIndex, tree: string, request: CheckpointCommit): Promise<string> {
  const env = { ...PROGRAM_IDENTITY, GIT_AUTHOR_DATE: request.at, GIT_COMMITTER_DATE: request.at };
  const input = `${request.message}\n`;
  const made = await shadow.git(["commit-tree", tree, "-p", request.parent.commit, "-F", "-"], { env, input });
  if (!made.ok) throw new Error("cannot write the commit of the checkpoint");
  return stdoutText(made);
}

/** Reads a ref without a process; empty if there is none, or if git stores refs in another way. */
function readRefFile({ repository }: ShadowIndex, ref: string): string {
  const read = () => readFileOf(undefined, join(repository.commonDir, ref)).bytes.toString("latin1").trim();
  const text = valueOr(read, "");
  return /^[0-9a-f]+$/.test(text) ? text : "";
}

/** [Y2] Compare and swap. Only the owner of a cast calls this, so a ref that somebody else moved is moved back. */
async function moveRef({ repository }: ShadowIndex, ref: string, from: string, to: string): Promise<void> {
  const call = { cwd: repository.top };
  const move = (old: string) => runGit(["update-ref", "--no-deref", ref, to, old], call);
  if ((await move(from)).ok) return;
  const now = (await readRef(repository.top, ref)) ?? "";
  if (now === to) return;
  // A git that was killed while it moved this ref left its lock; only the owner moves it.
  rmSync(join(repository.commonDir, `${ref}.lock`), { force: true });
  expectSuccess(await move(now));
}

const MAX_NAMES = 20;

/** Changes between two commits, or a commit and a tree: files, added and removed lines; undefined if one of them is gone. */
export async function countChanges(cwd: string, from: string, to: string): Promise<ChangeCounts | undefined> {
  if (from === to) return { changed: 0, added: 0, removed: 0, names: [] };
  const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", from, to];
  const totals = { changed: 0, added: 0, removed: 0 };
  const names: string[] = [];
  const answer = await runGit(args, { cwd });
  if (!answer.ok) return undefined;
  for (const line of stdoutParts(answer)) {
    const [added = "", removed = "", ...name] = line.split("\t");
    if (totals.changed < MAX_NAMES) names.push(name.join("\t"));
    totals.changed += 1;
    totals.added += Number(added) || 0;
    totals.removed += Number(removed) || 0;
  }
  return { ...totals, names };
}
