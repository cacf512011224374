import { expect, it } from "vitest";
import { reworkLimitOf } from "../../src/core/cast/rework-limit.ts";
import { replaySteps } from "../../src/core/cast/timeline.ts";
import { NO_LIVE_ITEMS, advanceLiveItem, liveItemLines } from "../../src/core/view/progress/live-items.ts";
import { eventLine } from "../../src/core/view/report/event-lines.ts";
import { lineText } from "../../src/core/view/line.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { TIME } from "../harness/seats.ts";
import { parentCastId } from "../../src/core/model/ids.ts";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { endOf, eventsOf, live, newPlace, eventsOfType, type AgentAction, type Scenario } from "./harness/lives.ts";
import { YES, doing, parallelWorkshop, type AgentActions } from "./harness/scenarios.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

/** Items that build separate files; other behaviour is given by key. */
function scenario(
  titles: readonly string[],
  deeds: AgentActions = {},
  more: Parameters<typeof parallelWorkshop>[1] = {},
): Scenario {
  const workItems = titles.map((title) => ({ title, context: "c" }));
  return { config: parallelWorkshop(3, more), files: {}, deed: doing(workItems, deeds) };
}

it("[V6, V29] the cast of an item has the whole list, its own key and its place in the list, and ends behind its item", async () => {
  const told: string[] = [];
  const place = newPlace(
    scenario(["a", "b", "c"], {
      "Socket-2@WI-2": ({ prompt, item }) => {
        told.push(prompt.includes("2 of 3: b") ? `${item}` : prompt);
        return { text: "built" };
      },
    }),
  );
  await live(place);
  expect(told).toEqual(["WI-2"]);
  const [, second] = await eventsOfType(place, "item_started");
  expect(second?.child).toBe(`${place.file.castId}_1_WI-2`);
  expect(parentCastId(second?.child ?? place.file.castId)).toBe(place.file.castId);
  const child = await eventsOf(place, second?.child);
  expect(child.map(({ type }) => type)).toEqual([
    "cast_started",
    "loop_entered",
    "visit_started",
    "output_accepted",
    "visit_completed",
    "edge_taken",
    "visit_started",
    "handoff_accepted",
    "visit_completed",
    "edge_taken",
    "visit_started",
    "handoff_accepted",
    "visit_completed",
    "cursor_advanced",
    "loop_exhausted",
    "edge_taken",
    "cast_ended",
  ]);
});

it("[V9, V36, V37] a conflict goes back to the item that caused it, on the merged state, with the files in its prompt", async () => {
  const prompts: string[] = [];
  const clash = (text: string) => (): AgentAction => ({ text, edits: { "same.txt": text } });
  const place = newPlace(
    scenario(["a", "b"], {
      "Socket-2@WI-1": clash("one"),
      "Socket-2@WI-2": clash("two"),
      "Socket-2@WI-2.2": ({ prompt }) => {
        prompts.push(prompt);
        return { text: "mended", edits: { "same.txt": "one and two" } };
      },
    }),
  );
  await live(place);
  expect(await endOf(place)).toMatchObject({ how: ["completed", null], files: [["same.txt", "one and two"]] });
  expect(prompts).toHaveLength(1);
  expect(prompts[0]).toContain("cannot be merged: same.txt");
  expect(await eventsOfType(place, "item_conflicted")).toMatchObject([{ index: 1, round: 1, files: ["same.txt"] }]);
});

const stubborn = {
  "Socket-2@WI-1": (): AgentAction => ({ text: "one", edits: { "same.txt": "one" } }),
  "Socket-2@WI-2": (): AgentAction => ({ text: "two", edits: { "same.txt": "two" } }),
};

it("[V10] an item that stays in conflict is given up where the loop gives items up, and the others are not touched", async () => {
  const place = newPlace(scenario(["a", "b", "c"], stubborn, { limits: { maxConflicts: 0 } }));
  await live(place);
  expect(await endOf(place)).toMatchObject({
    how: ["not_satisfied", null],
    files: [
      ["WI-3.txt", "built"],
      ["same.txt", "one"],
    ],
    done: { itemsDone: 2, itemsGivenUp: 1 },
  });
});

