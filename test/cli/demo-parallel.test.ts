import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { spansIn } from "../harness/collector.ts";
import { type Ran, castsIn, journalOf, newPlace, run } from "../harness/cli.ts";

let demo: Ran;
let repository: string;

beforeAll(async () => {
  const cwd = newPlace();
  demo = await run(["demo", "--parallel"], { cwd });
  const scratch = join(dirname(cwd), "tmp");
  const [name = ""] = readdirSync(scratch).filter((folder) => folder.startsWith("materia-demo-"));
  repository = join(scratch, name, "slugline");
});

const git = (...args: readonly string[]) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8" });

it("[C35] three items begin at once, the second is done again on the first, and the fourth waits for all", () => {
  expect([demo.code, demo.stdout]).toEqual([0, expect.stringContaining("✓ completed  Parallel-Auto")]);
  const [castId = ""] = castsIn(repository);
  const events = journalOf(repository, castId).filter(({ type }) => /^(item|loop)_(?!entered|exhausted)/.test(type));
  const told = events.map((event) => ("index" in event ? `${event.type} ${Number(event.index) + 1}` : event.type));
  expect(told.slice(0, 4)).toEqual(["loop_forked", "item_started 1", "item_started 2", "item_started 3"]);
  expect(told.filter((each) => /merged|conflicted/.test(each))).toEqual([
    "item_merged 1",
    "item_conflicted 2",
    "item_merged 2",
    "item_merged 3",
    "item_merged 4",
  ]);
  expect(told.indexOf("item_started 4")).toBe(told.indexOf("item_merged 3") + 1);
});

it("[C35] the commits of all of them stand on the branch in order, the tests pass, and nothing is left lying about", () => {
  expect(git("log", "--format=%s", "--reverse").trim().split("\n")).toEqual([
    "A small project to work on",
    "feat: limit the length of a slug",
    "feat: choose the separator of a slug",
    "feat: read titles from standard input",
    "docs: tell of the new options",
  ]);
  expect(git("status", "--porcelain")).toBe("");
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(execFileSync(process.execPath, ["--test"], { cwd: repository, encoding: "utf8" })).toMatch(/fail 0/);
});

it("[C35] its replies are played to the last, and every tool does what it is meant to", () => {
  expect(demo.stderr).not.toContain("note: rehearsal");
});

it("[TM2] all items and their attempts are one trace below the span of the cast", async () => {
  const exported = await run(["export", "--json"], { cwd: repository });
  const spans = spansIn(JSON.parse(exported.stdout));
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const [root] = spans;
  const items = spans.filter(({ name }) => name.startsWith("invoke_workflow")).slice(1);
  expect(items.map(({ parentSpanId }) => parentSpanId)).toEqual(Array.from({ length: 5 }, () => root?.spanId));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});
