import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSharedLimits } from "../../src/shell/config/shared-limits.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { exitCodeFor } from "../../src/shell/casting/prepared-cast.ts";
import type { SharedLimits, TurnOutcome } from "../../src/shell/ports.ts";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { modelsFile, piFolder } from "../harness/agents.ts";
import { envOf, newPlace, userFolder } from "../harness/cli.ts";
import { castOnce, typesOf } from "../harness/effects.ts";
import { clockText, retryText } from "../../src/core/view/numbers.ts";
import { CLOCK_START, movedClock } from "../harness/moved-clock.ts";
import { graph, said, seat, world } from "../harness/seats.ts";

const HOUR = 3_600_000;
const LIMIT: TurnOutcome = {
  kind: "failed",
  reason: "provider",
  message: "429 usage limit, try again in 2 hours",
  usage: { input: 0, output: 0, cost: 0 },
  model: "a/x",
};

function config(model: string, waitForProvider = 0) {
  const materia = { Build: { prompt: "Build.", model } };
  return graph({ "Socket-1": seat("Build") }, { materia, limits: { waitForProvider } });
}

function project(): { readonly limits: SharedLimits; readonly folder: string } {
  const cwd = newPlace({});
  return { limits: openSharedLimits(envOf(cwd), cwd, undefined), folder: join(userFolder(cwd), "provider-limits") };
}

/** A cast that has met the limit, and the next cast of the same project. */
async function twoCasts(second: ReturnType<typeof config>, limits = project().limits) {
  await castOnce(config("a/x"), () => LIMIT, { ...movedClock(), limits });
  return castOnce(second, () => said("done"), { ...movedClock(), limits });
}

describe("casts of one project that meet the same limit", () => {
  it("[Z17] the second asks nobody, and sleeps until the same time", async () => {
    const { asked, events, end } = await twoCasts(config("a/x", 9 * HOUR));
    expect(typesOf(events).slice(1, 4)).toEqual(["visit_started", "cast_sleeping", "cast_woken"]);
    expect(events[2]).toMatchObject({
      until: new Date(CLOCK_START + 2 * HOUR).toISOString(),
      reason: expect.stringContaining("refused for another cast: 429 usage limit"),
    });
    expect(asked.map(({ history }) => history)).toEqual(["fresh"]);
    expect(exitCodeFor(end)).toBe(0);
  });

  it("[Z17] without permission to wait it is paused, and recast asks at once", async () => {
    const { limits } = project();
    const { asked, end } = await twoCasts(config("a/x"), limits);
    expect([asked.length, exitCodeFor(end)]).toEqual([0, 75]);
    const clock = movedClock();
    clock.move(1_000);
    const again = await runCast(
      end.state,
      world(() => said("done"), { ...clock, limits }),
      {
        cwd: "/project",
        signal: new AbortController().signal,
        firstEvents: [{ type: "cast_resumed", by: "materia recast" }],
      },
    );
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
    // The model answers again: nobody else has to wait.
    expect(await limits.find("a/x", CLOCK_START + 2_000)).toBeUndefined();
  });

  it("[Z17] another model of the list answers at once", async () => {
    const { asked } = await twoCasts(config("a/x,b/y"));
    expect(asked.map(({ model }) => model)).toEqual(["b/y"]);
  });

  it("[Z17] a model that another cast found refused is not the next one", async () => {
    const { limits } = project();
    await castOnce(config("a/x"), () => LIMIT, { ...movedClock(), limits });
    const refusals = [{ ...LIMIT, message: "429 usage limit, try again in 3 hours", model: "b/y" }];
    const { asked, events } = await castOnce(config("b/y,a/x", 9 * HOUR), () => refusals.shift() ?? said("done"), {
      ...movedClock(),
      limits,
    });
    expect(asked.map(({ model }) => model)).toEqual(["b/y", "a/x"]);
    expect(events.find(({ type }) => type === "cast_sleeping")).toMatchObject({ model: "a/x" });
  });

  it("[Z17] a short retry is nothing to share", async () => {
    const { limits } = project();
    const short = [{ ...LIMIT, message: "429 rate limit, try again in 20s" }];
    await castOnce(config("a/x"), () => short.shift() ?? said("done"), { ...movedClock(), limits });
    expect(await limits.find("a/x", CLOCK_START)).toBeUndefined();
  });
});

