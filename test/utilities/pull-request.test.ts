import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newProgram, newRepository, resultOf, write } from "./harness.ts";

interface Scene {
  readonly cwd: string;
  readonly remote: string;
}

/** A repository with work on a separate branch, and the bare repository it came from. */
function working(branch = "materia/search"): Scene {
  const cwd = newRepository();
  const remote = newFolder();
  git(remote, "init", "--quiet", "--bare", "--initial-branch=main");
  git(cwd, "remote", "add", "origin", remote);
  git(cwd, "push", "--quiet", "origin", "main");
  if (branch !== "main") git(cwd, "switch", "--quiet", "--create", branch);
  write(join(cwd, "b.txt"), "b\n");
  git(cwd, "add", "--all");
  git(cwd, "commit", "--quiet", "--message", "feat: search");
  return { cwd, remote };
}

/** A stand-in for the platform's program, which writes down its arguments. */
function program(name: string, answers: { readonly list?: string; readonly create?: string }) {
  const log = join(newFolder({ log: "" }), "log");
  const folder = newProgram(
    name,
    `printf '%s\\n' "$*" >> '${log}'
case "$*" in
  *"pr list"*) ${answers.list ?? "echo '[]'"} ;;
  *"pr create"*) ${answers.create ?? "exit 1"} ;;
esac`,
  );
  return { path: `${folder}:${process.env.PATH}`, told: () => readFileSync(log, "utf8") };
}

const request = "Add search\n\nWith filters.";
const url = "https://example.com/pr/7";
const gh = (answers: Parameters<typeof program>[1] = { create: `echo ${url}` }) => program("gh", answers);
const branches = (remote: string): readonly string[] => git(remote, "branch", "--format=%(refname:short)").split("\n");

describe.each(["mime-gh-pr", "blackbelt-gh-pr"])("%s", (script) => {
  it("[U44] pushes the branch and makes the request", () => {
    const { cwd, remote } = working();
    const { path, told } = gh();
    expect(resultOf(script, { cwd, request }, { PATH: path })).toEqual({
      satisfied: true,
      context: `The pull request on GitHub is made: ${url}`,
      state: { pullRequest: { made: true, url, branch: "materia/search", base: "main", remote: "origin" } },
    });
    expect(git(remote, "rev-parse", "materia/search")).toBe(git(cwd, "rev-parse", "HEAD"));
    expect(told()).toContain("pr create --head materia/search --base main --title Add search --body Add search");
    expect(told()).toContain("- feat: search");
  });

  it("[U44] where there is one already, it gets the newest commits", () => {
    const { cwd, remote } = working();
    const { path, told } = gh({ list: `echo '[{"url":"${url}"}]'` });
    expect(resultOf(script, { cwd, request }, { PATH: path })).toMatchObject({
      satisfied: true,
      state: { pullRequest: { url } },
    });
    expect(branches(remote)).toContain("materia/search");
    expect(told()).not.toContain("create");
  });

  it("[U50] all missing parts are reported at once, and nothing is pushed", () => {
    const { cwd, remote } = working();
    write(join(cwd, "c.txt"), "c\n");
    const { satisfied, context } = resultOf(script, { cwd, request }, { PATH: "/usr/bin:/bin" }) as Record<
      string,
      unknown
    >;
    expect(satisfied).toBe(false);
    expect(context).toContain("a commit of 1 changed file");
    expect(context).toContain("the program gh: install the GitHub CLI");
    expect(branches(remote)).toEqual(["main"]);
  });

  it("[U50] a missing login is reported before a push", () => {
    const { cwd, remote } = working();
    const { path } = gh({ list: "echo 'not logged in' >&2; exit 4" });
    expect(resultOf(script, { cwd, request }, { PATH: path })).toMatchObject({
      satisfied: false,
      context: expect.stringMatching(/not logged in.*gh auth login/),
    });
    expect(branches(remote)).toEqual(["main"]);
  });

  it("[U44] a request that is not made after the push says so", () => {
    const { cwd } = working();
    const { path } = gh({ create: "echo 'no permission' >&2; exit 1" });
    expect(resultOf(script, { cwd, request }, { PATH: path })).toMatchObject({
      satisfied: false,
      context: expect.stringMatching(/is pushed, but gh did not make the request: no permission/),
    });
  });
});

