import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castHere, lastCast, materia, setReplies } from "../git/cast-place.ts";
import { git } from "../git/scratch.ts";
import { branchOf, castApart, otherTrees, treePlace, viewWithoutCasts } from "./tree-place.ts";

it("[YT6] take commits the work on the branch and frees the tree; a second one changes nothing", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  const castId = lastCast(cwd);
  const before = viewWithoutCasts(cwd);
  const taken = await materia(cwd, ["take", "--json"]);
  const branch = `materia/${castId}`;
  const commit = git(cwd, "rev-parse", `refs/heads/${branch}`);
  expect(JSON.parse(taken.stdout)).toEqual({ castId, branch, commit });
  expect(branchOf(cwd, castId)).toEqual({ subjects: ["do it"], names: [".gitignore", "first.txt", "new.txt"] });
  expect(otherTrees(cwd)).toEqual([]);
  expect(viewWithoutCasts(cwd)).toEqual(before);
  expect((await materia(cwd, ["take", "--json"])).stdout).toBe(taken.stdout);
  git(cwd, "switch", "-q", branch);
});

it("[YT6] take frees the branch of a tree that was removed by hand", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  const branch = `materia/${lastCast(cwd)}`;
  for (const folder of otherTrees(cwd)) rmSync(folder, { recursive: true });
  expect(await materia(cwd, ["take"])).toMatchObject({ code: 0 });
  git(cwd, "switch", "-q", branch);
  expect(otherTrees(cwd)).toEqual([]);
});

it("[YT6] a cast that worked in the person's tree has nothing to take", async () => {
  const cwd = treePlace();
  await castHere(cwd);
  const ran = await materia(cwd, ["take"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("no_own_worktree") });
});

it("[YT7] take --merge moves branch and files", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  writeFileSync(join(cwd, "mine.txt"), "mine\n");
  const ran = await materia(cwd, ["take", "--merge", "--json"]);
  expect(JSON.parse(ran.stdout)).toMatchObject({ merged: "main", commit: git(cwd, "rev-parse", "main") });
  expect(git(cwd, "log", "--format=%s")).toBe("do it\nfirst");
  expect(git(cwd, "status", "--porcelain")).toBe("?? mine.txt");
});

it("[YT7] a conflict is refused, and nothing changes", async () => {
  const cwd = treePlace({ "first.txt": "theirs\n" });
  await castApart(cwd);
  writeFileSync(join(cwd, "first.txt"), "mine\n");
  git(cwd, "commit", "-qam", "mine");
  const before = viewWithoutCasts(cwd);
  const ran = await materia(cwd, ["take", "--merge"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("it conflicts with main in first.txt") });
  expect(viewWithoutCasts(cwd)).toEqual(before);
});

it("[YT7] a file of the person that would be overwritten is refused, and nothing changes", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  writeFileSync(join(cwd, "new.txt"), "mine\n");
  const before = viewWithoutCasts(cwd);
  const ran = await materia(cwd, ["take", "--merge"]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("new.txt") });
  expect(viewWithoutCasts(cwd)).toEqual(before);
});

it("[YT6] a branch that was moved back after a take is never called taken without the work", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  const castId = lastCast(cwd);
  await materia(cwd, ["take"]);
  git(cwd, "branch", "-f", `materia/${castId}`, "main");
  expect((await materia(cwd, ["take", "--merge"])).code).toBe(0);
  expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("new\n");
});

it("[YT6] a cast that failed in its first visit has what it left in its tree", async () => {
  const cwd = treePlace();
  const tools = [{ name: "write", arguments: { path: "half.txt", content: "half\n" } }];
  setReplies(cwd, { Make: [{ tools, error: "provider" }] });
  expect((await castApart(cwd)).code).toBe(1);
  expect((await materia(cwd, ["take"])).code).toBe(0);
  expect(branchOf(cwd, lastCast(cwd)).names).toContain("half.txt");
});