describe("the file of a limit", () => {
  const limit = (until: number, metAt = CLOCK_START) => ({ until, metAt, reason: "429" });

  it.each([
    ["not JSON", "{"],
    ["another shape", '{"until":"tomorrow"}'],
    ["over", JSON.stringify(limit(CLOCK_START - 1))],
    ["in a year", JSON.stringify(limit(CLOCK_START + 365 * 24 * HOUR))],
    ["of a clock that was set back", JSON.stringify(limit(CLOCK_START + HOUR, CLOCK_START + 1))],
    ["of a megabyte", JSON.stringify({ ...limit(CLOCK_START + HOUR), reason: "x".repeat(1_000_000) })],
  ])("[Z17] blocks nobody when it is %s", async (_, text) => {
    const { limits, folder } = project();
    await limits.record("a/x", limit(CLOCK_START + HOUR));
    expect(await limits.find("a/x", CLOCK_START)).toMatchObject({ until: CLOCK_START + HOUR });
    const [name = ""] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    writeFileSync(join(folder, name), text);
    expect(await limits.find("a/x", CLOCK_START)).toBeUndefined();
  });

  it("[Z17] is no fault where it cannot be written or read", async () => {
    const { limits, folder } = project();
    await limits.record("a/x", limit(CLOCK_START + HOUR));
    const [name = ""] = readdirSync(folder);
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    await limits.record("a/x", limit(CLOCK_START + HOUR));
    await limits.clear("a/x");
    expect(await limits.find("a/x", CLOCK_START)).toBeUndefined();
  });

  it("[Z17] is of one project, one model and one key", async () => {
    const [one, other] = [project().limits, project().limits];
    await one.record("a/x", limit(CLOCK_START + HOUR));
    expect([await one.find("a/y", CLOCK_START), await other.find("a/x", CLOCK_START)]).toEqual([undefined, undefined]);
    const cwd = newPlace({});
    let key = "mine";
    const limits = openSharedLimits(envOf(cwd), cwd, async () => key);
    await limits.record("a/x", limit(CLOCK_START + HOUR));
    key = "of the team";
    expect(await limits.find("a/x", CLOCK_START)).toBeUndefined();
    key = "mine";
    expect(await limits.find("a/x", CLOCK_START)).toMatchObject({ until: CLOCK_START + HOUR });
  });

  it("[Z17] a digest tells the keys of Pi apart and does not contain them", async () => {
    const { url } = await servePi([]);
    const { providers } = modelsFile(url) as { providers: { local: object } };
    const digestOf = async (apiKey: string, model = "local/small") => {
      piFolder({ "models.json": { providers: { local: { ...providers.local, apiKey } } } });
      return createPiHost().keyDigest?.(model);
    };
    const [first, second, again] = [await digestOf("key-one"), await digestOf("key-two"), await digestOf("key-one")];
    expect([first === second, first === again, first?.includes("key")]).toEqual([false, true, false]);
    expect(await digestOf("key-one", "nobody/x")).toBeUndefined();
  });
});

it("[Z4, A31] a cast that sleeps shows the words of the provider without its JSON", async () => {
  const message = '429: {"message":"usage limit, try again in 3 hours","type":"rate_limit"}';
  const { events } = await castOnce(config("a/x"), () => ({ ...LIMIT, message }));
  expect(events.find(({ type }) => type === "cast_sleeping")).toMatchObject({
    reason: "429: usage limit, try again in 3 hours",
  });
});

it("[Z2] a retry that waits is seen while it waits", async () => {
  const seen: unknown[] = [];
  const answers = [{ ...LIMIT, message: "429 rate limit, try again in 90s" }, said("done")];
  await castOnce(config("a/x"), () => answers.shift() ?? said("done"), movedClock(), {
    onProgress: (progress) =>
      progress.kind === "retrying" && seen.push(progress.delayMs, retryText(progress.delayMs, CLOCK_START)),
  });
  expect(seen).toEqual([
    90_000,
    `trying again at ${clockText(new Date(CLOCK_START + 90_000).toISOString(), CLOCK_START)}`,
  ]);
  expect([retryText(0, 0), retryText(45_000, 0)]).toEqual(["trying again", "trying again in 45 s"]);
});
