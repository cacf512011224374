import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitWorktree } from "../../src/shell/git/worktrees/save-item.ts";
import { findItemRepository } from "../../src/shell/git/worktrees/item-repository.ts";
import { git, newRepository } from "../git/scratch.ts";

it("[V8] a change of the same length in the very moment of the checkout is kept", async () => {
  const cwd = newRepository();
  const moment = new Date("2026-01-02T03:04:05Z");
  // git takes the time of its index for the moment until which it has seen everything.
  git(cwd, "config", "core.trustctime", "false");
  const first = join(cwd, "first.txt");
  utimesSync(first, moment, moment);
  git(cwd, "update-index", "--refresh");
  utimesSync(join(cwd, ".git", "index"), moment, moment);
  writeFileSync(first, "ONE\n");
  utimesSync(first, moment, moment);
  const opened = await findItemRepository(cwd);
  if ("kind" in opened) throw new Error(opened.problem);
  const base = git(cwd, "rev-parse", "HEAD");
  const kept = await commitWorktree(opened, { folder: cwd, base, title: "a", cachedWorktree: undefined });
  expect(kept).toMatchObject({ kind: "kept" });
  expect(kept.kind === "kept" && git(cwd, "show", `${kept.commit}:first.txt`)).toBe("ONE");
});
