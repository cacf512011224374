import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newProgram, newRepository, resultOf, runIn, write } from "./harness.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const request = "Add a search box";
const branch = "materia/add-a-search-box";

/** Commits that change the same line: any way to join or undo them stops at a conflict. */
function newFork(): string {
  const root = newRepository({ "a.txt": "base\n" });
  git(root, "switch", "--quiet", "--create", "side");
  write(join(root, "a.txt"), "side\n");
  git(root, "commit", "--quiet", "--all", "--message", "side");
  git(root, "switch", "--quiet", "main");
  for (const text of ["main", "later"]) {
    write(join(root, "a.txt"), `${text}\n`);
    git(root, "commit", "--quiet", "--all", "--message", text);
  }
  return root;
}

function attempt(root: string, ...args: readonly string[]): void {
  try {
    git(root, ...args);
  } catch {
    // Stopping half way is what the test wants.
  }
}

function snapshot(root: string): readonly string[] {
  return [git(root, "for-each-ref"), git(root, "status", "--porcelain=v2", "--branch"), git(root, "config", "--list")];
}

/** Ends the utility itself right after its nth call of git that changes something. */
function runUntilCall(call: number, cwd: string): boolean {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const count = join(newFolder({ calls: "" }), "calls");
  const path = newProgram(
    "git",
    `'${real}' "$@"
code=$?
case " $* " in *" init "* | *" config "* | *" switch "* | *" add "* | *" commit "*)
  printf x >> '${count}'
  if [ "$(wc -c < '${count}')" -eq ${call} ]; then kill -9 $PPID; fi ;;
esac
exit $code`,
  );
  return runIn("blackbelt-bootstrap", { cwd, request }, { PATH: `${path}:${process.env.PATH}` }).code === null;
}

describe("what Blackbelt-Bootstrap refuses", () => {
  it.each<[rule: string, commands: readonly (readonly string[])[], says: string]>([
    ["[U27] a merge", [["merge", "side"]], "a merge is in progress"],
    ["[U27] a rebase", [["rebase", "side"]], "a rebase is in progress"],
    ["[U27] a cherry-pick", [["cherry-pick", "side"]], "a cherry-pick is in progress"],
    ["[U27] a revert", [["revert", "--no-edit", "HEAD~1"]], "a revert is in progress"],
    ["[U27] a bisection", [["bisect", "start"]], "a bisection is in progress"],
    [
      "[U27] a conflict without any of them",
      [
        ["merge", "side"],
        ["update-ref", "-d", "MERGE_HEAD"],
      ],
      "a.txt in",
    ],
  ])("%s", (_rule, commands, says) => {
    const root = newFork();
    for (const command of commands) attempt(root, ...command);
    const before = snapshot(root);
    const ran = runIn("blackbelt-bootstrap", { cwd: root, request });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(says) });
    expect(ran.stderr).toContain("then recast");
    expect(snapshot(root)).toEqual(before);
  });

  it("[U27] the home folder, with or without a repository", () => {
    const home = newFolder({ "a.txt": "" });
    const dotfiles = newRepository({ "project/a.txt": "" });
    for (const [cwd, HOME] of [
      [home, home],
      [join(dotfiles, "project"), dotfiles],
    ] as const) {
      const ran = runIn("blackbelt-bootstrap", { cwd, request }, { HOME });
      expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("home folder; run git init") });
    }
    expect(existsSync(join(home, ".git"))).toBe(false);
  });

  it("[U27] the root as artifact folder", () => {
    const cwd = newFolder();
    const ran = runIn("blackbelt-bootstrap", { cwd, runDir: join(cwd, "cast-1"), request });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining('set "artifactDir"') });
    expect(existsSync(join(cwd, ".git"))).toBe(false);
  });

  it("[U27] a repository without working files", () => {
    const cwd = newFolder();
    git(cwd, "init", "--quiet", "--bare");
    const ran = runIn("blackbelt-bootstrap", { cwd, request });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("without working files") });
    expect(existsSync(join(cwd, ".git"))).toBe(false);
  });

  it("[U27] a machine without git", () => {
    for (const cwd of [newFolder(), newRepository()]) {
      const ran = runIn("blackbelt-bootstrap", { cwd, request }, { PATH: newFolder() });
      expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("git was not found on PATH") });
      expect(ran.stderr).toContain("install git");
    }
  });

  it("[U27] what git itself refuses, in git's words", () => {
    const root = newRepository();
    write(join(root, ".git/index.lock"), "");
    write(join(root, "a.txt"), "b");
    const ran = runIn("blackbelt-bootstrap", { cwd: root, request });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("index.lock") });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("b");
  });
});

