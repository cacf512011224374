import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import {
  budgetWarning,
  limitHitOf,
  checkLimitDuringTurn,
  checkRepairLimit,
  checkTurnLimit,
} from "../../src/core/cast/limits.ts";
import type { CastState, CastPhase } from "../../src/core/cast/state/state.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { raiseLimits } from "../../src/core/cast/apply-stops.ts";
import { play, playFrom, startOf } from "../harness/play.ts";
import { always, exit, graph, items, loop, raised, seat, socket } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const config = graph(
  { "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Tool") },
  { materia: { Build: { prompt: "Build.", maxTurnTokens: 100, maxTurnMinutes: 2 } } },
);
const { events } = await play(config);
const start = initialState(startOf(config));
const at = (id: string): CastState & { readonly phase: Extract<CastPhase, { kind: "visiting" }> } => {
  const index = events.findIndex((event) => event.type === "visit_started" && event.socket === id);
  const state = events.slice(0, index + 1).reduce(apply, start);
  if (state.phase.kind !== "visiting") throw new Error("no visit");
  return { ...state, phase: state.phase };
};
const used = (tokens: number, cost = 0) => ({ input: tokens, output: 0, cost });
const first = socket("Socket-1");

describe("[D17] before a turn", () => {
  it.each<[what: string, budget: object, usage: ReturnType<typeof used>, limit: string | undefined]>([
    ["nothing is limited", {}, used(1_000, 9), undefined],
    ["tokens are left", { maxTokens: 10 }, used(9, 9), undefined],
    ["tokens are used up", { maxTokens: 10 }, used(10), "maxTokens"],
    ["dollars are left", { maxCostUsd: 2 }, used(1_000, 1.99), undefined],
    ["dollars are used up", { maxCostUsd: 2 }, used(0, 2), "maxCostUsd"],
    ["no dollar may be used, and none was", { maxCostUsd: 0 }, used(1_000, 0), undefined],
    ["no token may be used", { maxTokens: 0 }, used(0), "maxTokens"],
    ["both are used up", { maxTokens: 10, maxCostUsd: 2 }, used(10, 2), "maxTokens"],
  ])("[D17] %s", (_what, budget, usage, limit) => {
    const found = checkTurnLimit({ ...start, budget, usage }, first);
    expect(found && [found.limit, found.where]).toEqual(limit && [limit, { socket: first }]);
  });
});

