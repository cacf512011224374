import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { journalOf, lastCast, materia } from "../git/cast-place.ts";
import { git, namesIn, plantInnerRepository } from "../git/scratch.ts";
import { castFile, castsIn, jsonOf, listing, newPlace } from "../harness/cli.ts";
import { castApart, otherTrees, treePlace, viewWithoutCasts } from "./tree-place.ts";

it("[YT1, YT5] a cast works in its own tree, on its own branch, and nothing of the person changes", async () => {
  const cwd = treePlace();
  writeFileSync(join(cwd, "first.txt"), "edited\n");
  const before = viewWithoutCasts(cwd);
  expect((await castApart(cwd)).code).toBe(0);
  const castId = lastCast(cwd);
  const tree = castFile(cwd, castId, "trees", castId);
  expect(otherTrees(cwd)).toEqual([tree]);
  expect(git(tree, "symbolic-ref", "HEAD")).toBe(`refs/heads/materia/${castId}`);
  expect(existsSync(join(tree, "new.txt"))).toBe(true);
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
  expect(viewWithoutCasts(cwd)).toEqual(before);
  const ref = `refs/materia-items/${castId}/checkpoints`;
  expect(namesIn(cwd, ref)).toEqual([".gitignore", "first.txt", "new.txt"]);
  expect(git(cwd, "for-each-ref", "refs/materia")).toBe("");
  expect(git(cwd, "show", `${ref}:first.txt`)).toBe("first");
  expect((await materia(cwd, ["diff", "--name-only"])).stdout).toBe("new.txt\n");
});

it("[YT6] a note at the start and its status say how to bring the work home", async () => {
  const cwd = treePlace();
  const { stderr } = await castApart(cwd);
  const take = `"materia take ${lastCast(cwd)}" brings its work home`;
  expect(stderr).toContain(`note: ${take}`);
  expect((await materia(cwd, ["status"])).stdout).toContain(take);
});

it("[YT2] it starts from HEAD, with --with-changes from the files as they are", async () => {
  const cwd = treePlace();
  writeFileSync(join(cwd, "first.txt"), "edited\n");
  writeFileSync(join(cwd, "untracked.txt"), "u\n");
  writeFileSync(join(cwd, "ignored.txt"), "i\n");
  git(cwd, "add", "first.txt");
  const before = viewWithoutCasts(cwd);
  expect((await castApart(cwd, "--with-changes")).code).toBe(0);
  const castId = lastCast(cwd);
  expect(viewWithoutCasts(cwd)).toEqual(before);
  const { ownWorktree } = jsonOf(castFile(cwd, castId, "cast.json")) as { ownWorktree: { base: string } };
  expect(git(cwd, "log", "--format=%s", ownWorktree.base)).toBe("Uncommitted changes\nfirst");
  expect(namesIn(cwd, ownWorktree.base)).toEqual([".gitignore", "first.txt", "untracked.txt"]);
  expect(git(cwd, "show", `${ownWorktree.base}:first.txt`)).toBe("edited");
  expect((await materia(cwd, ["diff", "--name-only"])).stdout).toBe("new.txt\n");
});

it("[YT2, V47] --with-changes runs no program of a repository that only the index names", async () => {
  const cwd = treePlace();
  const trap = join(cwd, "..", "trap");
  plantInnerRepository(cwd, trap);
  const { code, stderr } = await castApart(cwd, "--with-changes");
  expect([code, existsSync(trap)]).toEqual([2, false]);
  expect(stderr).toContain("it has submodules");
});

it("[YT2] without a repository it is refused with a way out, and nothing is left", async () => {
  const cwd = newPlace({});
  const before = listing(cwd);
  const ran = await materia(cwd, ["cast", "--worktree", "do it"]);
  expect(ran.code).toBe(2);
  expect(listing(cwd)).toEqual(before);
});

it("[YT3] a cast in its own tree runs while another one works in the person's tree", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  await castApart(cwd);
  expect(castsIn(cwd)).toHaveLength(2);
  expect(otherTrees(cwd)).toHaveLength(2);
});

it("[YT4] a tree that cannot be set up fails the cast with the reason, and a resume tries again", async () => {
  const setup = ["sh", "-c", "test -e ../../../../../ready || { echo no network >&2; exit 1; }"];
  const cwd = treePlace({ "new.txt": "new\n" }, { worktree: { setup } });
  expect((await castApart(cwd)).code).toBe(1);
  expect(journalOf(cwd).at(-1)).toMatchObject({ type: "cast_ended", outcome: "failed" });
  expect(JSON.stringify(journalOf(cwd).at(-1))).toContain("no network");
  writeFileSync(join(cwd, "ready"), "");
  expect((await materia(cwd, ["recast"])).code).toBe(0);
  expect((await materia(cwd, ["diff", "--name-only"])).stdout).toBe("new.txt\n");
});
