import { describe, expect, it } from "vitest";
import type { CastEvent, EventOf } from "../../src/core/cast/state/event.ts";
import { castStatus } from "../../src/core/cast/summary.ts";
import { castBoard } from "../../src/core/view/progress/board.ts";
import { buildTimeline } from "../../src/core/cast/timeline.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { nextSteps } from "../../src/core/view/report/next-steps.ts";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { exitCodeFor } from "../../src/shell/casting/prepared-cast.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castOnce, typesOf } from "../harness/effects.ts";
import { CLOCK_START, movedClock } from "../harness/moved-clock.ts";
import { startOf, type TestConfig } from "../harness/play.ts";
import { graph, said, seat, world } from "../harness/seats.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NO_USAGE = { input: 0, output: 0, cost: 0 };

function refused(message: string, usage = NO_USAGE): TurnOutcome {
  return { kind: "failed", reason: "provider", message, usage, model: "a/x" };
}

function limit(after: string, usage = NO_USAGE): TurnOutcome {
  return refused(`429 rate limit, try again in ${after}`, usage);
}

function config(limits: Record<string, number> = {}, model?: string): TestConfig {
  const materia = { Build: { prompt: "Build.", tools: "coding", ...(model === undefined ? {} : { model }) } };
  return graph({ "Socket-1": seat("Build") }, { materia, limits: { maxNoAdvanceCycles: 3, maxRepairs: 1, ...limits } });
}

function answering(...outcomes: readonly TurnOutcome[]): (request: TurnRequest) => TurnOutcome {
  const left = [...outcomes];
  return () => left.shift() ?? said("done");
}

function eventOf<T extends CastEvent["type"]>(events: readonly CastEvent[], type: T): CastEvent & EventOf<T> {
  const found = events.find((event): event is CastEvent & EventOf<T> => event.type === type);
  if (!found) throw new Error(`no ${type} in ${typesOf(events).join(", ")}`);
  return found;
}

