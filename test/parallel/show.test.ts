import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../harness/cli.ts";
import {
  castIn,
  git,
  eventsOfType,
  repositoryWith,
  writeFiles,
  type ItemAction,
  type Ran,
  type Setting,
} from "./harness/repository.ts";

const ARTIFACTS = ".pi/casts";

async function shown(cwd: string, { castId }: Ran): Promise<readonly string[]> {
  const { stdout } = await run(["show", castId, "--artifacts", ARTIFACTS], { cwd });
  return stdout.slice(stdout.indexOf("\nItems\n")).trim().split("\n");
}

async function json(cwd: string, { castId }: Ran): Promise<Record<string, unknown>> {
  const { stdout } = await run(["show", castId, "--artifacts", ARTIFACTS, "--json"], { cwd });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const clash: ItemAction = {
  "WI-1": ({ cwd }) => writeFiles(cwd, { "same.txt": "one\n" }),
  "WI-2": ({ cwd }) => writeFiles(cwd, { "same.txt": "two\n" }),
};

it("[V21] each item has a line with its cast, its commit and what it changed, in words and as data", async () => {
  const cwd = repositoryWith({});
  const ran = await castIn({ cwd, titles: ["first", "second"] });
  const [one, two] = await eventsOfType(ran, "item_merged");
  expect((await shown(cwd, ran)).slice(0, 3)).toEqual([
    "Items",
    `✓ ${ran.castId}_1_WI-1  merged as ${one?.commit.slice(0, 9)} · 1 file, +1 −0  first`,
    `✓ ${ran.castId}_1_WI-2  merged as ${two?.commit.slice(0, 9)} · 1 file, +1 −0  second`,
  ]);
  expect(await json(cwd, ran)).toMatchObject({
    unjoined: null,
    itemCasts: [
      { key: "WI-1", child: `${ran.castId}_1_WI-1`, status: "joined", ref: null, files: { changed: 1, added: 1 } },
      { key: "WI-2", status: "joined", merged: two?.commit },
    ],
  });
});

it("[TM1, TM2] the trace of a parallel cast is a tree: the plan, then each item with its attempts", async () => {
  const cwd = repositoryWith({ "same.txt": "before\n" });
  const again: ItemAction = { ...clash, "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": "one\ntwo\n" }) };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing: again, lanes: 1 });
  const { stdout } = await run(["export", ran.castId, "--artifacts", ARTIFACTS], { cwd });
  const tree = stdout.split("\n").filter((line) => /^ {0,2}\S/.test(line));
  expect(tree.map((line) => line.replace(/ {2}\d[\d:]*( ms)?/, "").replace(/ · [^·]*tokens.*/, ""))).toEqual([
    "invoke_workflow Main",
    "  invoke_agent Plan",
    "  invoke_workflow Main · WI-1",
    "  invoke_workflow Main · WI-2",
    "  invoke_workflow Main · WI-2.2",
    "  invoke_agent Tell",
  ]);
});

it("[V39] left-out work is named with commands that reach it, and they work", async () => {
  const cwd = repositoryWith({ "same.txt": "before\n" });
  const setting: Setting = { cwd, titles: ["a", "b"], doing: clash, more: { limits: { maxConflicts: 0 } } };
  const ran = await castIn(setting);
  const lines = await shown(cwd, ran);
  const ref = `refs/materia-items/${ran.castId}/${ran.castId}_1_WI-2`;
  expect(lines[2]).toMatch(/^✗ \S+_1_WI-2 {2}left out: conflicts in same\.txt · 1 file/);
  const [diff = "", pick = ""] = lines.slice(3).map((line) => line.trim());
  expect([diff, pick]).toEqual([expect.stringMatching(`^git diff .* ${ref}$`), expect.stringContaining(`..${ref}`)]);
  expect(execFileSync("sh", ["-c", diff], { cwd, encoding: "utf8" })).toContain("+two");
  expect(() => execFileSync("sh", ["-c", pick], { cwd, stdio: "pipe" })).toThrow("could not apply");
  expect(await json(cwd, ran)).toMatchObject({ itemCasts: [{}, { status: "dropped", conflicts: ["same.txt"], ref }] });
});

it("[V21, V39] of a cast that failed it says what is merged and not on the branch, and where the files of the failed item lie", async () => {
  const cwd = repositoryWith({});
  const fails = () => ({ fails: "no network" });
  const ran = await castIn({ cwd, titles: ["a", "b", "c"], lanes: 1, doing: { "WI-2": fails } });
  const text = (await shown(cwd, ran)).join("\n");
  const merged = `refs/materia-items/${ran.castId}/merged-1`;
  expect(text).toContain("_1_WI-2  failed  b");
  const [, tree = ""] = /its files: (.*)/.exec(text) ?? [];
  expect(existsSync(join(tree, ".git"))).toBe(true);
  expect(text).toContain("What is merged is not on the branch yet:");
  expect(git(cwd, "diff", "--name-only", "HEAD", merged)).toBe("WI-1.txt");
});

it("[V40] no visit is credited with changes of items, and diff takes an item", async () => {
  const cwd = repositoryWith({});
  const ran = await castIn({ cwd, titles: ["a", "b"], details: { checkpoints: true } });
  const visits = await eventsOfType(ran, "visit_completed");
  expect(visits.map(({ files }) => files ?? null)).toEqual([null, null]);
  const [joined] = await eventsOfType(ran, "loop_joined");
  expect(joined?.files).toMatchObject({ changed: 2, added: 2 });
  const told = await run(["diff", ran.castId, "WI-2", "--name-only", "--artifacts", ARTIFACTS], { cwd });
  expect(told.stdout.trim()).toBe("WI-2.txt");
  const whole = await run(["diff", ran.castId, "--name-only", "--artifacts", ARTIFACTS], { cwd });
  expect(whole.stdout.trim().split("\n")).toEqual(["WI-1.txt", "WI-2.txt"]);
});

it("[V39] quarantined files of an agent's tree are named with their folder", async () => {
  const cwd = repositoryWith({});
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => {
      execFileSync("git", ["init", "-q", "inner"], { cwd: tree });
      writeFiles(tree, { "inner/file.txt": "one\n" });
    },
  };
  const ran = await castIn({ cwd, titles: ["first", "second"], doing });
  const place = join(cwd, ARTIFACTS, ran.castId, "trees", `${ran.castId}_1_WI-1.lost-1`);
  expect((await shown(cwd, ran)).slice(2, 4)).toEqual([
    `      set aside: ${place}`,
    expect.stringContaining(`${ran.castId}_1_WI-2`),
  ]);
  expect(await json(cwd, ran)).toMatchObject({ itemCasts: [{ key: "WI-1", setAside: [place] }, { key: "WI-2" }] });
  expect(existsSync(join(place, "inner/.git/HEAD"))).toBe(true);
});
