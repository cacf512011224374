import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { castIn, git, repositoryWith, resumeIn, writeFiles, type ItemAction } from "./harness/repository.ts";

it("[V42] in a moved project items continue in their own trees, with their work", async () => {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  const titles = ["a", "b", "c"];
  const failing: ItemAction[string] = (request) => {
    writeFiles(request.cwd, { "half.txt": "half\n" });
    return { fails: "no network" };
  };
  const ran = await castIn({ cwd, titles, doing: { "WI-2": failing } });
  expect(ran.state.phase).toMatchObject({ outcome: "failed" });
  const moved = `${cwd} moved`;
  renameSync(cwd, moved);
  const found: boolean[] = [];
  const looking: ItemAction[string] = (request) => {
    found.push(existsSync(join(request.cwd, "half.txt")));
    writeFiles(request.cwd, { "WI-2.txt": "WI-2\n" });
  };
  const setting = { cwd: moved, titles, doing: { "WI-2": looking } };
  const again = await resumeIn(setting, { ...ran, store: fileStore(join(moved, ".pi/casts")) });
  expect([again.problem, again.state.phase]).toMatchObject(["", { outcome: "completed" }]);
  expect(found).toEqual([true]);
  expect(git(moved, "log", "--format=%s", "--reverse").split("\n")).toEqual(["first", "a", "b", "c"]);
  expect(git(moved, "show", "--name-only", "--format=", "HEAD~1").split("\n")).toEqual(["WI-2.txt", "half.txt"]);
  expect(git(moved, "worktree", "list").split("\n")).toHaveLength(1);
});