describe("what is never done", () => {
  it("[U45] the default branch is never pushed to", () => {
    const { cwd, remote } = working("main");
    const before = git(remote, "rev-parse", "main");
    expect(resultOf("mime-gh-pr", { cwd, request }, { PATH: gh().path })).toMatchObject({
      satisfied: false,
      context: expect.stringContaining("main is the target of the pull request and is never pushed to"),
    });
    expect(git(remote, "rev-parse", "main")).toBe(before);
  });

  it("[U45] nor where another branch is named as the base", () => {
    const { cwd, remote } = working("main");
    git(cwd, "push", "--quiet", "origin", "main~1:refs/heads/release");
    const before = git(remote, "rev-parse", "main");
    expect(resultOf("mime-gh-pr", { cwd, request, params: { base: "release" } }, { PATH: gh().path })).toMatchObject({
      satisfied: false,
    });
    expect(git(remote, "rev-parse", "main")).toBe(before);
  });

  it("[U45] a branch that others have moved is not overwritten", () => {
    const { cwd, remote } = working();
    git(cwd, "push", "--quiet", "origin", "HEAD");
    const other = newFolder();
    git(other, "clone", "--quiet", "--branch", "materia/search", remote, "x");
    const clone = join(other, "x");
    git(
      clone,
      "-c",
      "user.name=B",
      "-c",
      "user.email=b@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "theirs",
    );
    git(clone, "push", "--quiet", "origin", "HEAD");
    git(cwd, "commit", "--quiet", "--allow-empty", "--message", "ours");
    const theirs = git(remote, "rev-parse", "materia/search");
    expect(resultOf("mime-gh-pr", { cwd, request }, { PATH: gh().path })).toMatchObject({
      satisfied: false,
      context: expect.stringContaining("does not take the branch"),
    });
    expect(git(remote, "rev-parse", "materia/search")).toBe(theirs);
  });

  it("[U40, U45] no program runs that the repository's configuration names", () => {
    const { cwd, remote } = working();
    const mark = join(newFolder(), "ran");
    write(join(cwd, ".git/hooks/pre-push"), `#!/bin/sh\ntouch '${mark}'\n`);
    for (const [key, value] of [
      ["core.hooksPath", ".git/hooks"],
      ["core.sshCommand", `touch '${mark}' #`],
      ["core.fsmonitor", `touch '${mark}' #`],
      ["credential.helper", `!touch '${mark}' #`],
      ["remote.origin.receivepack", `touch '${mark}'; git-receive-pack`],
      ["remote.origin.uploadpack", `touch '${mark}'; git-upload-pack`],
      ["protocol.ext.allow", "always"],
    ] as const)
      git(cwd, "config", key, value);
    expect(resultOf("mime-gh-pr", { cwd, request }, { PATH: gh().path })).toMatchObject({ satisfied: true });
    git(cwd, "config", "remote.origin.url", `ext::touch ${mark}`);
    expect(resultOf("mime-gh-pr", { cwd, request }, { PATH: gh().path })).toMatchObject({ satisfied: false });
    expect(() => readFileSync(mark)).toThrow("ENOENT");
    expect(branches(remote)).toContain("materia/search");
  });

  it.each<[string, (scene: Scene) => void, string]>([
    ["no remote", ({ cwd }) => void git(cwd, "remote", "remove", "origin"), "a remote (git remote add origin ADDRESS)"],
    ["a remote that is gone", ({ cwd }) => void git(cwd, "remote", "set-url", "origin", "/nowhere"), "a way to origin"],
    ["nothing new", ({ cwd }) => void git(cwd, "reset", "--quiet", "--hard", "main"), "work that main does not have"],
    ["no branch", ({ cwd }) => void git(cwd, "switch", "--quiet", "--detach"), "a branch: none is checked out"],
  ])("[U50] %s is said", (_what, change, text) => {
    const scene = working();
    change(scene);
    expect(resultOf("mime-gh-pr", { cwd: scene.cwd, request }, { PATH: gh().path })).toMatchObject({
      satisfied: false,
      context: expect.stringContaining(text),
    });
  });
});

describe("Azure DevOps", () => {
  const answer = `echo '{"pullRequestId":7,"repository":{"webUrl":"https://dev.azure.com/o/p/_git/r"}}'`;
  it.each(["mime-ado-pr", "blackbelt-ado-pr"])("[U44] %s makes the request with az", (script) => {
    const { cwd } = working();
    const { path, told } = program("az", { create: answer });
    expect(resultOf(script, { cwd, request }, { PATH: path })).toMatchObject({
      satisfied: true,
      state: { pullRequest: { url: "https://dev.azure.com/o/p/_git/r/pullrequest/7" } },
    });
    expect(told()).toContain(
      "repos pr create --detect true --output json --source-branch materia/search --target-branch main",
    );
  });

  it("[U50] az without its extension is reported with the fix", () => {
    const { cwd } = working();
    const { path } = program("az", { list: "echo \"'repos' is misspelled\" >&2; exit 2" });
    expect(resultOf("mime-ado-pr", { cwd, request }, { PATH: path })).toMatchObject({
      satisfied: false,
      context: expect.stringContaining("az extension add --name azure-devops"),
    });
  });
});

it("[U44] in a jj repository the bookmark is pushed through the git repository behind it", () => {
  const { cwd, remote } = working();
  const commit = git(cwd, "rev-parse", "HEAD");
  write(join(cwd, ".jj/x"), "");
  const jj = newProgram(
    "jj",
    `shift 2
case "$*" in
  "git root") printf '%s' '${cwd}/.git' ;;
  *"..@)"*) ;;
  "log "*) printf '${commit}' ;;
esac`,
  );
  const state = { blackbelt: { branch: "materia/search" } };
  const { path } = gh();
  expect(resultOf("blackbelt-gh-pr", { cwd, request, state }, { PATH: `${jj}:${path}` })).toMatchObject({
    satisfied: true,
  });
  expect(git(remote, "rev-parse", "materia/search")).toBe(commit);
});
