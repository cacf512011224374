import { copyFileSync, existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Broken, KeptWork } from "../../ports.ts";
import { treeOf } from "../changes.ts";
import { complaintOf, runGit, textOf } from "../run-git.ts";
import type { GitAnswer } from "../run-git.ts";
import { identityOf } from "./identity.ts";

export interface KeepRequest {
  /** The working tree of the item. */
  readonly tree: string;
  readonly base: string;
  readonly title: string;
}

/** [V8] All that was done in a tree as one commit behind its base, whatever the agent did with git there. */
export async function keepWork({ tree, base, title }: KeepRequest): Promise<KeptWork | Broken> {
  const written = await writeTree(tree);
  if (!written.ok) return broken(written);
  const now = textOf(written);
  if (now === (await treeOf(tree, base))) return { kind: "kept", commit: null };
  const head = textOf(await runGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: tree }));
  // A reset, or another branch: what lies in the files is the work, and it began from the base.
  const isBehind = head !== "" && (await runGit(["merge-base", "--is-ancestor", base, head], { cwd: tree })).ok;
  const parent = isBehind ? head : base;
  if (parent !== base && now === (await treeOf(tree, parent))) return { kind: "kept", commit: parent };
  const made = await runGit(["commit-tree", now, "-p", parent, "-F", "-"], {
    cwd: tree,
    input: `${title}\n`,
    env: await identityOf(tree),
  });
  return made.ok ? { kind: "kept", commit: textOf(made) } : broken(made);
}

/** The files as they are, in an index of our own: what the agent has staged stays as it is. */
async function writeTree(tree: string): Promise<GitAnswer> {
  const asked = await runGit(["rev-parse", "--path-format=absolute", "--git-path", "index"], { cwd: tree });
  if (!asked.ok) return asked;
  const index = textOf(asked);
  const own = join(index, "..", "materia-index");
  try {
    rmSync(own, { force: true });
    rmSync(`${own}.lock`, { force: true });
    if (existsSync(index)) copyIndex(index, own);
    const env = { GIT_INDEX_FILE: own };
    const added = await runGit(["add", "--all", "--", ":/"], { cwd: tree, env });
    return added.ok ? await runGit(["write-tree"], { cwd: tree, env }) : added;
  } finally {
    rmSync(own, { force: true });
  }
}

/** With its time: by it git knows which files may have changed in the very moment in which they were written down. */
function copyIndex(from: string, to: string): void {
  const { atime, mtime } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atime, mtime);
}

function broken(answer: GitAnswer): Broken {
  return { kind: "broken", problem: `the work of an item cannot be kept: ${complaintOf(answer)}` };
}
