import { expect, it } from "vitest";
import { countOf } from "../../src/core/cast/state/persistent-map.ts";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { exit, graph, notSatisfied, satisfied, seat } from "../harness/seats.ts";
import { live, newPlace, eventsOfType, type AgentAction, type Scenario } from "./harness/lives.ts";
import { YES, doing, type AgentActions } from "./harness/scenarios.ts";

const NO = JSON.stringify({ satisfied: false, context: "not yet" });

/** Plan → per item, three at once: Build → Eval (no: the cast ends) → Eval, who judges the whole. */
function shop(items: readonly object[], deeds: AgentActions = {}, more: Parameters<typeof graph>[1] = {}): Scenario {
  const workItems = items.map((item, index) => ({ title: "abcdef"[index], context: "c", ...item }));
  const config = graph(
    {
      "Socket-1": seat("Plan", { when: "always", to: "Socket-2" }),
      "Socket-2": seat("Build", { when: "always", to: "Socket-3" }),
      "Socket-3": {
        ...seat("Eval", { when: "not_satisfied", to: "end" }, satisfied("Socket-2")),
        advance: { when: "satisfied" },
      },
      "Socket-4": seat("Eval", notSatisfied("Socket-2", 1), satisfied("end")),
    },
    {
      loops: {
        each: {
          sockets: ["Socket-2", "Socket-3"],
          consumes: { from: "Socket-1", output: "workItems" },
          exits: [exit("Socket-3", "always", "Socket-4")],
          parallel: 3,
        },
      },
      ...more,
    },
  );
  return { config, files: {}, deed: doing(workItems, deeds) };
}

it("[V28] an item starts after the last item that it names, the others from the loop's commit", async () => {
  const place = newPlace(shop([{}, { after: [1] }, {}, { after: [1, 2] }]));
  await live(place);
  const [{ base } = { base: "" }] = await eventsOfType(place, "loop_forked");
  const merged = (await eventsOfType(place, "item_merged")).map(({ commit }) => commit);
  const begun = (await eventsOfType(place, "item_started")).toSorted((a, b) => a.index - b.index);
  expect(begun.map((event) => event.base)).toEqual([base, merged[0], base, merged[1]]);
});

it("[V11] an item that ends its cast ends the whole once it is merged; none behind it is merged or begins", async () => {
  const place = newPlace(shop([{}, {}, {}, {}, {}, {}], { "Socket-3@WI-2": () => ({ text: NO }) }));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "not_satisfied", reason: "not yet" });
  expect((await eventsOfType(place, "item_merged")).map(({ index }) => index)).toEqual([0, 1]);
  expect(end?.state.done).toMatchObject({ itemsDone: 1, items: 6 });
  expect([end?.state.pass, end?.state.satisfied]).toEqual([null, false]);
});

const clash = (text: string) => (): AgentAction => ({ text, edits: { "same.txt": text } });

/** The third item fails before the first is merged, for which the second waits. */
const WAITING = [{}, { after: [1] }, {}, {}];
const OUTRUN: AgentActions = {
  "Socket-2@WI-1": () => ({ text: "built", patience: 20 }),
  "Socket-2@WI-3": () => ({ text: "", fails: "no network" }),
};

it("[V11] an item before one that failed still starts, and ends the cast as one by one", async () => {
  const place = newPlace(
    shop(WAITING, { ...OUTRUN, "Socket-3@WI-2": () => ({ text: NO }) }, { limits: { maxRetries: 0 } }),
  );
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "not_satisfied", reason: "not yet" });
  expect((await eventsOfType(place, "item_merged")).map(({ index }) => index)).toEqual([0, 1]);
});

it("[V11] no item behind one that failed starts; all before it are merged, then the cast fails", async () => {
  const place = newPlace(shop([...WAITING, { after: [2] }], OUTRUN));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "failed", reason: expect.stringContaining('WI-3 "c" failed') });
  expect((await eventsOfType(place, "item_merged")).map(({ index }) => index)).toEqual([0, 1]);
  const begun = (await eventsOfType(place, "item_started")).map(({ index }) => index);
  expect(begun.toSorted((a, b) => a - b)).not.toContain(4);
});

it("[V9, V11] an item in conflict runs again, although one behind it failed", async () => {
  const deeds: AgentActions = {
    "Socket-2@WI-1": clash("one"),
    "Socket-2@WI-2": clash("two"),
    "Socket-2@WI-2.2": () => ({ text: "mended", edits: { "same.txt": "both" } }),
    "Socket-3@WI-2.2": () => ({ text: NO }),
    "Socket-2@WI-3": () => ({ text: "", fails: "no network" }),
  };
  const end = await live(newPlace(shop([{}, {}, {}], deeds)));
  expect(end?.state.phase).toMatchObject({ outcome: "not_satisfied", reason: "not yet" });
});

