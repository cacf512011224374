import { describe, expect, it } from "vitest";
import { reworkDecisionEvents, reworkLimitOf, withPersonHint } from "../../src/core/cast/rework-limit.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { play, playFrom, startOf, type Said, type TestConfig } from "../harness/play.ts";
import { after, always, fold, graph, items, loop, notSatisfied, satisfied, seat, socket } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const NO = (context: string) => ({ satisfied: false, context });
const YES = { satisfied: true };

/** Build → Eval, who sends it back once. */
const pair = graph({
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", notSatisfied("Socket-1", 1), { ...satisfied("Socket-1"), maxTraversals: 1 }, always("end")),
});
const anyway = graph({
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", satisfied("end"), { ...always("Socket-1"), maxTraversals: 1 }),
});
/** The same for each item of a plan. */
const listed = (advance = "satisfied", back = "Socket-2") =>
  graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Build", always("Socket-3")),
      "Socket-3": { ...seat("Eval", notSatisfied(back, 1), satisfied("Socket-2")), advance: { when: advance } },
      "Socket-4": seat("Build", always("Socket-2")),
    },
    { loops: { each: loop(["Socket-2", "Socket-3"]) } },
  );

async function playedWith(config: TestConfig, ...said: readonly Said[]): Promise<CastState> {
  return (await play(config, { says: { Plan: [items("a", "b")], Eval: said } })).state;
}

const stopped = await playedWith(listed(), NO("first"), NO("second"));
const alone = await playedWith(pair, NO("first"), NO("second"));

describe("[R6] where a person decides", () => {
  it("[R6] at the visit that was not content, with the item in hand and the last reason", () => {
    const visit = { socket: "Socket-3", visit: 2 };
    const limit = "maxTraversals";
    expect(reworkLimitOf(stopped)).toEqual({ limit, visit, item: { loop: "each", index: 0 }, reason: "second" });
    expect(reworkLimitOf(alone)).toEqual({
      limit,
      visit: { socket: "Socket-2", visit: 2 },
      item: null,
      reason: "second",
    });
  });

  it("[R7] is refused before the visit began", () => {
    expect(reworkLimitOf(initialState(startOf(pair)))).toBe(undefined);
  });

  it.each<[where: string, config: TestConfig, said: readonly Said[]]>([
    ["it was content", listed(), [YES]],
    ["the edge was one for what is content", pair, [YES]],
    ["the edge was one for any answer", anyway, [NO("first"), NO("second")]],
    ["another limit stopped it", { ...pair, limits: { maxRepairs: 0 } }, ["no JSON"]],
    ["a turn failed", pair, [NO("first"), { fails: "no network" }]],
    ["the item had moved on", listed("not_satisfied", "Socket-4"), [NO("first")]],
  ])("[R7] not where %s", async (_where, config, said) => {
    const state = await playedWith(config, ...said);
    expect(state.phase.kind).toBe("ended");
    expect(reworkLimitOf(state)).toBe(undefined);
    expect(reworkDecisionEvents(state, { kind: "accept" })).toEqual([]);
  });
});

describe("[R6] what is decided", () => {
  const judged = (id: string) => ({ type: "person_judged", socket: id, visit: 2, satisfied: true, text: "" });

  it.each([
    ["to accept it", stopped, { kind: "accept" }, [judged("Socket-3")]],
    [
      "to go on with the next",
      stopped,
      { kind: "next" },
      [{ type: "item_given_up", loop: "each", index: 0, reason: "second" }],
    ],
    ["to go on with the next where there is none", alone, { kind: "next" }, []],
    ["to accept it outside lists", alone, { kind: "accept" }, [judged("Socket-2")]],
    ["a hint", stopped, { kind: "hint", text: "look" }, []],
    ["nothing", stopped, null, []],
  ] as const)("[R6] %s", (_what, state, decision, events) => {
    expect(reworkDecisionEvents(state, decision)).toEqual(events);
  });

  it("[R6, G28] the item after one that a person gave up begins without a reason", async () => {
    const next = reworkDecisionEvents(stopped, { kind: "next" });
    const { asked } = await playFrom(after(stopped, { type: "cast_resumed", by: "recast" }, ...next), {
      says: { Eval: [YES] },
    });
    expect(asked[0]).toMatchObject({ socket: "Socket-2", item: "WI-2" });
    expect(asked[0]?.prompt).not.toContain("Do it again");
  });

  it("[R7] a result that the cast has left cannot be decided", async () => {
    const { events } = await play(listed(), { says: { Plan: [items("a", "b")], Eval: [YES] } });
    const moved = events.findIndex(({ type }) => type === "cursor_advanced") + 1;
    const state = fold(startOf(listed()), events.slice(0, moved));
    const judge = () =>
      after(state, { type: "person_judged", socket: socket("Socket-3"), visit: 1, satisfied: true, text: "" });
    expect(judge).toThrow("cannot be judged any more");
  });

  it.each<[what: string, hint: string | undefined, text: string, reason: string, told: readonly [string, string]]>([
    ["none", undefined, "t", "r", ["t", "r"]],
    ["a blank one", "  ", "t", "r", ["t", "r"]],
    [
      "before what was said",
      " look ",
      "t",
      "r",
      ["The person you work for says: look\n\nt", "The person you work for says: look\n\nr"],
    ],
    ["where nothing was said", "look", " ", "\n", ["", "The person you work for says: look"]],
  ])("[R6] a hint stands first: %s", (_what, hint, text, reason, told) => {
    if (!stopped.handed) throw new Error("something was handed on");
    const handed = withPersonHint({ ...stopped, handed: { ...stopped.handed, text, reason } }, hint);
    expect([handed?.text, handed?.reason]).toEqual(told);
    expect(withPersonHint({ ...stopped, handed: null }, hint)).toBe(null);
  });
});
