import { expect, it } from "vitest";
import { castsIn, newPlace, run } from "../harness/cli.ts";

const REHEARSAL = { replies: { Build: [{ text: "the hut stands" }] } };

it("[C33] watch shows how a cast ends, exits like it, and takes the newest where none is named", async () => {
  const cwd = newPlace({ "replies.json": REHEARSAL });
  await run(["link", "Build", "--rehearse", "replies.json", "--", "a hut"], { cwd });
  const [castId = ""] = castsIn(cwd);
  for (const args of [["watch"], ["watch", castId]]) {
    const { code, stdout } = await run(args, { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("the hut stands");
  }
});

it("[C33] watch of a cast that nobody drives says so and ends", async () => {
  const cwd = newPlace({ "replies.json": { replies: { "Interactive-Plan": [{ text: "Wood or stone?" }] } } });
  await run(["link", "Interactive-Plan", "--rehearse", "replies.json", "--", "a hut"], { cwd });
  expect((await run(["watch"], { cwd })).code).toBe(4);
});