it("[V37] an item that stays in conflict stops the cast, and an allowance gives one more attempt", async () => {
  const deeds = { "Socket-2@WI-1": clash("one"), "Socket-2@WI-2": clash("two") };
  const place = newPlace(shop([{}, {}, {}], deeds, { limits: { maxConflicts: 0 } }));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({
    outcome: "failed",
    reason: 'the work for the item "b" could not be merged after 0 attempts to mend it',
    reached: {
      limit: "maxConflicts",
      value: 0,
      where: { socket: "Socket-2", taken: 0, item: { index: 1, title: "b" } },
    },
  });
  const before = await eventsOfType(place, "item_started");
  expect(before.map(({ index, attempt }) => `${index} ${attempt}`)).toEqual(["0 1", "1 1", "2 1"]);
  await live(place, { first: [{ type: "limits_raised", allow: 1 }] });
  const [again, ...others] = (await eventsOfType(place, "item_started")).slice(before.length);
  expect([again?.index, again?.attempt, others]).toEqual([1, 2, []]);
  const merges = await eventsOfType(place, "item_merged");
  expect(again?.base).toBe(merges[0]?.commit);
  expect(merges.map(({ index }) => index)).toEqual([0, 1, 2]);
});

it("[V36] the conflict is what the first socket of the item has to settle", async () => {
  const told: string[] = [];
  const mend = ({ prompt }: TurnRequest): AgentAction => {
    told.push(prompt);
    return { text: "mended", edits: { "same.txt": "both" } };
  };
  const place = newPlace(
    shop([{}, {}], { "Socket-2@WI-1": clash("one"), "Socket-2@WI-2": clash("two"), "Socket-2@WI-2.2": mend }),
  );
  await live(place);
  expect(told.join("")).toMatch(/## Merge it\n\n.*cannot be merged: same\.txt/s);
});

it("[R2] who sends the cast back to the loop is heard by its first item alone", async () => {
  const told: string[] = [];
  let judged = 0;
  const deeds: AgentActions = {
    "Socket-2": ({ prompt, item }) => {
      if (prompt.includes("Eval (Socket-4): not yet")) told.push(`${item}`);
      return { text: "built", edits: { [`${item}.txt`]: `built ${judged}` } };
    },
    "Socket-4": () => ({ text: (judged += 1) === 1 ? NO : YES }),
  };
  const place = newPlace(shop([{}, {}], deeds));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "completed" });
  expect((await eventsOfType(place, "item_started")).map(({ child }) => child.replace(/^.*?_/, ""))).toEqual([
    "1_WI-1",
    "1_WI-2",
    "2_WI-1",
    "2_WI-2",
  ]);
  expect(told).toEqual(["WI-1"]);
});

it("[V13] the budget warns and stops while items are at work: none begins that it has no room for", async () => {
  const place = newPlace(shop([{}, {}, {}, {}], {}, { budget: { maxTokens: 60, warnAtPercent: 50 } }));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "failed", reached: { limit: "maxTokens" } });
  expect(await eventsOfType(place, "cast_warned")).toHaveLength(1);
  expect((await eventsOfType(place, "item_started")).length).toBeLessThan(4);
});

it("[V12] the usage of an item before it failed counts once, for any number of resumes", async () => {
  let tries = 0;
  const failing = (): AgentAction => ((tries += 1) < 3 ? { text: "", fails: "no network" } : { text: YES, tokens: 10 });
  const place = newPlace(shop([{}, {}], { "Socket-3@WI-2": failing }));
  await live(place);
  await live(place);
  const end = await live(place);
  const { state } = end ?? {};
  expect(state?.phase).toMatchObject({ outcome: "completed" });
  const visits = ["Socket-1", "Socket-2", "Socket-3", "Socket-4"].map((id) => state && countOf(state.visits, id));
  expect([visits, state?.done.visits]).toEqual([[1, 2, 2, 1], 6]);
  expect(state && state.usage.input + state.usage.output).toBe(60);
});

it("[V13] what an item had used before it failed counts once against the budget, too", async () => {
  let tries = 0;
  const deeds = {
    "Socket-2@WI-2": (): AgentAction => ({ text: "built", tokens: 100 }),
    "Socket-3@WI-2": (): AgentAction =>
      (tries += 1) < 2 ? { text: "", fails: "no network" } : { text: YES, tokens: 10 },
  };
  const place = newPlace(shop([{}, {}], deeds, { budget: { maxTokens: 200 } }));
  expect((await live(place))?.state.phase).toMatchObject({ outcome: "failed", reached: null });
  expect((await live(place))?.state.phase).toMatchObject({ outcome: "completed" });
});

it("[V3] a list of a program with an order that cannot be fails the cast at the loop", async () => {
  const config = graph(
    {
      "Socket-1": seat("Tool", { when: "always", to: "Socket-2" }),
      "Socket-2": { ...seat("Build", { when: "always", to: "Socket-2" }), advance: { items: "state.list" } },
    },
    { loops: { each: { sockets: ["Socket-2"], parallel: 2 } } },
  );
  const list = [{ title: "a", context: "", after: [1] }];
  const utility = (): string => JSON.stringify({ state: { list } });
  const end = await live(newPlace({ config, files: {}, deed: () => ({ text: "built" }), utility }));
  expect(end?.state.phase).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("state.list: workItems[0].after"),
  });
});
