import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { freeName } from "./branch-name.mjs";
import { foreignFilters, gitAt } from "./command.mjs";
import { commitFirst, commitPending, readLeft, refuseConflict, refuseFiltered } from "./git-changes.mjs";
import { appendPatterns, artifactPathIn, isIgnored, patternFor } from "./ignore-file.mjs";
import { refuse } from "./utility.mjs";

const unfinished = [
  ["MERGE_HEAD", "a merge", "git merge --continue or --abort"],
  ["rebase-merge", "a rebase", "git rebase --continue or --abort"],
  ["rebase-apply", "a rebase or git am", "git rebase or git am with --continue or --abort"],
  ["CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue or --abort"],
  ["REVERT_HEAD", "a revert", "git revert --continue or --abort"],
  ["sequencer", "a cherry-pick or revert", "git cherry-pick or git revert with --continue or --abort"],
  ["BISECT_LOG", "a bisection", "git bisect reset"],
];

/** [U29] A repository, a branch for the work, nothing uncommitted; every step may be repeated. */
export function prepareGit({ kind, root, artifactDir, castId, wanted, filters }) {
  refuseTooWide(root);
  const artifactPath = artifactPathIn(root, artifactDir);
  if (kind === "none") createRepository(root);
  refuseElsewhere(gitAt(root), root);
  refuseUnfinished(gitAt(root), root);
  if (!filters) refuseFiltered(gitAt(root), root, foreignFilters(root));

  const identity = fallbackIdentity(gitAt(root));
  // A signature would ask for a passphrase where nobody can answer.
  const git = gitAt(root, { settings: [...identity, "commit.gpgSign=false"], filters });
  const start = readHead(git);
  const unborn = start.commit === undefined;
  keepOut(git, { root, artifactPath, castId, unborn });
  const first = unborn ? commitFirst(git) : [];
  const { branch, created } = enterBranch(git, { wanted, castId, current: start.branch });
  const { commits, files } = commitPending(git, "checkpoint of uncommitted work");
  const left = readLeft(git, root);
  return {
    kind: "git",
    root,
    branch,
    created: { repository: kind === "none", branch: created, commits: first },
    ...(commits.length > 0 && { checkpoint: { commits, files, from: start.branch ?? start.commit } }),
    ...(left.length > 0 && { left }),
    ...(identity.length > 0 && { identity: "fallback" }),
  };
}

/** A commit of everything is meant for a project, never for a home or a disk. */
function refuseTooWide(root) {
  const home = process.env.HOME;
  const isHome = home && existsSync(home) && realpathSync(home) === root;
  if (!isHome && root !== parse(root).root) return;
  refuse(
    `the repository would be all of ${root}, ${isHome ? "your home folder" : "the whole disk"}`,
    "run git init in the project's own folder and start the cast there",
  );
}

function createRepository(root) {
  const git = gitAt(root);
  const isBare = git.run(["rev-parse", "--git-dir"]).code === 0;
  if (isBare) refuse(`${root} is a repository without working files`, "start the cast in a working copy of it");
  git.text(["init", "--quiet"]);
}

/** [U27] A configuration may say that the files lie elsewhere: then everything of that place would be committed. */
export function refuseElsewhere(git, root) {
  const files = git.text(["rev-parse", "--show-toplevel"]);
  if (files === "" || realpathSync(files) === root) return;
  refuse(`the repository in ${root} works on the files of ${files}`, "unset core.worktree, or start the cast there");
}

/** What is in the middle of being done, and how it is ended. */
export function unfinishedIn(git) {
  const gitDir = git.text(["rev-parse", "--absolute-git-dir"]);
  return unfinished.find(([mark]) => existsSync(join(gitDir, mark)));
}

function refuseUnfinished(git, root) {
  const found = unfinishedIn(git);
  if (found) refuse(`${found[1]} is in progress in ${root}`, `end it with ${found[2]}, then recast`);
  refuseConflict(git, root);
}

/** For our own commits only; the configuration stays as it is. */
export function fallbackIdentity(git) {
  const isKnown = (ident) => git.run(["-c", "user.useConfigOnly=true", "var", ident]).code === 0;
  if (isKnown("GIT_AUTHOR_IDENT") && isKnown("GIT_COMMITTER_IDENT")) return [];
  const name = read(git, ["config", "user.name"]) ?? "pi-materia";
  const email = read(git, ["config", "user.email"]) ?? "pi-materia@localhost";
  return [`user.name=${name}`, `user.email=${email}`];
}

export function readHead(git) {
  return {
    branch: read(git, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    commit: read(git, ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]),
  };
}

function read(git, args) {
  const done = git.run(args);
  return done.code === 0 ? done.stdout.toString("utf8").trim() : undefined;
}

/** [U26] In the local exclude file, which is no part of the project: what no commit should hold. */
function keepOut(git, { root, artifactPath: path, castId, unborn }) {
  const artifacts = path !== undefined && !isIgnored(root, path) ? [patternFor(path)] : [];
  const isBlank = unborn && !existsSync(join(root, ".gitignore"));
  const usual = isBlank ? ["node_modules/", ".env", ".env.*", "!.env.example"] : [];
  const file = resolve(root, git.text(["rev-parse", "--git-path", "info/exclude"]));
  const there = existsSync(file) ? readFileSync(file, "utf8").split(/\r?\n/) : [];
  const missing = [...artifacts, ...usual].filter((pattern) => !there.includes(pattern));
  if (missing.length === 0) return;
  mkdirSync(dirname(file), { recursive: true });
  appendPatterns(file, missing, castId);
}

function enterBranch(git, { wanted, castId, current }) {
  const isOurs = current !== undefined && read(git, ["config", castKeyOf(current)]) === castId;
  if (current === wanted || isOurs) return { branch: current, created: false };

  const refs = git.text(["for-each-ref", "--format=%(refname)", "refs/heads"]).split("\n");
  const taken = refs.map((ref) => ref.replace("refs/heads/", ""));
  const branch = freeName(wanted, taken);
  // Before the branch: after a crash the same cast knows a numbered branch as its own.
  git.text(["config", castKeyOf(branch), castId]);
  git.text(["switch", "--quiet", "--no-track", "--create", branch]);
  return { branch, created: true };
}

/** Git forgets it together with the branch. */
function castKeyOf(branch) {
  return `branch.${branch}.materiaCast`;
}
