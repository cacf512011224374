import { expect, it } from "vitest";
import { lineText } from "../../src/core/view/text/line.ts";
import { itemsAtWork, watched } from "../parallel/harness/at-work.ts";

it("[V15, X40] the tokens of items count while their agents still write, each its own, and as the model tells them then", async () => {
  const atWork = await itemsAtWork(["a small hut", "a garden"]);
  const watch = watched(atWork);
  const tokens = (): readonly string[] =>
    watch.picture.lines(100).flatMap((each) => / · (\S+) tokens/.exec(lineText(each))?.[1] ?? []);
  const states = [1, 2].map((item) => {
    const found = atWork.steps.findLast(({ after }) => after.castId.endsWith(`_WI-${item}`));
    if (!found) throw new Error(`no step of item ${item}`);
    return found.after;
  });
  const [hut, garden] = states;
  if (!hut || !garden) throw new Error("two items are at work");
  const total = Number(tokens()[0]);
  for (let piece = 0; piece < 100; piece += 1) watch.onItemProgress({ kind: "text", delta: "four" }, hut);
  watch.onItemProgress({ kind: "thinking", delta: "x".repeat(80) }, garden);
  expect(tokens()).toEqual([String(total + 120), "100", "20"]);
  watch.onItemProgress({ kind: "used", usage: { input: 200, output: 90, cost: 0 } }, hut);
  expect(tokens()).toEqual([String(total + 310), "290", "20"]);
  watch.onItemProgress({ kind: "text", delta: "x".repeat(40) }, hut);
  expect(tokens()).toEqual([String(total + 320), "300", "20"]);
});