it("[V11] a failed item lets the others finish, and the cast fails with the lowest that failed", async () => {
  const fails = (why: string) => (): AgentAction => ({ text: "", fails: why, patience: 2 });
  const place = newPlace(
    scenario(["a", "b", "c", "d", "e", "f", "g", "h"], {
      "Socket-2@WI-3": fails("three"),
      "Socket-2@WI-2": fails("two"),
      "Socket-3": () => ({ text: YES, patience: 6 }),
    }),
  );
  const end = await live(place);
  const { phase } = end?.state ?? {};
  expect(phase).toMatchObject({ outcome: "failed", reason: expect.stringContaining('WI-2 "b" failed') });
  expect((await eventsOfType(place, "item_merged")).map(({ index }) => index)).toEqual([0]);
  expect((await eventsOfType(place, "item_started")).length).toBeLessThan(8);
});

it("[V12] a resume goes on with what failed and repeats nothing that is done", async () => {
  let tries = 0;
  const place = newPlace(
    scenario(["a", "b", "c"], {
      "Socket-2@WI-2": () => {
        tries += 1;
        return tries === 1 ? { text: "", fails: "no network" } : { text: "built", edits: { "WI-2.txt": "built" } };
      },
    }),
  );
  await live(place);
  const turns = place.turns.count;
  await live(place);
  expect(await endOf(place)).toMatchObject({ how: ["completed", null], done: { itemsDone: 3 } });
  // The turn that failed, the two judges of the item, and the end.
  expect(place.turns.count - turns).toBe(4);
});

it("[V12] what a person allows reaches the item that a limit stopped", async () => {
  const words = { "Socket-4@WI-2": (): AgentAction => ({ text: "no JSON at all" }) };
  const place = newPlace(scenario(["a", "b"], words, { limits: { maxRepairs: 0 } }));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "failed", limit: { limit: "maxRepairs" } });
  const before = place.turns.count;
  await live(place, { first: [{ type: "limits_raised", allow: 2 }] });
  expect(place.turns.count - before).toBe(2);
});

/** The same, with a limit that stops the cast in place of giving the item up. */
function withoutThen(config: Scenario["config"]): Scenario["config"] {
  return JSON.parse(JSON.stringify(config).replaceAll(',"then":"next"', "")) as Scenario["config"]; // a copy of it
}

it.each<[kind: "accept" | "next" | "hint", how: string, builds: number]>([
  ["accept", "completed", 0],
  ["next", "not_satisfied", 0],
  ["hint", "completed", 1],
])("[R8, V12] the decision on an item that was sent back too often: %s", async (kind, how, builds) => {
  const hint = "take the other wood";
  const built: string[] = [];
  const deeds = {
    "Socket-2@WI-2": ({ prompt }: TurnRequest): AgentAction => {
      built.push(prompt);
      return { text: "built" };
    },
    "Socket-4@WI-2": (): AgentAction => ({
      text: built.at(-1)?.includes(hint) ? YES : JSON.stringify({ satisfied: false, context: "too small" }),
    }),
  };
  const { config, ...rest } = scenario(["a", "b"], deeds);
  const place = newPlace({ ...rest, config: withoutThen(config) });
  const end = await live(place);
  expect(end && reworkLimitOf(end.state)).toEqual({
    limit: "maxTraversals",
    visit: null,
    item: { loop: "each", index: 1 },
    reason: "too small",
  });
  const before = built.length;
  const raised = kind === "hint" ? { allow: 1, hint } : { items: kind };
  const again = await live(place, { first: [{ type: "limits_raised", ...raised }] });
  expect(again?.state.phase).toMatchObject({ outcome: how });
  expect(built.length - before).toBe(builds);
});

it.each<[how: string, quiet: boolean]>([
  ["as it goes on", false],
  ["when it is over", true],
])(
  "[V13] where a turn tells %s what it used, lanes overrun the budget by one turn at the most",
  async (_how, quiet) => {
    for (const lanes of [1, 2, 8, 16]) {
      const titles = Array.from({ length: 16 }, (_, index) => `t${index}`);
      const limited = scenario(titles, {}, { budget: { maxTokens: 205 } });
      const deed = (request: TurnRequest): AgentAction => ({ ...limited.deed(request), quiet, patience: 3 });
      const place = newPlace({ ...limited, deed, config: parallelWorkshop(lanes, { budget: { maxTokens: 205 } }) });
      const end = await live(place);
      expect(end?.state.phase, `${lanes} lanes`).toMatchObject({ outcome: "failed", limit: { limit: "maxTokens" } });
      expect(end?.state.usage.input, `${lanes} lanes`).toBeLessThanOrEqual(215);
      const again = await live(place, { first: [{ type: "limits_raised", maxTokens: 100_000 }] });
      expect(again?.state.phase, `${lanes} lanes`).toMatchObject({ outcome: "completed" });
      expect(again?.state.usage.input).toBe(10 * (2 + 3 * 16));
    }
  },
);

