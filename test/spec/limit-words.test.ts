import { describe, expect, it } from "vitest";
import { endReasonText, failureText } from "../../src/core/cast/failure-text.ts";
import type { EventOf } from "../../src/core/cast/state/event.ts";
import { NEW_VISIT, type CastState, type CastPhase } from "../../src/core/cast/state/state.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { startOf } from "../harness/play.ts";
import { graph, seat, socket } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

type Reached = EventOf<"limit_reached">;

const start = initialState(startOf(graph({ "Socket-1": seat("Build") })));
const first = socket("Socket-1");
const handed = (reason: string): CastState => ({
  ...start,
  handed: { socket: first, materia: "Build", item: null, text: reason, reason, workItems: null },
});

function words(
  state: CastState,
  limit: Reached["limit"],
  value: number,
  where: Partial<Reached["where"]> = {},
): string {
  const reached = { type: "limit_reached", limit, value, where: { socket: first, ...where } } as const;
  return failureText(state, { kind: "limit", reached, hit: { limit } });
}

const a = { item: { index: 0, title: "a" } };

describe("[D32] the stopped cast names the limit and the place", () => {
  it.each<[said: string, limit: Reached["limit"], value: number, where: Partial<Reached["where"]>]>([
    ["the budget of 10 tokens is used up before Socket-1 (Build)", "maxTokens", 10, {}],
    ["the budget of $2 is used up before Socket-1 (Build)", "maxCostUsd", 2, {}],
    ["Socket-1 (Build) has used its 9 tokens of one turn and has not finished", "maxTurnTokens", 9, {}],
    ["Socket-1 (Build) has used its 1 minute of one turn and has not finished", "maxTurnMinutes", 1, {}],
    ["Socket-1 (Build) has used its 2 minutes of one turn and has not finished", "maxTurnMinutes", 2, {}],
    ["Socket-1 (Build) did not hand over what it must after 1 repair turn", "maxRepairs", 1, {}],
    ["Socket-1 (Build) did not hand over what it must after 3 repair turns", "maxRepairs", 1, { taken: 3 }],
    ['the work for the item "a" could not be merged after 1 attempt to mend it', "maxConflicts", 2, { ...a, taken: 1 }],
    ['the work for the item "a" could not be merged after 2 attempts to mend it', "maxConflicts", 2, a],
    ["the edge Socket-1 → end was taken 2 of 2 times; last reason: none given", "maxTraversals", 2, {}],
    [
      "the cast goes round without progress: Socket-1 (Build) → Socket-1 (Build) (it would be return number 4 to Socket-1 (Build))",
      "maxNoAdvanceCycles",
      3,
      { to: first, cycle: [first, first] },
    ],
    [
      "the cast goes round without progress: no socket on the way runs (it would be return number 4 to end)",
      "maxNoAdvanceCycles",
      3,
      { cycle: [] },
    ],
  ])("[D32] %s", (said, limit, value, where) => {
    expect(words(start, limit, value, where)).toBe(said);
  });

  it("[G8] the last reason is told without the blanks around it", () => {
    expect(words(handed(" no test "), "maxTraversals", 1, { to: first })).toMatch(/last reason: no test$/);
    expect(words(handed("  "), "maxTraversals", 1, { to: first })).toMatch(/last reason: none given$/);
  });

  it.each([
    ["before", NO_USAGE],
    ["in the middle of", { ...NO_USAGE, input: 1 }],
    ["in the middle of", { ...NO_USAGE, output: 1 }],
    ["in the middle of", { ...NO_USAGE, cost: 1 }],
  ])("[D32] the budget was used up %s a turn that has used %o", (when, usage) => {
    const turn = { usage, ms: 0 };
    const visit = { socket: first, number: 1, from: null, reworked: false, ...NEW_VISIT, turn };
    const visiting: CastPhase = { kind: "visiting", visit, ask: { kind: "begin" } };
    const failure = { kind: "turn", socket: first, message: "" } as const;
    const phases: readonly CastPhase[] = [visiting, { kind: "failing", failure, before: visiting }];
    for (const phase of phases)
      expect(words({ ...start, phase }, "maxTokens", 5)).toContain(`used up ${when} Socket-1`);
  });
});

describe("[G5, G35] why a cast at its end is not satisfied", () => {
  const given = (count: number, reason: string): CastState["givenUp"] => ({
    count,
    first: [{ index: 1, title: "b", reason }],
  });

  it.each<[said: string, state: Partial<CastState>]>([
    ["the graph reached its end", { satisfied: true }],
    ["it is late", { ...handed("it is late"), satisfied: false }],
    ["", { satisfied: false }],
    ['1 item was given up: WI-2 "b" (too hard)', { ...handed("x"), satisfied: true, givenUp: given(1, "too hard") }],
    ['1 item was given up: WI-2 "b"', { satisfied: false, givenUp: given(1, "  ") }],
    ['3 items were given up: WI-2 "b" (no) and 2 more', { satisfied: undefined, givenUp: given(3, "no") }],
    [
      'it is late; 1 item was given up: WI-2 "b" (no)',
      { ...handed("it is late"), satisfied: false, givenUp: given(1, "no") },
    ],
    ['1 item was given up: WI-2 "b" (no)', { ...handed(" "), satisfied: false, givenUp: given(1, "no") }],
  ])("[G35] %s", (said, state) => {
    expect(endReasonText({ ...start, ...state })).toBe(said);
  });
});
