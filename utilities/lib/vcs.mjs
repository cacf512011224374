import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { refuse } from "./utility.mjs";

/** [U11] The nearest repository around a folder, found without running git or jj. */
export function detectVcs(folder) {
  for (let at = folder; ; at = dirname(at)) {
    // [U12] Before git: in a colocated repository a git command would work behind jj's back.
    if (isFolder(join(at, ".jj"))) return { kind: "jj", root: at };
    if (isGit(join(at, ".git"))) return { kind: "git", root: at };
    if (at === dirname(at)) break;
  }
  return detectByEnvironment(folder) ?? { kind: "none", root: folder };
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A file in a worktree or a submodule. A folder without HEAD is none: git would look further up. */
function isGit(path) {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return true;
  return lstatSync(join(path, "HEAD"), { throwIfNoEntry: false }) !== undefined;
}

function detectByEnvironment(folder) {
  const { GIT_DIR, GIT_WORK_TREE } = process.env;
  if (!GIT_DIR || !existsSync(resolve(folder, GIT_DIR))) return undefined;
  return { kind: "git", root: resolve(folder, GIT_WORK_TREE || ".") };
}

/** The same for utilities that know git alone: behind jj's back nothing is done. */
export function detectGit(folder, instead) {
  const found = detectVcs(folder);
  if (found.kind !== "jj") return found;
  return refuse(`${found.root} is a jj repository`, `use ${instead} there`);
}
