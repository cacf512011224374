import { expect, it, onTestFinished, vi } from "vitest";
import { watchCast } from "../../src/shell/casting/watch.ts";
import { castsIn, newPlace, run } from "../harness/cli.ts";
import { newPlace as newLife } from "../parallel/harness/lives.ts";
import { parallelWorkshop } from "../parallel/harness/scenarios.ts";

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

it("[C33] whose process was killed drives a cast no more, though nothing says so", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { store, file, giveUp } = newLife({ config: parallelWorkshop(1), deed: () => ({ text: "" }) });
  await store.create({ file }, {});
  const cast = await store.load(file.castId);
  if (!cast.ok) throw new Error(JSON.stringify(cast.issues));
  const watching = watchCast(store, cast.value, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(3_000);
  giveUp();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await watching).toMatchObject({ ok: true, value: { kind: "paused" } });
  expect(vi.getTimerCount()).toBe(0);
});
