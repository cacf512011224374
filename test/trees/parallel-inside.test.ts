import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { castsIn, run, runProcess } from "../harness/cli.ts";
import { workshopPlace } from "../parallel/harness/place.ts";
import { branchOf, otherTrees, viewWithoutCasts } from "./tree-place.ts";

const refs = (cwd: string) => git(cwd, "for-each-ref", "--format=%(refname)").split("\n");
const cast = ["cast", "--worktree", "--trust", "--rehearse", "replies.json"];

it("[YT1] items that run at once inside a separate tree are merged there; diff, restore, fork, take and prune know it", async () => {
  const cwd = workshopPlace();
  const before = viewWithoutCasts(cwd);
  const materia = async (...words: readonly string[]) => {
    const ran = await run(words, { cwd });
    expect([words[0], ran.code, ran.stderr]).toEqual([words[0], 0, expect.any(String)]);
    return ran.stdout;
  };
  await materia(...cast, "do it");
  const [castId = ""] = castsIn(cwd);
  expect(otherTrees(cwd)).toHaveLength(1);
  expect(await materia("diff", castId, "--name-only")).toContain("three.txt");
  const restored = join(cwd, "../restored");
  await materia("restore", castId, "--to", restored);
  expect(readFileSync(join(restored, "same.txt"), "utf8")).toBe("one, two\n");
  git(cwd, "worktree", "remove", "--force", restored);
  await materia("fork", `${castId}@Socket-5#1`, "--rehearse", "replies.json");
  const forkId = castsIn(cwd).find((name) => name !== castId) ?? "";
  await materia("take", castId);
  await materia("take", forkId);
  expect(branchOf(cwd, castId).subjects).toEqual(["c", "b", "a"]);
  expect(branchOf(cwd, forkId).names).toEqual(branchOf(cwd, castId).names);
  await materia("casts", "prune", "--keep", "0", "--yes");
  expect(refs(cwd)).toEqual([
    "refs/heads/main",
    ...[castId, forkId].toSorted().map((id) => `refs/heads/materia/${id}`),
  ]);
  expect(viewWithoutCasts(cwd)).toEqual(before);
});

it("[YT10] an abort during parallel items, and prune, leave no tree and no ref", async () => {
  const tools = [{ name: "bash", arguments: { command: "kill -INT $PPID; sleep 600" } }];
  const cwd = workshopPlace({
    "Build@WI-2": [{ tools, text: "never" }],
    "Build@WI-3": [{ text: "late", delayMs: 3_600_000 }],
  });
  const before = viewWithoutCasts(cwd);
  expect((await runProcess([...cast, "do it"], { cwd })).code).toBe(130);
  expect((await run(["casts", "prune", "--keep", "0", "--yes"], { cwd })).code).toBe(0);
  expect([castsIn(cwd), otherTrees(cwd)]).toEqual([[], []]);
  expect(refs(cwd)).toEqual(["refs/heads/main"]);
  expect(viewWithoutCasts(cwd)).toEqual(before);
});
