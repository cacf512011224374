import { describe, expect, it } from "vitest";
import { evaluateFormula } from "../../src/core/compile/worst-case.ts";
import { mostTurns } from "../harness/explore.ts";
import {
  allowedTurns,
  always,
  consuming,
  exit,
  formulas,
  main,
  notSatisfied,
  satisfied,
  type EdgeInput,
  type SocketInput,
} from "../harness/loadouts.ts";
import { play, startOf, type TestConfig } from "../harness/play.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const json = (...edges: readonly EdgeInput[]): SocketInput => ({ materia: "Json", edges });
const text = (to: string): SocketInput => ({ materia: "Text", edges: [always(to)] });
const plan: SocketInput = { materia: "Plan", edges: [always("Socket-2")] };
const walk: SocketInput = { materia: "Text", advance: {}, edges: [always("Socket-2")] };
const once = { limits: { maxNoAdvanceCycles: 1 } };
const one = (...sockets: readonly SocketInput[]) =>
  Object.fromEntries(sockets.map((socket, index) => [`Socket-${index + 1}`, socket]));
const back = (to: number, times?: number) => notSatisfied(`Socket-${to}`, times);
const on = (to: number) => satisfied(`Socket-${to}`);
const end = satisfied("end");
const usedUp = (to: number, then: number): EdgeInput => ({ ...back(to, 1), then: `Socket-${then}` });
const out = exit("Socket-2", "always", "Socket-3");

/** The turns of the longest cast with one item, tried out, and what the formula gives. */
function turnsOf(config: TestConfig): { readonly longest: number; readonly formula: number } {
  const longest = mostTurns(initialState(startOf(config)), { items: 1, invalid: false, most: 5_000 });
  if (longest === undefined) throw new Error("it is too long to be tried out");
  return { longest, formula: evaluateFormula(formulas(config).turns, () => 1) };
}

describe("[G23] rounds within rounds", () => {
  it.each<[what: string, config: TestConfig]>([
    [
      "counted in counted",
      main(one(text("Socket-2"), text("Socket-3"), json(back(2, 2), on(4)), json(back(1, 1), end))),
    ],
    [
      "three deep",
      main(
        one(
          text("Socket-2"),
          text("Socket-3"),
          json(back(3, 1), on(4)),
          json(back(2, 1), on(5)),
          json(back(1, 1), end),
        ),
      ),
    ],
    ["two ways back to one place", main(one(text("Socket-2"), json(back(1, 1), on(3)), json(back(1, 2), end)))],
    [
      "a counted one in one that nothing counts",
      main(one(text("Socket-2"), json(back(2, 1), on(3)), json(back(1), end)), {}, once),
    ],
    [
      "a longer one in one that nothing counts",
      main(one(text("Socket-2"), text("Socket-3"), json(back(2, 1), on(4)), json(back(1), end)), {}, once),
    ],
    ["back behind the last traversal", main(one(text("Socket-2"), json(usedUp(2, 1), end)), {}, once)],
    ["back before and behind the last traversal", main(one(text("Socket-2"), json(usedUp(1, 1), end)), {}, once)],
    [
      "within an item",
      main(
        one(plan, text("Socket-3"), json(back(3, 1), on(4)), {
          ...json(back(2, 1), on(2)),
          advance: { when: "satisfied" },
        }),
        { L: consuming(["Socket-2", "Socket-3", "Socket-4"]) },
      ),
    ],
  ])("[G23] %s: the formula is the longest cast", (_what, config) => {
    const { longest, formula } = turnsOf(config);
    expect(formula).toBe(longest);
  });

  it.each<[what: string, config: TestConfig]>([
    [
      "one that nothing counts in a counted one",
      main(one(text("Socket-2"), json(back(2), on(3)), json(back(1, 1), end)), {}, once),
    ],
    [
      "both to one place, one of them counted",
      main(one(text("Socket-2"), json(back(1), on(3)), json(back(1, 1), end)), {}, once),
    ],
    ["a counted way onward", main(one(json({ ...on(2), maxTraversals: 2 }, notSatisfied("end")), text("Socket-1")))],
    ["entered at two places", main(one(json(on(2), always("Socket-3")), text("Socket-3"), json(back(2, 1), end)))],
    [
      "entered at two places, in another",
      main(one(json(on(2), always("Socket-3")), text("Socket-3"), json(back(2, 1), on(4)), json(back(1, 1), end))),
    ],
    [
      "through a loop and around its plan",
      main(one(plan, walk, json(back(2, 1), on(4)), json(back(1, 1), end)), { L: consuming(["Socket-2"], out) }),
    ],
    [
      "through a loop, which nothing counts",
      main(one(plan, walk, json(back(2), end)), { L: consuming(["Socket-2"], out) }, once),
    ],
  ])("[G23] %s: the formula is at most twice the longest cast", (_what, config) => {
    const { longest, formula } = turnsOf(config);
    expect(formula).toBeGreaterThanOrEqual(longest);
    expect(formula).toBeLessThanOrEqual(2 * longest);
  });
});

it.each([10, 60])("[G24] %i rounds, each around the one before, are bounded however deep they are", async (depth) => {
  const judges = Array.from({ length: depth }, (_, index) =>
    json(back(depth - index, 1), index === depth - 1 ? end : on(depth + index + 2)),
  );
  const sockets = [...Array.from({ length: depth }, (_, index) => text(`Socket-${index + 2}`)), ...judges];
  const config = main(one(...sockets));
  const says = Object.fromEntries(
    judges.map((_, index) => [
      `Socket-${depth + index + 1}`,
      [{ satisfied: false, context: "no" }, { satisfied: true }],
    ]),
  );
  const played = await play(config, { says });
  expect(played.trace.at(-1)).toBe("completed");
  expect(played.asked.length).toBeGreaterThan(2 * depth);
  const allowed = allowedTurns(formulas(config).turns, played);
  expect(played.asked.length).toBeLessThanOrEqual(allowed);
  expect(allowed).toBeLessThan(Infinity);
});
