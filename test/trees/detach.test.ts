import { expect, it } from "vitest";
import { journalOf, lastCast, materia, setReplies, writes } from "../git/cast-place.ts";
import { listing } from "../harness/cli.ts";
import { castApart, treePlace } from "./tree-place.ts";

it("[YT8] the id is printed, and a background process runs the cast to its end", async () => {
  const cwd = treePlace();
  const ran = await castApart(cwd, "--detach", "--json");
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ castId: lastCast(cwd) });
  expect((await materia(cwd, ["watch", lastCast(cwd)])).code).toBe(0);
  expect(journalOf(cwd).at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
});

it("[YT8] abort stops it", async () => {
  const cwd = treePlace();
  setReplies(cwd, { Make: [{ ...writes({}), delayMs: 600_000 }] });
  expect((await castApart(cwd, "--detach")).code).toBe(0);
  expect((await materia(cwd, ["abort"])).code).toBe(0);
  expect(journalOf(cwd).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
});

it("[YT8] a refusal comes before it returns, and leaves nothing", async () => {
  const cwd = treePlace();
  const before = listing(cwd);
  const ran = await castApart(cwd, "--detach", "--loadout", "None");
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown_target") });
  expect(listing(cwd)).toEqual(before);
});
