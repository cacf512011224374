import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as v from "valibot";
import { CastId } from "../../src/core/model/ids.ts";
import type { ItemCastInput } from "../../src/core/cast/state/parallel-run.ts";
import { createGitWorktrees } from "../../src/shell/git/worktrees/git-worktrees.ts";
import {
  castIn,
  git,
  repositoryWith,
  resumeIn,
  writeFiles,
  type ItemAction,
  type Setting,
} from "./harness/repository.ts";

const more = { materia: { Build: { tools: "coding", prompt: "Build." } } };

/** Fails in the second visit of the second item, then loses its working trees. */
async function castWithLostTrees(usual: Setting) {
  const ran = await castIn({ ...usual, judging: { "WI-2": () => ({ fails: "no network" }) } });
  expect(ran.state.phase).toMatchObject({ outcome: "failed" });
  rmSync(join(usual.cwd, ".pi/casts", ran.castId, "trees"), { recursive: true });
  return resumeIn(usual, ran);
}

it("[V44] an item whose tree is gone continues with the files of its last checkpoint", async () => {
  const cwd = repositoryWith({ "first.txt": "one\r\n", "gone.txt": "gone\n", ".gitattributes": "*.txt text\n" });
  const doing: Setting["doing"] = {
    "WI-2": (request) => {
      writeFiles(request.cwd, { "deep/second.txt": "two\r\n" });
      rmSync(join(request.cwd, "gone.txt"));
    },
  };
  const ran = await castWithLostTrees({ cwd, titles: ["a", "b", "c"], doing, more, details: { checkpoints: true } });
  expect([ran.problem, ran.state.phase]).toMatchObject(["", { outcome: "completed" }]);
  expect(git(cwd, "show", "--name-status", "--format=", "HEAD~1").split("\n")).toEqual([
    "A\tdeep/second.txt",
    "D\tgone.txt",
  ]);
  expect(git(cwd, "status", "--porcelain")).toBe("");
});

it("[V44] without checkpoints the cast stops and names the tree that is gone", async () => {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  const ran = await castWithLostTrees({ cwd, titles: ["a", "b", "c"] });
  expect(ran.kind).toBe("broken");
  expect(ran.problem).toContain(`trees/${ran.castId}_1_WI-2 is gone`);
  expect(ran.problem).toContain("fork the cast");
});

it("[V44] finished work that was not stored before its tree was removed is stored from its checkpoint", async () => {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  const trees = () =>
    createGitWorktrees({
      castId: v.parse(CastId, "c"),
      cwd,
      artifacts: join(cwd, ".pi"),
      worktreesFolder: join(cwd, ".pi/trees"),
      pool: join(cwd, ".pi/pool"),
      worktree: {},
      runSetup: async () => undefined,
    });
  const child = v.parse(CastId, "c_1_WI-1");
  const base = git(cwd, "rev-parse", "HEAD");
  const window = { base, tree: null } as ItemCastInput; // the rest is for its cast
  writeFiles(cwd, { "made.txt": "made\n" });
  git(cwd, "add", "-A");
  const checkpoint = git(cwd, "commit-tree", git(cwd, "write-tree"), "-p", base, "-m", "checkpoint");
  git(cwd, "reset", "-q", "--hard");
  const lost = await trees().saveWork({ child, window, title: "a", checkpoint: undefined });
  expect(lost).toMatchObject({ kind: "broken" });
  const saved = await trees().saveWork({ child, window, title: "a", checkpoint });
  expect(saved).toMatchObject({ kind: "kept", files: { changed: 1 } });
  expect(git(cwd, "show", "refs/materia-items/c/c_1_WI-1:made.txt")).toBe("made");
});

it("[V18] the second attempt works in the folder of the first, without what lay there", async () => {
  const cwd = repositoryWith({ "same.txt": "one\n" });
  const folders: string[] = [];
  const doing: ItemAction = {
    "WI-1": (request) => writeFiles(request.cwd, { "same.txt": "ONE\n" }),
    "WI-2": (request) => {
      folders.push(request.cwd);
      writeFiles(request.cwd, { "same.txt": "uno\n" });
      writeFiles(request.cwd, { "ignored.txt": "left", ".gitignore": "ignored.txt\n" });
    },
    "WI-2.2": (request) => {
      folders.push(request.cwd);
      expect(readdirSync(request.cwd)).not.toContain("ignored.txt");
      writeFiles(request.cwd, { "same.txt": "ONE uno\n" });
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(folders).toEqual([folders[0], folders[0]]);
  expect(folders[0]).toMatch(/_1_WI-2$/);
});
