import { describe, expect, it } from "vitest";
import { castsIn, journalOf, newPlace, runProcess } from "../harness/cli.ts";
import { castOnce, typesOf } from "../harness/effects.ts";
import { movedClock } from "../harness/moved-clock.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { graph, said, seat } from "../harness/seats.ts";

const LIMIT = { error: "limit", resetMs: 7_200_000 };
const conf = ["--config", "conf.json"];

/** None before the cast has begun. */
function eventsIn(cwd: string): readonly string[] {
  try {
    return castsIn(cwd).flatMap((castId) => journalOf(cwd, castId).map(({ type }) => type));
  } catch {
    return [];
  }
}

/** A cast that sleeps in one process; other commands run in others. */
async function asleep(...replies: readonly object[]) {
  const loadouts = { T: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } };
  const materia = { Build: { prompt: "Build." } };
  const cwd = newPlace({
    "conf.json": { activeLoadout: "T", materia, loadouts },
    "replies.json": { replies: { Build: [LIMIT, ...replies] } },
  });
  const beside = (...args: readonly string[]) => runProcess(args, { cwd });
  const ran = beside("cast", ...conf, "--rehearse", "replies.json", "--wait", "8h", "x");
  await until(() => eventsIn(cwd).includes("cast_sleeping"));
  return { cwd, ran, beside };
}

describe("a cast that sleeps in another process", () => {
  it("[Z4] is woken by recast with a larger budget, and its former process leaves it", async () => {
    const { cwd, ran, beside } = await asleep({ text: "done" });
    const woken = await beside("recast", ...conf, "--budget", "5000");
    expect([woken.code, woken.stdout]).toEqual([0, expect.stringContaining("done")]);
    expect((await ran).code).toBe(75);
    expect(eventsIn(cwd).slice(2, 6)).toEqual(["cast_sleeping", "limits_raised", "cast_resumed", "output_accepted"]);
  });

  it("[Z4] is not woken while another process drives it", async () => {
    const { cwd, ran, beside } = await asleep({ text: "late", delayMs: 600_000 });
    const driving = beside("recast", ...conf);
    await until(() => eventsIn(cwd).includes("cast_resumed"));
    expect((await ran).code).toBe(75);
    const refused = await beside("recast", ...conf, String(castsIn(cwd)[0]));
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("cast_owned")]);
    expect((await beside("abort")).code).toBe(0);
    expect((await driving).code).toBe(130);
    expect(eventsIn(cwd).filter((type) => type === "cast_resumed")).toHaveLength(1);
  });

  it("[Z4] is ended by an abort", async () => {
    const { cwd, ran, beside } = await asleep();
    expect((await beside("abort")).code).toBe(0);
    expect((await ran).code).toBe(130);
    expect(eventsIn(cwd).at(-1)).toBe("cast_ended");
  });
});

it.each([
  ["none", { input: 0, output: 0, cost: 0 }, 0],
  ["negative", { input: -5_000, output: -1, cost: -3 }, 0],
  ["not a number", { input: Number.NaN, output: 7, cost: Number.NaN }, 7],
  ["endless", { input: Infinity, output: 7, cost: Infinity }, 7],
])("[Z3] a refused turn whose usage is %s counts soundly", async (_, usage, counted) => {
  const refusal = {
    kind: "failed",
    reason: "provider",
    message: "429 try again in 2 hours",
    usage,
    model: "a/x",
  } as const;
  const answers = [refusal];
  const { end, events } = await castOnce(
    graph({ "Socket-1": seat("Build") }, { limits: { waitForProvider: 9_000_000 } }),
    () => answers.shift() ?? said("done"),
    movedClock(),
  );
  expect(typesOf(events)).toContain("cast_sleeping");
  expect(end.state.phase).toMatchObject({ outcome: "completed" });
  // The second turn has 3 and 2.
  expect(end.state.usage.input + end.state.usage.output).toBe(counted + 5);
});