it.each<[what: string, budget: Readonly<Record<string, number>>, most: number]>([
  ["without a budget nobody waits for anybody", {}, 3],
  ["without reported usage, all but the first run side by side", { maxTokens: 1_000 }, 3],
])("[V13] %s", async (_what, budget, most) => {
  let atWork = 0;
  let seen = 0;
  const place = newPlace({
    ...scenario(["a", "b", "c", "d", "e"], {}, { budget }),
    deed: ({ socket, item }) => {
      if (socket === "Socket-1")
        return {
          text: JSON.stringify({ workItems: ["a", "b", "c", "d", "e"].map((title) => ({ title, context: "" })) }),
        };
      if (socket === "Socket-2") seen = Math.max(seen, (atWork += 1));
      if (socket === "Socket-3") atWork -= 1;
      return { text: socket === "Socket-2" ? `built ${item}` : YES, patience: 3 };
    },
  });
  await live(place);
  expect(seen).toBe(most);
});

it("[V14] aborting ends the items first, and a resume goes on with them", async () => {
  const stop = new AbortController();
  let stopped = false;
  const place = newPlace(
    scenario(["a", "b", "c"], {
      "Socket-3@WI-2": () => {
        if (!stopped) stop.abort();
        stopped = true;
        return { text: YES, patience: 3 };
      },
    }),
  );
  const end = await live(place, { signal: stop.signal });
  expect(end?.state.phase).toMatchObject({ outcome: "aborted" });
  for (const { child } of await eventsOfType(place, "item_started"))
    expect((await eventsOf(place, child)).at(-1)).toMatchObject({ type: "cast_ended" });
  await live(place);
  expect(await endOf(place)).toMatchObject({ how: ["completed", null], done: { itemsDone: 3 } });
});

it("[V15] while items run each has a row with its key, socket and title, and their events are reported", async () => {
  let lanes = NO_LIVE_ITEMS;
  let rows: readonly string[] = [];
  const place = newPlace(scenario(["first", "second"], { "Socket-2@WI-2": () => ({ text: "built", patience: 9 }) }));
  await live(place, {
    onItemSteps: (steps) => {
      for (const step of steps) lanes = advanceLiveItem(lanes, step);
      if (lanes.size === 2) rows = liveItemLines(lanes, Date.parse(TIME) + 3_000, 80).map(lineText);
    },
  });
  expect(rows).toEqual([
    expect.stringMatching(/^▸ WI-1 \w+ +3\.0 s · \d+ tokens {2}first$/),
    expect.stringMatching(/^▸ WI-2 \w+ +3\.0 s · \d+ tokens {2}second$/),
  ]);
  expect(lanes.size).toBe(0);
  const told = [...replaySteps(initialState(castStartOf(place.file)), await eventsOf(place))].flatMap(
    ({ before, event }) => {
      const shown = eventLine(before, event);
      return shown && /^(loop_|item_)/.test(event.type) ? [lineText(shown).slice(9)] : [];
    },
  );
  expect(told).toEqual([
    "loop each: 2 items",
    expect.stringMatching(/^up to 3 items at once, from [0-9a-f]{9}$/),
    "WI-1 of 2 begins: first",
    "WI-2 of 2 begins: second",
    expect.stringMatching(/^WI-1 of 2 finished, kept as [0-9a-f]{9}$/),
    expect.stringMatching(/^WI-1 of 2 merged at [0-9a-f]{9}$/),
    "WI-2 of 2 finished, without changes",
    expect.stringMatching(/^WI-2 of 2 merged at [0-9a-f]{9}$/),
    expect.stringMatching(/^the merged items are joined at [0-9a-f]{9}$/),
  ]);
});
