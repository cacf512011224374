import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeCheckpoint } from "../../src/shell/git/take-checkpoint.ts";
import { treeOf } from "../../src/shell/git/diff.ts";
import { findRepository, type Repository } from "../../src/shell/git/repository.ts";
import { openShadowIndex } from "../../src/shell/git/shadow-index.ts";
import { copied } from "../harness/copied.ts";

/** git as a person calls it, with its own name and none of the machine's configuration. */
export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "A Person",
      GIT_AUTHOR_EMAIL: "person@example.org",
      GIT_COMMITTER_NAME: "A Person",
      GIT_COMMITTER_EMAIL: "person@example.org",
    },
  }).trim();
}

/** Makes a repository of a folder, with one commit of all that lies there. */
export function commitAll(cwd: string, ...options: readonly string[]): void {
  git(cwd, "init", "-q", "-b", "main", ...options);
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "first");
}

/** A repository inside another's index, which `.gitmodules` does not name: git looks into it with the programs that its configuration names. */
export function plantInnerRepository(cwd: string, trap: string): void {
  const inner = join(cwd, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "a.txt"), "a\n");
  writeFileSync(join(inner, ".gitattributes"), "* filter=evil\n");
  commitAll(inner);
  git(cwd, "update-index", "--add", "--cacheinfo", `160000,${git(inner, "rev-parse", "HEAD")},inner`);
  git(inner, "config", "filter.evil.process", `touch '${trap}'`);
  utimesSync(join(inner, "a.txt"), 1, 1);
}

export function scratch(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "materia-git-")));
}

/** A repository with one commit of one file. */
export function newRepository(...options: readonly string[]): string {
  const cwd = scratch();
  copied(`repository ${options.join(" ")}`, cwd, (folder) => {
    writeFileSync(join(folder, "first.txt"), "one\n");
    commitAll(folder, ...options);
  });
  return cwd;
}

async function repositoryAt(cwd: string): Promise<Repository> {
  const found = await findRepository(cwd);
  if (found.kind === "none") throw new Error(found.why);
  return found.repository;
}

export const REF = "refs/materia/cast-1";

/** One checkpoint behind a commit, HEAD unless another is named. */
export async function checkpoint(cwd: string, parent = "HEAD", leaveOut: readonly string[] = []) {
  const repository = await repositoryAt(cwd);
  const shadow = await openShadowIndex(repository, { exclude: leaveOut });
  try {
    const commit = git(cwd, "rev-parse", parent);
    const tree = (await treeOf(cwd, commit)) ?? "";
    return await takeCheckpoint(shadow, {
      ref: REF,
      parent: { commit, tree },
      message: "Socket-1 visit 1",
      at: "2026-01-02T03:04:05.000Z",
    });
  } finally {
    shadow.close();
  }
}

/** The names that a commit holds. */
export function namesIn(cwd: string, commit = REF): readonly string[] {
  return git(cwd, "ls-tree", "-r", "-z", "--name-only", commit).split("\0").filter(Boolean);
}

/** All of a repository that a person would notice if it changed. */
export function personsView(cwd: string): readonly string[] {
  return [
    git(cwd, "status", "--porcelain=v2", "--branch", "-z"),
    git(cwd, "stash", "list"),
    git(cwd, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"),
    git(cwd, "diff", "--cached"),
    git(cwd, "ls-files", "--stage"),
  ];
}