describe("a refusal with a time", () => {
  it("[Z2] is a retry after exactly that time", async () => {
    const clock = movedClock();
    const { end, events, asked } = await castOnce(config(), answering(limit("20s")), clock);
    expect(eventOf(events, "turn_retried")).toMatchObject({ attempt: 1, delayMs: 20_000 });
    expect(clock.waits).toEqual([20_000]);
    expect(asked.map(({ history, prompt }) => [history, prompt.includes("Go on where you were")])).toEqual([
      ["fresh", false],
      ["continued", true],
    ]);
    expect(end.kind).toBe("ended");
  });

  it("[Z2] is a retry at most three times without a reply, then the cast is paused", async () => {
    const { end, events } = await castOnce(
      config(),
      answering(...Array.from({ length: 9 }, () => limit("20s"))),
      movedClock(),
    );
    expect(typesOf(events).filter((type) => type === "turn_retried")).toHaveLength(3);
    expect(exitCodeFor(end)).toBe(75);
  });

  it("[Z2] is counted anew after a reply", async () => {
    const used = { input: 5, output: 5, cost: 0 };
    const refusals = Array.from({ length: 9 }, () => limit("20s", used));
    const { end, events } = await castOnce(config(), answering(...refusals), movedClock());
    expect(typesOf(events).filter((type) => type === "turn_retried")).toHaveLength(9);
    expect(end.state.usage).toMatchObject({ input: 9 * 5 + 3 });
  });

  it("[Z3] lets the cast sleep, then the turn continues", async () => {
    const clock = movedClock();
    const { end, events, asked } = await castOnce(
      config({ waitForProvider: 3 * HOUR }),
      answering(limit("2 hours 13 min", { input: 7, output: 1, cost: 1 })),
      clock,
    );
    const until = new Date(CLOCK_START + 133 * MINUTE).toISOString();
    expect(eventOf(events, "cast_sleeping")).toMatchObject({ until, provider: "a", model: "a/x", visit: 1 });
    expect(typesOf(events).slice(2, 5)).toEqual(["cast_sleeping", "cast_woken", "output_accepted"]);
    expect(asked[1]).toMatchObject({ history: "continued" });
    expect(exitCodeFor(end)).toBe(0);
    expect(end.state.usage.input).toBe(7 + 3);
    // Awake after the reset, and at most 30 seconds later.
    const slept = clock.now().getTime() - CLOCK_START - 133 * MINUTE;
    expect(slept).toBeGreaterThanOrEqual(0);
    expect(slept).toBeLessThanOrEqual(30_000);
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(MINUTE);
  });

  it("[Z3] is written before anybody sleeps, and counts as no minute of the turn", async () => {
    const clock = movedClock();
    const written: string[] = [];
    const ports = {
      ...clock,
      journal: {
        append: async (events: readonly CastEvent[]) => {
          written.push(...typesOf(events));
          return undefined;
        },
      },
      pause: async (ms: number) => {
        expect(written).toContain("cast_sleeping");
        clock.move(ms);
      },
    };
    const limited = graph(
      { "Socket-1": seat("Build") },
      {
        materia: { Build: { prompt: "Build.", maxTurnMinutes: 5 } },
        limits: { maxNoAdvanceCycles: 3, maxRepairs: 1, waitForProvider: 9 * HOUR },
      },
    );
    const { end } = await castOnce(limited, answering(limit("8 hours")), ports);
    expect(end.kind).toBe("ended");
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[Z4] pauses a cast that may not wait", async () => {
    const clock = movedClock();
    const { end, events } = await castOnce(config(), answering(limit("2 hours")), clock);
    expect(eventOf(events, "cast_sleeping").paused).toBe(true);
    expect([end.kind, exitCodeFor(end)]).toEqual(["asleep", 75]);
    expect(clock.waits).toEqual([]);
    expect([castStatus(end.state, false), castStatus(end.state, true)]).toEqual(["paused", "paused"]);
    expect(nextSteps(end.state, "paused").map(({ command }) => command)[1]).toContain("--wait 8h");
  });

  it("[Z4] leaves a sleeping cast to another process", async () => {
    const release = new AbortController();
    const clock = movedClock();
    const ports = { ...clock, pause: async () => release.abort() };
    const { end } = await castOnce(config({ waitForProvider: HOUR }), answering(limit("30m")), ports, {
      released: release.signal,
    });
    expect(end.kind).toBe("asleep");
    expect([castStatus(end.state, true), castStatus(end.state, false)]).toEqual(["sleeping", "paused"]);
    const again = await runCast(end.state, world(answering()), {
      cwd: "/project",
      signal: new AbortController().signal,
      firstEvents: [{ type: "cast_resumed", by: "materia recast" }],
    });
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[Z4] an abort while it sleeps ends it", async () => {
    const stop = new AbortController();
    const ports = { ...movedClock(), pause: async () => stop.abort() };
    const options = { signal: stop.signal };
    const { end, events } = await castOnce(config({ waitForProvider: HOUR }), answering(limit("30m")), ports, options);
    expect(typesOf(events).at(-1)).toBe("cast_ended");
    expect(end.state.phase).toMatchObject({ outcome: "aborted" });
    const again = await runCast(end.state, world(answering()), {
      cwd: "/project",
      signal: new AbortController().signal,
      firstEvents: [
        { type: "limits_raised", maxTokens: 5_000 },
        { type: "cast_resumed", by: "materia recast" },
      ],
    });
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[Z6] sleeps no longer than allowed in all", async () => {
    const clock = movedClock();
    const refusals = Array.from({ length: 9 }, () => limit("50 min"));
    const { end, events } = await castOnce(config({ waitForProvider: 2 * HOUR }), answering(...refusals), clock);
    expect(typesOf(events).filter((type) => type === "cast_woken")).toHaveLength(2);
    expect(exitCodeFor(end)).toBe(75);
    expect(end.state.providers.sleptMs).toBeLessThanOrEqual(2 * HOUR);
  });

  it("[Z6] backs off when the same limit is met right after waking", async () => {
    const refusals = Array.from({ length: 5 }, () => limit("6 min"));
    const { events } = await castOnce(config({ waitForProvider: 9 * HOUR }), answering(...refusals), movedClock());
    const sleeps = events.flatMap((event) =>
      event.type === "cast_sleeping" ? [Math.round((Date.parse(event.until) - Date.parse(event.at)) / MINUTE)] : [],
    );
    expect(sleeps).toEqual([6, 6, 6, 8, 16]);
  });

  it("[Z6] sleeps through an overload only with permission", async () => {
    const overload = refused("529 overloaded");
    const allowed = await castOnce(config({ waitForProvider: HOUR }), answering(overload, overload), movedClock());
    expect(allowed.end.state.phase).toMatchObject({ outcome: "completed" });
    const refusedCast = await castOnce(config(), answering(overload), movedClock());
    expect(refusedCast.end.state.phase).toMatchObject({ outcome: "failed" });
  });

  it("[Z6] a new permission counts from its moment on", async () => {
    const refusals = [limit("50 min"), limit("50 min"), limit("50 min")];
    const first = await castOnce(config({ waitForProvider: HOUR }), answering(...refusals), movedClock());
    expect(first.end.kind).toBe("asleep");
    const again = await runCast(first.end.state, world(answering(limit("50 min")), movedClock()), {
      cwd: "/project",
      signal: new AbortController().signal,
      firstEvents: [
        { type: "limits_raised", waitForProvider: HOUR },
        { type: "cast_resumed", by: "materia recast" },
      ],
    });
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[Z7] is over when the clock has jumped", async () => {
    const clock = movedClock();
    const ports = { ...clock, pause: async () => clock.move(40 * HOUR) };
    const { end } = await castOnce(config({ waitForProvider: 9 * HOUR }), answering(limit("8 hours")), ports);
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });
});

