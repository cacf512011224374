import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyWorktreePool } from "../../src/shell/git/worktrees/worktree.ts";
import {
  castIn,
  git,
  eventsOfType,
  repositoryWith,
  writeFiles,
  type ItemAction,
  type Files,
} from "./harness/repository.ts";

/** Long names make the index of a large repository out of few files. */
function manyFiles(): Files {
  const long = "x".repeat(200);
  return Object.fromEntries(Array.from({ length: 650 }, (_, at) => [`${long}-${at}.txt`, `${at}\n`]));
}

it("[V41] in a large repository trees stay for later casts, without files of an item", async () => {
  const cwd = repositoryWith({ ...manyFiles(), ".gitignore": ".pi/\n.env\n" });
  const pool = join(cwd, ".pi/casts/.trees");
  const doing: ItemAction = {
    "WI-1": (request) => writeFiles(request.cwd, { "made.txt": "one\n", ".env": "SECRET=1\n" }),
  };
  const first = await castIn({ cwd, titles: ["a", "b"], lanes: 2, doing });
  expect(first.state.phase).toMatchObject({ outcome: "completed" });
  const left = readdirSync(pool);
  expect(left).toHaveLength(2);
  expect(left.filter((name) => existsSync(join(pool, name, ".env")))).toEqual([]);
  const seen: string[] = [];
  const looks: ItemAction = {
    "WI-1": (request) => {
      seen.push(...[".env", "made.txt"].filter((name) => existsSync(join(request.cwd, name))));
      writeFiles(request.cwd, { "more.txt": "two\n" });
    },
  };
  const second = await castIn({ cwd, titles: ["c", "d"], lanes: 2, doing: looks });
  // What is on the branch by now is there; what git does not keep is not.
  expect(seen).toEqual(["made.txt"]);
  expect(await eventsOfType(second, "item_merged")).toHaveLength(2);
  expect(git(cwd, "status", "--porcelain")).toBe("");
  expect(readdirSync(pool)).toHaveLength(2);
  await emptyWorktreePool(cwd, pool);
  expect(git(cwd, "worktree", "list").split("\n")).toHaveLength(1);
});

it("[V42] a folder among the kept trees that is no tree does not change", async () => {
  const cwd = repositoryWith(manyFiles());
  writeFiles(cwd, { ".pi/casts/.trees/planted/.git": "gitdir: /elsewhere\n", ".pi/casts/.trees/a-file": "mine\n" });
  const ran = await castIn({ cwd, titles: ["a"], lanes: 2 });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(existsSync(join(cwd, ".pi/casts/.trees/planted/.git"))).toBe(true);
});
