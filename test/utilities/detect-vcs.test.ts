import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newRepository, resultOf, runIn, runRaw } from "./harness.ts";

const scripts = ["detect-vcs", "ignore-artifacts", "blackbelt-bootstrap", "commit-sigil"];
const noPrograms = { PATH: "/nowhere" };

function detect(cwd: string, extra: Readonly<Record<string, string>> = noPrograms): unknown {
  return resultOf("detect-vcs", { cwd }, extra);
}

function found(kind: string, root: string): unknown {
  return { state: { vcs: { kind, root } } };
}

describe("input of every utility", () => {
  it.each<[rule: string, stdin: string, says: RegExp]>([
    ["[U10] nothing", "", /got nothing; run it/],
    ["[U10] no JSON", "{oops", /not JSON/],
    ["[U10] no object", "[1]", /not an object/],
    ["[U10] null", "null", /not an object/],
    ["[U10] a state that is no object", `{"state":[]}`, /"state"/],
  ])("%s", (_rule, stdin, says) => {
    for (const script of scripts) {
      const ran = runRaw(script, stdin);
      expect({ code: ran.code, stdout: ran.stdout, lines: ran.stderr.split("\n").length }).toEqual({
        code: 1,
        stdout: "",
        lines: 2,
      });
      expect(ran.stderr).toMatch(says);
    }
  });

  it.each<[rule: string, cwd: unknown, says: string]>([
    ["[U10] a missing working folder", "/nowhere/at/all", "/nowhere/at/all does not exist"],
    ["[U10] no working folder", undefined, 'no text in "cwd"'],
    ["[U10] a working folder that is no text", 7, 'no text in "cwd"'],
  ])("%s", (_rule, cwd, says) => {
    const ran = runRaw("detect-vcs", JSON.stringify({ cwd, runDir: "/x" }));
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(says) });
  });
});

describe("Detect-VCS", () => {
  it("[U11] finds git from a subfolder without any program installed", () => {
    const root = newRepository({ "deep/er/a.txt": "" });
    expect(detect(join(root, "deep/er"))).toEqual(found("git", root));
  });

  it("[U11] looks from the place a link leads to", () => {
    const root = newRepository({ "sub/a.txt": "" });
    const link = join(newFolder(), "link");
    symlinkSync(join(root, "sub"), link);
    expect(detect(link)).toEqual(found("git", root));
  });

  it("[U12] a colocated repository is jj", () => {
    const root = newRepository();
    mkdirSync(join(root, ".jj"));
    expect(detect(root)).toEqual(found("jj", root));
  });

  it("[U12] the nearer repository wins", () => {
    const outer = newFolder({ ".jj/x": "", "in/.git/HEAD": "", "in/deep/a": "" });
    expect(detect(join(outer, "in/deep"))).toEqual(found("git", join(outer, "in")));
    expect(detect(outer)).toEqual(found("jj", outer));
  });

  it("[U13] a worktree has a .git file", () => {
    const root = newRepository();
    const tree = join(newFolder(), "tree");
    git(root, "worktree", "add", "--quiet", tree);
    expect(detect(tree)).toEqual(found("git", tree));
  });

  it("[U13] an empty .git folder is passed by, as git passes it by", () => {
    const root = newRepository();
    mkdirSync(join(root, "sub/.git"), { recursive: true });
    expect(detect(join(root, "sub"))).toEqual(found("git", root));
  });

  it("[U14] nothing found is none", () => {
    const cwd = newFolder({ ".jj": "a file" });
    expect(detect(cwd)).toEqual(found("none", cwd));
  });

  it("[U14] GIT_DIR counts when it exists and nothing is nearer", () => {
    const cwd = newFolder();
    const elsewhere = newRepository();
    const dir = join(elsewhere, ".git");
    expect(detect(cwd, { GIT_DIR: dir })).toEqual(found("git", cwd));
    expect(detect(cwd, { GIT_DIR: dir, GIT_WORK_TREE: elsewhere })).toEqual(found("git", elsewhere));
    expect(detect(cwd, { GIT_DIR: "/nowhere" })).toEqual(found("none", cwd));
    const nearer = newRepository();
    expect(detect(nearer, { GIT_DIR: dir })).toEqual(found("git", nearer));
  });

  it("[U10] never prints a stack", () => {
    expect(runIn("detect-vcs", { cwd: "\0" }).stderr).not.toContain("    at ");
  });
});