describe("a refusal that does not pass by itself", () => {
  it.each([
    ["insufficient_quota", "add credit"],
    ["401 invalid x-api-key", "/login"],
    ["429 Monthly usage limit reached", "plan"],
  ])("[Z5] fails at once: %s", async (message, fix) => {
    const clock = movedClock();
    const { end, events } = await castOnce(config({ waitForProvider: HOUR }), answering(refused(message)), clock);
    expect(eventOf(events, "turn_failed").message).toContain(fix);
    expect(exitCodeFor(end)).toBe(1);
    expect(clock.waits).toEqual([]);
  });
});

describe("models in order", () => {
  const LIST = "a/x,b/y,c/z";

  it("[Z8] the next takes over within the visit, from the transcript", async () => {
    const { end, events, asked } = await castOnce(
      config({}, LIST),
      answering(limit("2 hours", { input: 5, output: 5, cost: 0 })),
      movedClock(),
    );
    expect(asked.map(({ model, history }) => [model, history])).toEqual([
      ["a/x", "fresh"],
      ["b/y", "continued"],
    ]);
    expect(eventOf(events, "model_switched")).toMatchObject({
      from: "a/x",
      to: "b/y",
      reason: expect.stringContaining("429"),
    });
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });

  it.each(["529 overloaded", "insufficient_quota", 'Pi knows no model "a/x"', "there is no key for a"])(
    "[Z8] on %s",
    async (message) => {
      const { asked } = await castOnce(config({}, LIST), answering(refused(message)), movedClock());
      expect(asked.map(({ model }) => model)).toEqual(["a/x", "b/y"]);
    },
  );

  it("[Z8] never because of an invalid request or a bad answer", async () => {
    const invalid = await castOnce(config({}, LIST), answering(refused("400 roles must alternate")), movedClock());
    expect(invalid.end.state.phase).toMatchObject({ outcome: "failed" });
    expect(invalid.asked).toHaveLength(1);
  });

  it("[Z8] sleeps until the earliest reset when all are refused, then begins with the one that is free", async () => {
    const { events, asked } = await castOnce(
      config({ waitForProvider: 9 * HOUR }, LIST),
      answering(limit("5 hours"), limit("2 hours"), limit("3 hours")),
      movedClock(),
    );
    expect(eventOf(events, "cast_sleeping")).toMatchObject({ provider: "b", model: "b/y" });
    expect(asked.map(({ model }) => model)).toEqual(["a/x", "b/y", "c/z", "b/y"]);
  });

  it("[Z8] a short wait is a retry of the same model first", async () => {
    const { asked } = await castOnce(config({}, LIST), answering(limit("20s")), movedClock());
    expect(asked.map(({ model }) => model)).toEqual(["a/x", "a/x"]);
  });

  it("[Z8] later visits do not ask a model whose refusal lasts", async () => {
    const materia = { Build: { prompt: "Build.", model: "a/x,b/y" } };
    const chain = {
      "Socket-1": { ...seat("Build"), edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": seat("Build"),
    };
    const { asked } = await castOnce(graph(chain, { materia }), answering(limit("2 hours")), movedClock());
    expect(asked.map(({ socket, model }) => `${socket} ${model}`)).toEqual([
      "Socket-1 a/x",
      "Socket-1 b/y",
      "Socket-2 b/y",
    ]);
  });

  it("[Z13] a context that is too long goes on with a larger model", async () => {
    const overflow: TurnOutcome = { kind: "failed", reason: "overflow", message: "too long", usage: NO_USAGE };
    const sizes: Record<string, number> = { "a/x": 100, "b/y": 50, "c/z": 200 };
    const ports = world(answering(overflow), movedClock());
    const state = initialState(startOf(config({}, LIST)));
    const agents = { ...ports.agents, contextWindow: async (model: string) => sizes[model] };
    const { signal } = new AbortController();
    const end = await runCast(state, { ...ports, agents }, { cwd: "/project", signal });
    expect(ports.asked.map(({ model }) => model)).toEqual(["a/x", "c/z"]);
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });
});

describe("what is seen", () => {
  it("[Z11] the board says who refuses and how long", async () => {
    const { end, events } = await castOnce(config({}), answering(limit("2 hours 13 min")), movedClock());
    const timeline = buildTimeline(initialState(startOf(config())), events);
    const board = castBoard(timeline, { now: CLOCK_START, alive: false });
    expect(board).toMatchObject({ status: "paused", asleep: { provider: "a", model: "a/x" } });
    expect(board.asleep?.text).toMatch(/^a limit, resets .*\(2 h 13 min\)$/);
    expect(end.kind).toBe("asleep");
  });
});

describe("a judge of another model", () => {
  const judged = (judge: object) =>
    graph(
      {
        "Socket-1": { ...seat("Build"), edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { ...seat("Judge"), parse: "text" },
      },
      {
        materia: {
          Build: { prompt: "Build.", model: "a/x" },
          Judge: { prompt: "Judge.", notModelOf: "Build", ...judge },
        },
      },
    );
  const answer = ({ model }: TurnRequest): TurnOutcome => ({
    kind: "said",
    text: "done",
    usage: NO_USAGE,
    model: model ?? "",
  });

  it("[Z14] is the next of its list", async () => {
    const { asked, end } = await castOnce(judged({ model: ["a/x", "b/y"] }), answer);
    expect(asked.map(({ model }) => model)).toEqual(["a/x", "b/y"]);
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });

  it("[Z14] without another model the cast stops before anybody is asked", async () => {
    const { asked, events } = await castOnce(judged({ model: "a/x" }), answer);
    expect(asked).toHaveLength(1);
    expect(eventOf(events, "turn_failed").message).toContain("it answered for Build");
  });
});

describe("a turn that goes in circles", () => {
  const circling =
    (times: number, said: (round: number) => string) =>
    (request: TurnRequest): TurnOutcome => {
      for (let round = 1; round <= times; round += 1) {
        const id = `call-${round}`;
        request.onProgress({ kind: "tool_started", id, name: "read", args: { path: "a" } });
        request.onProgress({ kind: "tool_ended", id, name: "read", failed: false, said: said(round) });
        if (request.isBudgetSpent(NO_USAGE)) return { kind: "failed", reason: "limit", message: "", usage: NO_USAGE };
      }
      return { kind: "said", text: "done", usage: NO_USAGE, model: "a/x" };
    };

  it("[Z15] ends after eight equal calls with equal results, and continues when a person says so", async () => {
    const { end, events } = await castOnce(
      config(),
      circling(20, () => "same"),
    );
    expect(eventOf(events, "turn_stopped")).toMatchObject({ repeated: 8 });
    expect(eventOf(events, "limit_reached")).toMatchObject({ limit: "maxRepeatedCalls", value: 8 });
    const again = await runCast(end.state, world(answering()), {
      cwd: "/project",
      signal: new AbortController().signal,
      firstEvents: [{ type: "cast_resumed", by: "materia recast" }],
    });
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
  });

  it.each([
    ["seven calls", config(), 7, () => "same"],
    ["other results", config(), 20, (round: number) => `line ${round}`],
    ["a limit of 0", config({ maxRepeatedCalls: 0 }), 20, () => "same"],
  ])("[Z15] goes on after %s", async (_, from, times, said) => {
    const { end } = await castOnce(from, circling(times, said));
    expect(end.state.phase).toMatchObject({ outcome: "completed" });
  });
});

describe("long conversations", () => {
  it("[Z9] a summary of Pi is in the journal", async () => {
    const { events } = await castOnce(config(), (request) => {
      request.onProgress({ kind: "compacted", reason: "threshold", tokensBefore: 90_000 });
      return said("done");
    });
    expect(eventOf(events, "turn_compacted")).toMatchObject({ reason: "threshold", tokensBefore: 90_000 });
  });
});
