import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitAt } from "./command.mjs";
import { refuse } from "./utility.mjs";

/** [U24] Commits all uncommitted work; what was staged first, as the rest would take its place in the index. */
export function commitPending(git, subject) {
  const pending = readPending(git);
  const staged = pending.filter(({ index }) => index !== " " && index !== "?");
  const commits = staged.length > 0 ? [commit(git, `${subject} (staged)`)] : [];
  const loose = pending.filter((change) => change.work !== " " && !isRepository(change));
  if (loose.length > 0) {
    addAll(git, loose);
    if (git.run(["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv"]).code === 1)
      commits.push(commit(git, subject));
  }
  const files = new Set([...staged, ...loose].map(({ path }) => path)).size;
  return { commits, files };
}

/** Nested repositories with their own work: no commit out here can hold it. */
export function readLeft(git, root) {
  const pending = readPending(git).map(({ path }) => path);
  // Each by its own configuration: looked at from out here, git would run what a submodule's names.
  const dirty = submodulesIn(git).filter((path) => !pending.includes(path) && hasWork(join(root, show(path))));
  return [...pending, ...dirty].map(show).slice(0, 20);
}

function submodulesIn(git) {
  const records = git.bytes(["ls-files", "--stage", "-z"]).toString("latin1").split("\0");
  return records
    .filter((record) => record.startsWith("160000 "))
    .map((record) => record.slice(record.indexOf("\t") + 1));
}

function hasWork(folder) {
  return existsSync(join(folder, ".git")) && readPending(gitAt(folder)).length > 0;
}

/** [U40] What a filter of the repository would make of a file is not known without running it. */
export function refuseFiltered(git, root, filters) {
  if (filters.length === 0) return;
  const paths = readPending(git).map(({ path }) => path);
  const answer = git.bytes(["check-attr", "-z", "--stdin", "filter"], Buffer.from(paths.join("\0"), "latin1"));
  const words = answer.toString("latin1").split("\0");
  const at = words.findIndex((word, index) => index % 3 === 2 && filters.includes(word));
  if (at === -1) return;
  refuse(
    `${show(words[at - 2])} in ${root} goes through the filter "${words[at]}" of the repository's own configuration, which is not run unasked`,
    'set "params": { "filters": true } if you trust it, or configure it for yourself with git config --global',
  );
}

/** [U43] All that the work has changed, as one commit; nothing where nothing has changed. */
export function commitWork(git, message) {
  const changed = readPending(git).filter((change) => !isRepository(change));
  if (changed.length === 0) return undefined;
  addAll(git, changed);
  if (git.run(["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv"]).code !== 1) return undefined;
  git.bytes(["commit", "--quiet", "--no-verify", "--cleanup=verbatim", "--file=-"], Buffer.from(message));
  return { commit: git.text(["rev-parse", "HEAD"]), files: changed.length };
}

/** Without a first commit the branch that people start from would be gone once we leave it. */
export function commitFirst(git) {
  const { commits } = commitPending(git, "initial commit");
  return commits.length > 0 ? commits : [commit(git, "initial commit", ["--allow-empty"])];
}

/** The first file with an unresolved conflict. */
export function conflictIn(git) {
  const conflict = readPending(git).find(
    ({ index, work }) => index === "U" || work === "U" || ["AA", "DD"].includes(index + work),
  );
  return conflict && show(conflict.path);
}

/** How many files differ from the last commit. */
export function countPending(git) {
  return readPending(git).filter((change) => !isRepository(change)).length;
}

export function refuseConflict(git, root) {
  const path = conflictIn(git);
  if (path === undefined) return;
  refuse(`${path} in ${root} has an unresolved conflict`, "resolve it, git add it, then recast");
}

function commit(git, subject, options = []) {
  git.text(["commit", "--quiet", "--no-verify", ...options, "--message", `chore: ${subject}`]);
  return git.text(["rev-parse", "HEAD"]);
}

/** Names are bytes to git: read as latin1 they go back to it unchanged. */
function readPending(git) {
  const options = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
  const records = git
    .bytes(["status", ...options, "--ignore-submodules=dirty"])
    .toString("latin1")
    .split("\0")
    .filter(Boolean);
  return records.map((record) => ({ index: record[0], work: record[1], path: record.slice(3) }));
}

function addAll(git, changes) {
  const paths = changes.map(({ path }) => path).join("\0");
  git.bytes(
    ["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"],
    Buffer.from(paths, "latin1"),
  );
}

/** Added, it would be a link to a commit that nobody else can find. */
function isRepository({ index, path }) {
  return index === "?" && path.endsWith("/");
}

function show(path) {
  return Buffer.from(path, "latin1").toString("utf8");
}
