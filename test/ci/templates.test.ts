import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patchProblems } from "../../action/inspect-patch.mjs";
import { put, readText } from "../harness/cli.ts";
import { ACTION, config, git, runner } from "../harness/runner.ts";

const EXAMPLES = join(ACTION, "../examples/ci");

/** The lines that a shell of the template runs, in order; `run: |` and lists of GitLab too. */
function scripts(text: string): readonly string[] {
  return [...text.matchAll(/^ +(?:- )?run: (?:\|\n((?: {10}.*\n)+)|(.+)\n)|^ {4}- (.+)\n/gm)]
    .map(([, block, line, item]) => block ?? line ?? item ?? "")
    .filter((script) => !script.startsWith("if: "));
}

/** What one shell says to a script, as a runner starts it. */
function shell(cwd: string, env: Record<string, string>, script: string) {
  const { status, stdout, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", script], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

const HOSTILE = 'x"; touch evil; $(touch evil) `touch evil`';

it("[CI1, CI2] the jobs of GitLab leave their reports, and a request stays a word", () => {
  const { cwd, env } = runner();
  const [install = "", check = "", test = "", again = "", cast = ""] = scripts(readText(join(EXAMPLES, "gitlab.yml")));
  expect([install, again].every((line) => line.startsWith("npm install --global pi-materia@"))).toBe(true);
  put(cwd, { ".pi/tests/a.json": { cast: { request: "x" }, replies: { Build: [{ text: "done" }] }, expect: {} } });
  expect(shell(cwd, env, check)).toEqual({ status: 0, output: "" });
  expect(JSON.parse(readText(join(cwd, "gl-code-quality-report.json")))).toEqual([]);
  expect(shell(cwd, env, test)).toMatchObject({ status: 0 });
  expect(readText(join(cwd, "junit.xml"))).toContain("<testsuite");
  const cut = cast.replace("materia cast", "materia cast --rehearse replies.json");
  expect(shell(cwd, { ...env, REQUEST: HOSTILE }, cut)).toMatchObject({ status: 0 });
  expect(existsSync(join(cwd, "evil"))).toBe(false);
});

/** As actions/upload-artifact reads a pattern: hidden files match too. */
function globPattern(glob: string): RegExp {
  const parts = glob
    .split(/(\*\*|\*)/)
    .map((part) => ({ "**": ".*", "*": "[^/]*" })[part] ?? part.replaceAll(".", "\\."));
  return new RegExp(`^${parts.join("")}$`);
}

it.each(["action.yml", "docs/guides/ci.md"])("[CI1] the artifact of %s has no working tree of a cast", (file) => {
  const [, block = ""] = /path: \|\n((?: +!?\.pi.*\n)+)/.exec(readText(join(ACTION, "..", file))) ?? [];
  const [folder = "", ...left] = block.trim().split(/\s+/);
  const files = ["1/trees/1_WI-1/.env", ".trees/2/node_modules/x.js", "1/cast.json", "1/items/2/journal.jsonl"];
  const stored = files.filter((each) => !left.some((not) => globPattern(not.slice(1)).test(`${folder}/${each}`)));
  expect([folder, stored]).toEqual([".pi/pi-materia", files.slice(2)]);
});

it("[CI2, CI5] the second of two jobs inspects the patch of the first, and opens the pull request with it", () => {
  const { cwd, env } = runner();
  const [diff = "", inspect = "", apply = ""] = scripts(readText(join(EXAMPLES, "two-jobs.yml")));
  shell(cwd, env, "materia cast --trust --rehearse replies.json 'Leave a note'");
  const { castId } = JSON.parse(shell(cwd, env, "materia status --json").output) as { castId: string };
  expect(shell(cwd, { ...env, CAST_ID: castId }, diff)).toEqual({ status: 0, output: "" });

  const [origin, second, temp] = ["origin", "second", "temp"].map((name) => join(cwd, "..", name)) as [
    string,
    string,
    string,
  ];
  git(cwd, env, "clone", "-q", "--bare", cwd, origin);
  git(cwd, env, "clone", "-q", origin, second);
  put(temp, { "patch/cast.patch": readText(join(cwd, "cast.patch")) });
  execFileSync("ln", ["-s", join(ACTION, ".."), join(second, ".materia-action")]);
  writeFileSync(join(cwd, "../bin/gh"), '#!/bin/sh\nprintf "%s\\n" "$@" > ../gh.txt\n');
  chmodSync(join(cwd, "../bin/gh"), 0o755);
  const later = { ...env, RUNNER_TEMP: temp, NUMBER: "7", GH_TOKEN: "t" };
  expect(shell(second, later, inspect)).toEqual({ status: 0, output: "" });
  expect(shell(second, later, apply)).toMatchObject({ status: 0 });
  expect(git(origin, env, "show", "materia/issue-7:note.txt")).toBe("hi\n");
  expect(readText(join(cwd, "../gh.txt"))).toBe("pr\ncreate\n--fill\n--body\nCloses #7\n");

  put(temp, { "patch/cast.patch": patch(".github/workflows/x.yml") });
  execFileSync("ln", ["-s", join(ACTION, ".."), join(second, ".materia-action")]);
  expect(shell(second, later, inspect)).toEqual({
    status: 1,
    output: "::error::.github/workflows/x.yml decides what runs\n",
  });
});

const patch = (path: string, line = "+x") => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n${line}\n`;
const header = (path: string, ...lines: readonly string[]) =>
  [`diff --git a/${path} b/${path}`, ...lines, ""].join("\n");
const empty = ["new file mode 100644", "index 0000000..e69de29"];
const secret = `key = "ghp_${"a".repeat(30)}"`;

describe("[CI5] a patch", () => {
  it.each<[string, string, RegExp | null]>([
    ["[CI5] of ordinary files passes", patch("src/a.ts"), null],
    ["[CI5] without a change", "\n", /changed no file/],
    ["[CI5] of a workflow", patch(".github/workflows/x.yml"), /decides what runs/],
    [
      "[CI5] of a workflow, below another folder than a and b",
      patch("x").replace("b/x", "c/.github/x.yml"),
      /decides what runs/,
    ],
    ["[CI5] of a workflow in other letters", patch(".GitHub/workflows/x.yml"), /decides what runs/],
    ["[CI5] of an empty file that decides", header(".gitmodules", ...empty), /decides what runs/],
    [
      "[CI5] of a file that decides, with a time behind its name",
      patch(".gitmodules\t2026-01-01 00:00:00 +0000"),
      /decides what runs/,
    ],
    [
      "[CI5] of rights of a file that decides",
      header(".pi/pi-materia.json", "old mode 100644", "new mode 100755"),
      /decides what runs/,
    ],
    ["[CI5] of an owner of files", patch("docs/CODEOWNERS"), /decides what runs/],
    ["[CI5] with a path outside", patch("../x"), /does not apply/],
    ["[CI5] with a path into git", patch(".git/hooks/pre-commit"), /does not apply/],
    [
      "[CI5] with a quoted path",
      '--- /dev/null\n+++ "b/.g\\151thub/x.yml"\n@@ -0,0 +1 @@\n+x\n',
      /github\/x.yml decides what runs/,
    ],
    [
      "[CI5] with a rename into a guarded folder",
      header("replies.json", "similarity index 100%", "rename from replies.json", "rename to .github/workflows/x.yml"),
      /decides what runs/,
    ],
    [
      "[CI5] with a rename in the older words",
      header("replies.json", "similarity index 100%", "rename old replies.json", "rename new .github/workflows/x.yml"),
      /decides what runs/,
    ],
    ["[CI5] with a link", `${header("x", "new file mode 120000")}${patch("x", "+/etc/passwd")}`, /a link/],
    [
      "[CI5] with a link, its mode written in another way",
      `${header("x", "new file mode 0120000")}${patch("x", "+/etc/passwd")}`,
      /a link/,
    ],
    [
      "[CI5] with a submodule",
      `${header("x", "new file mode 160000")}${patch("x", `+Subproject commit ${"a".repeat(40)}`)}`,
      /a link or a submodule/,
    ],
    ["[CI5] with a binary file", patch("x", "+a\0b"), /binary/],
    ["[CI5] with a secret", patch("x", `+${secret}`), /secret/],
    ["[CI5] that removes a secret passes", `--- a/old.txt\n+++ b/old.txt\n@@ -1 +1 @@\n-${secret}\n+x\n`, null],
    ["[CI5] of a huge file", patch("x", `+${"y".repeat(1_100_000)}`), /bytes/],
  ])("%s", (_rule, text, expected) => {
    const problems = patchProblems(patchFile(text), place().cwd).join("; ");
    expect(problems).toMatch(expected ?? /^$/);
    expect(git(place().cwd, place().env, "status", "--porcelain")).toBe("");
  });
});

let made: ReturnType<typeof runner> | undefined;
/** One repository for all patches: nothing of them may stay in it. */
function place(): ReturnType<typeof runner> {
  if (made !== undefined) return made;
  made = runner();
  put(made.cwd, { "old.txt": `${secret}\n`, ".pi/pi-materia.json": config });
  git(made.cwd, made.env, "add", "-A");
  git(made.cwd, made.env, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "more");
  return made;
}

function patchFile(text: string): string {
  const file = join(place().cwd, "../one.patch");
  writeFileSync(file, text);
  return file;
}
