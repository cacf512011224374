import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { castsIn, journalOf, newPlace, run } from "../harness/cli.ts";
import { judgedItems } from "../harness/judged-items.ts";

const CONFIG = judgedItems({ build: "Make" });
const NO = { text: '{"satisfied":false,"context":"too small"}' };
const YES = { text: '{"satisfied":true}' };
const REPLIES = {
  replies: {
    Plan: [{ text: '{"workItems":[{"title":"a","context":""},{"title":"b","context":""}]}' }],
    Make: ["1", "2", "3", "4"].map((text) => ({ text })),
    Judge: [NO, NO, YES, YES],
  },
};

let cwd = "";
let castId = "";

beforeEach(async () => {
  cwd = newPlace({ "conf.json": CONFIG, "replies.json": REPLIES });
  await run(["cast", ...HOW, "--loadout", "Main", "x"], { cwd });
  castId = castsIn(cwd)[0] ?? "";
});

const HOW = ["--config", "conf.json", "--rehearse", "replies.json"];

/** What happened since the cast stopped, in short. */
function since(): readonly string[] {
  const events = journalOf(cwd, castId);
  return events.slice(events.findIndex(({ type }) => type === "cast_resumed")).flatMap((event) => {
    if (event.type === "visit_started") return [`${event.materia} ${event.item?.title ?? ""}`];
    if (event.type === "cast_ended") return [event.outcome];
    return event.type === "person_judged" || event.type === "item_given_up" ? [event.type] : [];
  });
}

it("[R6] a result that was sent back too often is accepted as it is", async () => {
  expect((await run(["recast", castId, ...HOW, "--accept"], { cwd })).code).toBe(0);
  expect(since()).toEqual(["person_judged", "Make b", "Judge b", "completed"]);
});

it("[R6] the item is given up, and the next one begins", async () => {
  expect((await run(["status"], { cwd })).stdout).toContain(`recast ${castId} --next`);
  expect((await run(["recast", castId, ...HOW, "--next"], { cwd })).code).toBe(3);
  expect(since()).toEqual(["item_given_up", "Make b", "Judge b", "not_satisfied"]);
});

it("[R6] once more with a hint, which the agent gets before the reason", async () => {
  expect((await run(["recast", castId, ...HOW, "--hint", "take the other wood"], { cwd })).code).toBe(0);
  expect(since()).toEqual(["Make a", "Judge a", "Make b", "Judge b", "completed"]);
  const third = join(cwd, ".pi", "pi-materia", castId, "sockets", "Socket-2", "3", "transcript.jsonl");
  expect(readFileSync(third, "utf8")).toContain("The person you work for says: take the other wood\\n\\ntoo small");
});

it.each([
  ["where nothing was sent back", ["--accept"], "no_rework_decision"],
  ["two at once", ["--accept", "--next"], "use only one of --hint, --accept and --next"],
])("[R7] %s is refused", async (_what, words, said) => {
  const failed = newPlace({ "conf.json": CONFIG, "replies.json": { replies: {} } });
  await run(["link", ...HOW, "Make", "--", "y"], { cwd: failed });
  const { code, stderr } = await run(["recast", ...HOW, ...words], { cwd: failed });
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});
