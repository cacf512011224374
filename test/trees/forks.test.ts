import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castHere, lastCast, materia, setReplies, writes } from "../git/cast-place.ts";
import { git } from "../git/scratch.ts";
import { castFile, castsIn } from "../harness/cli.ts";
import { branchOf, castApart, otherTrees, treePlace, viewWithoutCasts } from "./tree-place.ts";

const edge = (to: string) => [{ to, when: "always" }];
const TWO = {
  loadouts: {
    Small: {
      entry: "Socket-1",
      sockets: { "Socket-1": { materia: "Make", edges: edge("Socket-2") }, "Socket-2": { materia: "Ask" } },
    },
  },
};

it("[YT9] a fork of a cast with a separate tree gets its own, with the files of that visit", async () => {
  const cwd = treePlace({ "new.txt": "new\n" }, TWO);
  setReplies(cwd, { Make: [writes({ "new.txt": "new\n" })], Ask: [{ text: "ok" }] });
  await castApart(cwd);
  const before = viewWithoutCasts(cwd);
  expect((await materia(cwd, ["fork", "last@Socket-2"])).code).toBe(0);
  const [, fork = ""] = castsIn(cwd);
  expect(existsSync(castFile(cwd, fork, "trees", fork, "new.txt"))).toBe(true);
  expect(viewWithoutCasts(cwd)).toEqual(before);
  expect((await materia(cwd, ["take", fork])).code).toBe(0);
  expect(branchOf(cwd, fork)).toMatchObject({ subjects: ["do it"], names: [".gitignore", "first.txt", "new.txt"] });
  expect((await materia(cwd, ["fork", "last@Socket-2", "--here"])).stderr).toContain("bad_option");
});

it("[YT9] recast --worktree continues a cast of the person's tree in a separate one", async () => {
  const cwd = treePlace({ "new.txt": "new\n" }, TWO);
  setReplies(cwd, {
    Make: [writes({ "new.txt": "new\n" })],
    Ask: [{ error: "quota" }, { text: "ok" }, { text: "ok" }],
  });
  expect((await castHere(cwd)).code).not.toBe(0);
  git(cwd, "clean", "-fdq");
  expect((await materia(cwd, ["recast", "--worktree"])).code).toBe(0);
  const fork = lastCast(cwd);
  expect(otherTrees(cwd)).toEqual([castFile(cwd, fork, "trees", fork)]);
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
  await materia(cwd, ["take", fork]);
  expect(branchOf(cwd, fork).names).toContain("new.txt");
});

it("[YT10] prune keeps untaken work on its branch, and removes the tree", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  const castId = lastCast(cwd);
  expect((await materia(cwd, ["casts", "prune", "--keep", "0", "--yes"])).code).toBe(0);
  expect(castsIn(cwd)).toEqual([]);
  expect(otherTrees(cwd)).toEqual([]);
  expect(branchOf(cwd, castId)).toMatchObject({ subjects: ["do it"] });
  expect(git(cwd, "for-each-ref", "refs/materia-items")).toBe("");
});

it("[YT10] prune removes the branch whose commits another branch has", async () => {
  const cwd = treePlace();
  await castApart(cwd);
  await materia(cwd, ["take", "--merge"]);
  await materia(cwd, ["casts", "prune", "--keep", "0", "--yes"]);
  expect(git(cwd, "for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main");
});