describe("running it again", () => {
  it("[U29] changes nothing on a prepared repository", () => {
    const root = newRepository();
    git(root, "branch", branch);
    write(join(root, "b.txt"), "b");
    resultOf("blackbelt-bootstrap", { cwd: root, request });
    const before = snapshot(root);
    expect(resultOf("blackbelt-bootstrap", { cwd: root, request })).toMatchObject({
      state: { blackbelt: { branch: `${branch}-2`, created: { repository: false, branch: false, commits: [] } } },
    });
    expect(snapshot(root)).toEqual(before);
  });

  it("[U29] another cast does not take a numbered branch for its own", () => {
    const root = newRepository();
    git(root, "branch", branch);
    resultOf("blackbelt-bootstrap", { cwd: root, request });
    const runDir = join(root, ".pi/pi-materia/cast-2");
    expect(resultOf("blackbelt-bootstrap", { cwd: root, request, runDir })).toMatchObject({
      state: { blackbelt: { branch: `${branch}-3` } },
    });
  });

  it("[U29] after a crash at any call, in a repository with staged and loose work", SWEEP, () => {
    const template = newRepository({ "a.txt": "a" });
    git(template, "branch", branch);
    let call = 0;
    for (let crashed = true; crashed;) {
      call += sweepSize(9, 1);
      const root = newFolder();
      execFileSync("cp", ["-r", `${template}/.`, root]);
      write(join(root, "a.txt"), "staged");
      git(root, "add", "a.txt");
      write(join(root, "a.txt"), "loose");
      crashed = runUntilCall(call, root);
      resultOf("blackbelt-bootstrap", { cwd: root, request });
      const shown = ["HEAD", "HEAD~1", "HEAD~2", "main"].map((at) => git(root, "show", `${at}:a.txt`));
      expect(shown, `after call ${call}`).toEqual(["loose", "staged", "a", "a"]);
      expect(git(root, "status", "--porcelain", "--branch")).toBe(`## ${branch}-2`);
      expect(git(root, "branch", "--format=%(refname:short)").split("\n")).toHaveLength(3);
    }
    expect(call).toBeGreaterThan(4);
  });

  it("[U29] after a crash at any call, in a folder without a repository", SWEEP, () => {
    let call = 0;
    for (let crashed = true; crashed;) {
      call += sweepSize(9, 1);
      const root = newFolder({ "a.txt": "a", ".env": "KEY=1" });
      crashed = runUntilCall(call, root);
      resultOf("blackbelt-bootstrap", { cwd: root, request });
      const commits = git(root, "log", "--format=%s", "--name-only", branch);
      expect(commits, `after call ${call}`).toMatch(/^chore: initial commit( \(staged\))?\n\na.txt$/);
      expect(git(root, "status", "--porcelain", "--branch")).toBe(`## ${branch}`);
    }
    expect(call).toBeGreaterThan(4);
  });
});

describe("what it reports", () => {
  it("[U30] the whole result of a run that had everything to do", () => {
    const root = newFolder();
    git(root, "init", "--quiet", "--initial-branch=main");
    git(root, "init", "--quiet", "inner");
    write(join(root, "inner/x"), "x");
    const result = resultOf("blackbelt-bootstrap", { cwd: root, request });
    const first = git(root, "rev-parse", "HEAD");
    expect(result).toEqual({
      state: {
        blackbelt: {
          kind: "git",
          root,
          branch,
          created: { repository: false, branch: true, commits: [first] },
          left: ["inner/"],
          identity: "fallback",
        },
      },
      context:
        `The work is on the git branch ${branch} in ${root}. Not committed, because they are separate repositories: inner/. ` +
        "Git knows no user.name and user.email here: set them before committing.",
    });
  });

  it("[U30] where earlier work is kept", () => {
    const root = newRepository();
    write(join(root, "a.txt"), "b");
    const result = resultOf("blackbelt-bootstrap", { cwd: root, request });
    const commit = git(root, "rev-parse", "HEAD");
    expect(result).toEqual({
      state: {
        blackbelt: {
          kind: "git",
          root,
          branch,
          created: { repository: false, branch: true, commits: [] },
          checkpoint: { commits: [commit], files: 1, from: "main" },
        },
      },
      context: `The work is on the git branch ${branch} in ${root}. Uncommitted work that was there on main is kept in ${commit.slice(0, 12)}.`,
    });
  });
});
