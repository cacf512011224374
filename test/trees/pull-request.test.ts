import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { lastCast, materia } from "../git/cast-place.ts";
import { git } from "../git/scratch.ts";
import { readText } from "../harness/cli.ts";
import { castApart, treePlace } from "./tree-place.ts";

/** A remote beside the project, and a stand-in for a program that writes down its words. */
function withRemote(cwd: string, program: string, answer: string) {
  const top = dirname(cwd);
  const [bin, remote, words] = [join(top, "bin"), join(top, "remote.git"), join(top, "words.json")];
  git(cwd, "init", "-q", "--bare", remote);
  git(cwd, "remote", "add", "origin", remote);
  mkdirSync(bin);
  const script = `#!${process.execPath}\nrequire("fs").writeFileSync(${JSON.stringify(words)}, JSON.stringify(process.argv.slice(2)));\nconsole.log(${JSON.stringify(answer)});\n`;
  writeFileSync(join(bin, program), script);
  chmodSync(join(bin, program), 0o755);
  return { remote, words, env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` } };
}

it("[YT11] take --pr pushes the branch and opens a pull request into the current one", async () => {
  const cwd = treePlace();
  const { remote, words, env } = withRemote(cwd, "gh", "Creating\nhttps://example.org/pull/1");
  await castApart(cwd);
  const branch = `materia/${lastCast(cwd)}`;
  const ran = await materia(cwd, ["take", "--pr", "--json"], { env });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(ran.stdout)).toMatchObject({ branch, url: "https://example.org/pull/1" });
  expect(git(remote, "log", "--format=%s", branch)).toBe("do it\nfirst");
  const typed = JSON.parse(readText(words)) as readonly string[];
  expect(typed).toEqual(["pr", "create", `--head=${branch}`, "--base=main", "--title=do it", expect.any(String)]);
});

it("[YT11] a secret in the work is not pushed", async () => {
  const cwd = treePlace({ "new.txt": `key = "ghp_${"a1B2".repeat(9)}"\n` });
  const { remote, env } = withRemote(cwd, "gh", "");
  await castApart(cwd);
  const ran = await materia(cwd, ["take", "--pr"], { env });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("contains secrets") });
  expect(git(remote, "for-each-ref")).toBe("");
});

it("[YT11] without a remote or the program it is refused with a way out", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  expect((await materia(cwd, ["take", "--pr"])).stderr).toContain("no remote");
  const path = join(dirname(cwd), "only-git");
  mkdirSync(path);
  const where = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(path, "git"), `#!/bin/sh\nexec ${where} "$@"\n`);
  chmodSync(join(path, "git"), 0o755);
  git(cwd, "remote", "add", "origin", join(dirname(cwd), "nowhere.git"));
  const ran = await materia(cwd, ["take", "--pr"], { env: { PATH: path } });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("gh is not installed") });
  expect(ran.stderr).toContain(`git push origin materia/${lastCast(cwd)}`);
});
