import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newProgram, newRepository, resultOf, runIn, write } from "./harness.ts";

const item = { title: "feat: greet", context: "Say hello.\nTwice." };

describe("Mime-Maintain and Blackbelt-Maintain with git", () => {
  it.each(["mime-maintain", "blackbelt-maintain"])("[U43] %s commits what the item has changed", (script) => {
    const cwd = newRepository();
    write(join(cwd, "नया.txt"), "new\n");
    write(join(cwd, "a.txt"), "changed\n");
    expect(resultOf(script, { cwd, item })).toMatchObject({
      satisfied: true,
      context: expect.stringMatching(/^Committed [0-9a-f]{12} on main: feat: greet$/),
      state: { lastCommit: { kind: "git", branch: "main", commit: git(cwd, "rev-parse", "HEAD") } },
    });
    expect(git(cwd, "log", "-1", "--format=%B")).toBe("feat: greet\n\nSay hello.\nTwice.\n\nCast: cast-1");
    expect(git(cwd, "status", "--porcelain")).toBe("");
  });

  it("[U48] without changes there is no commit, and the answer is satisfied", () => {
    const cwd = newRepository();
    const before = git(cwd, "rev-parse", "HEAD");
    expect(resultOf("mime-maintain", { cwd, item })).toMatchObject({
      satisfied: true,
      state: { lastCommit: { commit: null } },
    });
    expect(git(cwd, "rev-parse", "HEAD")).toBe(before);
  });

  it("[U43] without an item the request is the subject, on one line and without control characters", () => {
    const cwd = newRepository();
    write(join(cwd, "b.txt"), "b\n");
    resultOf("mime-maintain", { cwd, request: `do\u001b[31m it\nand more` });
    expect(git(cwd, "log", "-1", "--format=%s")).toBe("do [31m it");
  });

  it("[U48] a merge in progress is refused with a fix", () => {
    const cwd = newRepository();
    write(join(cwd, ".git/MERGE_HEAD"), git(cwd, "rev-parse", "HEAD"));
    expect(resultOf("mime-maintain", { cwd, item })).toEqual({
      satisfied: false,
      context: expect.stringContaining("git merge --continue or --abort"),
    });
  });

  it("[U40, U43] no hook of the repository runs", () => {
    const cwd = newRepository();
    write(join(cwd, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n");
    git(cwd, "config", "core.hooksPath", ".git/hooks");
    write(join(cwd, "b.txt"), "b\n");
    expect(resultOf("mime-maintain", { cwd, item })).toMatchObject({ satisfied: true });
  });

  it("[U48] outside a repository, and on no branch, it refuses", () => {
    expect(runIn("mime-maintain", { cwd: newFolder() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no version control"),
    });
    const cwd = newRepository();
    git(cwd, "switch", "--quiet", "--detach");
    expect(runIn("mime-maintain", { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no branch is checked out"),
    });
  });
});

it("[U43] in a separate tree, as a parallel item has, a commit needs no branch", () => {
  const cwd = newRepository();
  const tree = join(newFolder(), "tree");
  git(cwd, "worktree", "add", "--quiet", "--detach", tree);
  write(join(tree, "b.txt"), "b\n");
  expect(resultOf("blackbelt-maintain", { cwd: tree, item })).toMatchObject({ satisfied: true });
  expect(git(tree, "log", "-1", "--format=%s")).toBe("feat: greet");
});

describe("the git family", () => {
  it("[U47] Mime-Bootstrap prepares as Blackbelt-Bootstrap does, under its own name", () => {
    const cwd = newRepository();
    expect(resultOf("mime-bootstrap", { cwd, request: "Add search" })).toMatchObject({
      state: { mime: { kind: "git", branch: "materia/add-search" } },
    });
  });

  it.each(["mime-bootstrap", "mime-maintain", "mime-gh-pr", "mime-ado-pr"])(
    "[U47] %s refuses in a jj repository",
    (script) => {
      expect(runIn(script, { cwd: newFolder({ ".jj/x": "" }) })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/is a jj repository; use Blackbelt-/),
      });
    },
  );
});

describe("Blackbelt-Maintain with jj", () => {
  /** A stand-in for jj that answers the questions and writes down the commands. */
  function play(content: "empty" | "changed", state: object = { blackbelt: { branch: "materia/x" } }) {
    const cwd = newFolder({ ".jj/x": "" });
    const log = join(newFolder({ log: "" }), "log");
    const path = newProgram(
      "jj",
      `shift 2
case "$*" in
  *"conflicts()"*) ;;
  *"if(empty"*) printf '${content}' ;;
  "log "*) printf 'c0ffee' ;;
  "bookmark list "*) ;;
  *) echo "$1 $2 $3 $4 $5" | head -1 >> '${log}' ;;
esac`,
    );
    const result = resultOf("blackbelt-maintain", { cwd, item, state }, { PATH: `${path}:/usr/bin:/bin` });
    return { result, commands: readFileSync(log, "utf8").split("\n").filter(Boolean) };
  }

  it("[U49] the change gets its description, and the bookmark moves to it", () => {
    const { result, commands } = play("changed");
    expect(commands).toEqual(["commit --message feat: greet", "bookmark set materia/x -r @-"]);
    expect(result).toMatchObject({ satisfied: true, state: { lastCommit: { kind: "jj", commit: "c0ffee" } } });
  });

  it("[U49] an empty change does not change", () => {
    expect(play("empty")).toMatchObject({ commands: [], result: { satisfied: true } });
  });

  it("[U49] without a bookmark nothing is committed", () => {
    expect(play("changed", {})).toMatchObject({ commands: [], result: { satisfied: false } });
  });
});

it("[M4] Pass-On hands on its note and nothing else", () => {
  expect(resultOf("pass-on", { cwd: newFolder(), params: { note: "not done" } })).toEqual({ context: "not done" });
});
