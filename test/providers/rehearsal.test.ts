import { expect, it } from "vitest";
import { castsIn, journalOf, newPlace, put, run } from "../harness/cli.ts";

const loadouts = { T: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } };
const write = { name: "write", arguments: { path: "a.txt", content: "hi" } };

function place(replies: readonly object[], materia: object = {}, limits: object = { maxRetryAfter: "1s" }): string {
  const build = { prompt: "Build.", tools: "coding", ...materia };
  const conf = { activeLoadout: "T", limits, materia: { Build: build }, loadouts };
  return newPlace({ "conf.json": conf, "replies.json": { replies: { Build: replies } } });
}

const cast = ["cast", "--config", "conf.json", "--rehearse", "replies.json", "x"];

it("[Z10, Z4] a limit pauses with exit code 75, and recast continues after the tools that ran", async () => {
  const cwd = place([{ tools: [write], error: "limit", resetMs: 7_200_000 }, { text: "done" }]);
  const first = await run(cast, { cwd });
  expect([first.code, first.stdout]).toEqual([75, expect.stringContaining("limit, resets")]);
  const listed = await run(["casts", "--json"], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ status: "paused", asleep: { provider: "rehearsal" } }]);
  const status = await run(["status", "--json"], { cwd });
  expect(JSON.parse(status.stdout)).toMatchObject({ status: "paused", asleep: { model: "rehearsal/script" } });
  const again = await run(["recast", "--config", "conf.json"], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("done")]);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId).map(({ type }) => type)).toEqual([
    "cast_started",
    "visit_started",
    "cast_sleeping",
    "cast_resumed",
    "output_accepted",
    "visit_completed",
    "edge_taken",
    "cast_ended",
  ]);
});

it("[Z10, Z2] a short limit is a retry", async () => {
  const cwd = place([{ error: "limit", resetMs: 1 }, { text: "done" }]);
  const ran = await run(cast, { cwd });
  expect(ran.code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId)).toContainEqual(expect.objectContaining({ type: "turn_retried", delayMs: 1 }));
});

it("[Z10, Z8] the next model of a list continues in the middle of a turn", async () => {
  const cwd = place([{ tools: [write], error: "quota" }, { text: "done" }], { model: ["a/x", "b/y"] });
  const ran = await run(cast, { cwd });
  expect(ran.code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  expect(journalOf(cwd, castId)).toContainEqual(
    expect.objectContaining({ type: "model_switched", from: "a/x", to: "b/y", until: null }),
  );
  expect(journalOf(cwd, castId)).toContainEqual(expect.objectContaining({ type: "visit_completed", model: "b/y" }));
});

it("[Z10, Z5] a quota stops at once and says what to do", async () => {
  const ran = await run([...cast, "--wait", "8h"], { cwd: place([{ error: "quota" }]) });
  expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining("add credit")]);
});

it.each([
  [["--wait", "soon"], "--wait needs a duration"],
  [["--wait", "-3h"], "--wait needs a duration"],
  [["--model", "a/x,a/x"], "none empty or twice"],
  [["--model", "a/x,,b/y"], "none empty or twice"],
])("[Z8] %j is refused before the cast exists", async (options, said) => {
  const cwd = place([{ text: "done" }]);
  const ran = await run([...cast, ...options], { cwd });
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(castsIn(cwd)).toEqual([]);
});

it.each([
  [{ model: [] }, "is empty"],
  [{ model: ["a/x", "a/x"] }, "none empty or twice"],
  [{ model: [""] }, "none empty or twice"],
])("[Z8] the model list %j is refused", async (materia, said) => {
  const ran = await run(["check", "--config", "conf.json"], { cwd: place([], materia) });
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining(said)]);
});

it.each([{ maxRetryAfter: "soon" }, { waitForProvider: -1 }, { waitForProvider: "8 parsecs" }])(
  "[Z6] the limit %j is refused",
  async (limits) => {
    const ran = await run(["check", "--config", "conf.json"], { cwd: place([], {}, limits) });
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/duration|negative/)]);
  },
);

it("[Z10] resetMs needs the error limit", async () => {
  const ran = await run(cast, { cwd: place([{ text: "x", resetMs: 5 }]) });
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("resetMs")]);
});

it("[T49, Z10] a test of a loadout waits neither for a retry nor through a sleep", async () => {
  const replies = [{ error: "limit", resetMs: 240_000 }, { error: "limit", resetMs: 7_200_000 }, { text: "done" }];
  const cwd = place(replies, {}, { waitForProvider: "8h" });
  const expectation = { outcome: "completed", path: ["Build"] };
  const test = { cast: { request: "x" }, config: "conf.json", replies: { Build: replies }, expect: expectation };
  put(cwd, { "a.json": test });
  const ran = await run(["test", "a.json"], { cwd });
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("1 passed")]);
});
