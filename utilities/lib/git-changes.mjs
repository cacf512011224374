import { refuse } from "./utility.mjs";

/** [U24] Commits all uncommitted work; what was staged first, as the rest would take its place in the index. */
export function commitPending(git, subject) {
  const pending = readPending(git);
  const staged = pending.filter(({ index }) => index !== " " && index !== "?");
  const commits = staged.length > 0 ? [commit(git, `${subject} (staged)`)] : [];
  const loose = pending.filter((change) => change.work !== " " && !isRepository(change));
  if (loose.length > 0) {
    addAll(git, loose);
    if (git.run(["diff", "--cached", "--quiet"]).code === 1) commits.push(commit(git, subject));
  }
  const files = new Set([...staged, ...loose].map(({ path }) => path)).size;
  return { commits, files };
}

/** Repositories inside with work of their own: no commit out here can hold it. */
export function readLeft(git) {
  const left = readPending(git, "none").map(({ path }) => show(path));
  return left.slice(0, 20);
}

/** Without a first commit the branch that people start from would be gone once we leave it. */
export function commitFirst(git) {
  const { commits } = commitPending(git, "initial commit");
  return commits.length > 0 ? commits : [commit(git, "initial commit", ["--allow-empty"])];
}

export function refuseConflict(git, root) {
  const conflict = readPending(git).find(
    ({ index, work }) => index === "U" || work === "U" || ["AA", "DD"].includes(index + work),
  );
  if (conflict === undefined) return;
  refuse(`${show(conflict.path)} in ${root} has an unresolved conflict`, "resolve it, git add it, then recast");
}

function commit(git, subject, options = []) {
  git.text(["commit", "--quiet", "--no-verify", ...options, "--message", `chore: ${subject}`]);
  return git.text(["rev-parse", "HEAD"]);
}

/** Names are bytes to git: read as latin1 they go back to it unchanged. */
function readPending(git, ignoredSubmodules = "dirty") {
  const options = ["--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"];
  const records = git
    .bytes(["status", ...options, `--ignore-submodules=${ignoredSubmodules}`])
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