describe("[D31] in the middle of a turn", () => {
  const state = at("Socket-1");
  const { visit } = state.phase;
  const turn = (usage: ReturnType<typeof used>, ms = 0) => ({ usage, ms });

  it.each<[what: string, more: ReturnType<typeof turn>, limit: readonly [string, number] | undefined]>([
    ["less than its materia allows", turn(used(99), 119_999), undefined],
    ["its tokens", turn(used(100)), ["maxTurnTokens", 100]],
    ["its minutes", turn(NO_USAGE, 120_000), ["maxTurnMinutes", 2]],
  ])("[D31] %s", (_what, more, limit) => {
    const found = checkLimitDuringTurn(state, visit, more);
    expect(found && [found.limit, found.value, found.where]).toEqual(limit && [...limit, { socket: first }]);
  });

  it("[D31] usage before an interruption counts", () => {
    const begun = { ...visit, turn: turn(used(60), 100_000) };
    expect(checkLimitDuringTurn(state, begun, turn(used(39), 19_999))).toBe(undefined);
    expect(checkLimitDuringTurn(state, begun, turn(used(40)))?.limit).toBe("maxTurnTokens");
    expect(checkLimitDuringTurn(state, begun, turn(NO_USAGE, 20_000))?.limit).toBe("maxTurnMinutes");
  });

  it("[D31] the budget includes the usage of the current turn", () => {
    const near = { ...state, budget: { maxTokens: 50 }, usage: used(40) };
    expect(checkLimitDuringTurn(near, visit, turn(used(9)))).toBe(undefined);
    expect(checkLimitDuringTurn(near, visit, turn(used(10)))).toMatchObject({ limit: "maxTokens", value: 50 });
  });

  it("[D31] a program uses no tokens", () => {
    const tool = at("Socket-2");
    expect(checkLimitDuringTurn(tool, tool.phase.visit, turn(used(1_000), 1e9))).toBe(undefined);
  });

  it("[D33] a raised limit gives the turn as much again", () => {
    const stopped = { type: "limit_reached", limit: "maxTurnTokens", value: 100, where: { socket: first } } as const;
    const hit = limitHitOf(state, stopped);
    expect(hit).toEqual({ limit: "maxTurnTokens", scope: { kind: "cast", way: "turn Socket-1 1" } });
    expect(limitHitOf(state, { ...stopped, limit: "maxTurnMinutes" })).toMatchObject({
      scope: { way: "turn Socket-1 1" },
    });
    const body = [stopped, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" }] as const;
    const raised = body.reduce(
      (before, event) => apply(before, { ...event, seq: before.seq + 1, at: "2026-01-01T00:00:00.000Z" }),
      state as CastState,
    );
    if (raised.phase.kind !== "visiting") throw new Error("no visit");
    expect(checkLimitDuringTurn(raised, raised.phase.visit, turn(used(199), 239_999))).toBe(undefined);
    expect(checkLimitDuringTurn(raised, raised.phase.visit, turn(used(200)))).toMatchObject({
      limit: "maxTurnTokens",
      value: 200,
    });
    expect(checkLimitDuringTurn(raised, raised.phase.visit, turn(NO_USAGE, 240_000))).toMatchObject({ value: 4 });
  });
});

it.each([
  ["tokens", { maxTokens: 9 }],
  ["dollars", { maxCostUsd: 9 }],
])("[D33] a raise of %s does not change the other budget, and warns again", (_what, more) => {
  const budget = { maxTokens: 5, maxCostUsd: 1 };
  const raised = raiseLimits({ ...start, budget, warned: true }, { type: "limits_raised", ...more });
  expect([raised.budget, raised.warned]).toEqual([{ ...budget, ...more }, false]);
});

it("[G9] loops without items that lead to each other go round so many times more as a person allows", async () => {
  const walk = (id: string) => ({ ...seat("Build", always(id)), advance: {} });
  const empty = graph(
    { "Socket-1": seat("Plan", always("Socket-2")), "Socket-2": walk("Socket-2"), "Socket-3": walk("Socket-3") },
    {
      loops: {
        A: loop(["Socket-2"], exit("Socket-2", "always", "Socket-3")),
        B: loop(["Socket-3"], exit("Socket-3", "always", "Socket-2")),
      },
    },
  );
  const { state: stopped } = await play(empty, { says: { Plan: [items()] } });
  expect(stopped.phase).toMatchObject({ limit: { limit: "maxNoAdvanceCycles", at: "Socket-2" } });
  const rounds = async (allow: number) =>
    (await playFrom(raised(stopped, allow), {})).events.filter(({ type }) => type === "loop_exhausted").length / 2;
  expect([await rounds(1), await rounds(3)]).toEqual([1, 3]);
});

it("[H11] repairs are counted for a visit, and a raise is one for that visit", () => {
  const state = at("Socket-1");
  const { visit } = state.phase;
  const most = state.limits.maxRepairs;
  expect(checkRepairLimit(state, { ...visit, repairs: most })).toBe(undefined);
  const stopped = checkRepairLimit(state, { ...visit, repairs: most + 1 });
  expect(stopped).toMatchObject({ limit: "maxRepairs", value: most, where: { socket: first, taken: most } });
  expect(stopped && limitHitOf(state, stopped)).toEqual({
    limit: "maxRepairs",
    scope: { kind: "cast", way: "repair Socket-1 1" },
  });
});

describe("[J37] the warning that the budget is nearly used", () => {
  it.each<[what: string, budget: object, usage: ReturnType<typeof used>, limit: string | undefined]>([
    ["none is asked for", { maxTokens: 10 }, used(9), undefined],
    ["nothing is limited", { warnAtPercent: 80 }, used(9, 9), undefined],
    ["tokens are far", { maxTokens: 10, warnAtPercent: 80 }, used(7), undefined],
    ["tokens are near", { maxTokens: 10, warnAtPercent: 80 }, used(8), "maxTokens"],
    ["dollars are far", { maxCostUsd: 10, warnAtPercent: 80 }, used(99, 7.9), undefined],
    ["dollars are near", { maxCostUsd: 10, warnAtPercent: 80 }, used(0, 8), "maxCostUsd"],
    ["nothing was used of nothing", { maxCostUsd: 0, maxTokens: 0, warnAtPercent: 80 }, used(0), undefined],
  ])("[J37] %s", (_what, budget, usage, limit) => {
    const state = { ...start, budget, usage };
    expect(budgetWarning(state)?.limit).toBe(limit);
    expect(budgetWarning({ ...state, warned: true })).toBe(undefined);
  });
});
