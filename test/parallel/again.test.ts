import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fuzzGraph, fuzzSubject } from "../../src/core/testing/fuzz.ts";
import { castsIn, journalOf, readText, run } from "../harness/cli.ts";
import { compiled, startOf, type TestConfig } from "../harness/play.ts";
import { workshopPlace as place } from "./harness/place.ts";
import { parallelWorkshop } from "./harness/scenarios.ts";

async function castOnce(cwd: string): Promise<string> {
  await run(["cast", "--trust", "--rehearse", "replies.json", "do it"], { cwd });
  const [castId = ""] = castsIn(cwd);
  return castId;
}

it("[V22] a recorded test has what was said in items under their keys, and takes the same path", async () => {
  const cwd = place({});
  const castId = await castOnce(cwd);
  const file = join(cwd, "..", "recorded.json");
  expect((await run(["record", castId, file], { cwd })).code).toBe(0);
  const { replies } = JSON.parse(readFileSync(file, "utf8")) as { readonly replies: Record<string, unknown> };
  expect(Object.keys(replies).filter((key) => key.startsWith("Build"))).toEqual([
    "Build@WI-1",
    "Build@WI-2",
    "Build@WI-3",
    "Build@WI-2.2",
  ]);
  const { code, stdout } = await run(["test", file], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining("Tests  1 passed")]);
});

it("[V22] a fork in the middle of items begins before all of them, and the first cast stays as it is", async () => {
  const cwd = place({ "Build@WI-2": [{ error: "provider" }] });
  const castId = await castOnce(cwd);
  const before = journalOf(cwd, castId);
  expect(before.at(-1)).toMatchObject({ type: "cast_ended", outcome: "failed" });
  const child = join(cwd, ".pi/pi-materia", castId, "items", `${castId}_1_WI-2`, "journal.jsonl");
  const childBefore = readText(child);
  const plan = await run(["fork", castId, "--plan", "--json"], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ reused: ["Socket-1#1"], anew: [{ visit: "the items of each" }] });
  await run(["fork", castId, "--rehearse", "replies.json"], { cwd });
  const fork = castsIn(cwd).find((id) => id !== castId) ?? "";
  const begun = journalOf(cwd, fork).filter(({ type }) => type === "item_started");
  expect(begun.map((event) => "child" in event && event.child)).toContain(`${fork}_1_WI-1`);
  expect([journalOf(cwd, castId), readText(child)]).toEqual([before, childBefore]);
});

it("[P19] what an item left open is open still after its conflict, and the builder that merges is reminded", async () => {
  const tools = [{ name: "write", arguments: { path: "same.txt", content: "two\n" } }];
  const materia = { Build: { tools: "coding", prompt: "Build.", conversation: "item" } };
  const cwd = place({ "Build@WI-2": [{ tools, text: "Built.\nOpen: not run on Windows." }] }, { materia });
  const castId = await castOnce(cwd);
  const folder = join(cwd, ".pi/pi-materia", castId, "items", `${castId}_1_WI-2_2`);
  const point = { socket: "Socket-2", materia: "Build", item: "b", text: "not run on Windows." };
  expect(JSON.parse(readText(join(folder, "cast.json")))).toMatchObject({ window: { previous: { open: [point] } } });
  expect(readText(join(folder, "sockets/Socket-2/1/prompt.md"))).toContain(
    "Name again in your answer what is still open.",
  );
});

it("[V22] the cast of an item is neither forked nor recorded by itself", async () => {
  const cwd = place({});
  const castId = await castOnce(cwd);
  for (const command of ["fork", "record"]) {
    const { code, stderr } = await run([command, `${castId}_1_WI-1`], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`this cast is one item of ${castId}`)]);
  }
});

it("[T14] a cast whose items were worked on at once, with a conflict, replays to its own journal, and so do its items", async () => {
  const cwd = place({});
  const castId = await castOnce(cwd);
  const ids = [castId, ...["WI-1", "WI-2", "WI-2_2"].map((item) => `${castId}_1_${item}`)];
  for (const id of ids) {
    const { code, stdout } = await run(["replay", id, "--json"], { cwd });
    expect([code, JSON.parse(stdout)]).toEqual([0, { castId: id, same: true, differences: [] }]);
  }
});

it("[T32] parallel items are fuzzed as separate casts, without a fault and with everything reached", () => {
  const config = parallelWorkshop(3);
  const { findings, missing, outcomes, conflicts } = fuzzGraph(fuzzSubject(startOf(config), compiled(config).flow), {
    casts: 3_000,
    seed: 3,
    items: 4,
  });
  expect(findings.filter(({ fault }) => fault)).toEqual([]);
  expect(missing).toEqual([]);
  expect(conflicts).toBeGreaterThan(300);
  expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(["completed", "not_satisfied", "failed"]));
});

it("[T32] conflicts come from the seed, and the limit is found in a loop that gives no item up", () => {
  const text = JSON.stringify(parallelWorkshop(3, { limits: { maxConflicts: 1 } })).replaceAll(',"then":"next"', "");
  const config = JSON.parse(text) as TestConfig; // as it was written
  const once = () =>
    fuzzGraph(fuzzSubject(startOf(config), compiled(config).flow), { casts: 1_000, seed: 3, items: 3 });
  const found = once().findings.find(({ what }) => what === "limit maxConflicts at Socket-2");
  expect(found?.smallest.choices.filter(({ by, satisfied }) => by === "merge" && !satisfied)).toHaveLength(2);
  expect(once()).toEqual(once());
});
