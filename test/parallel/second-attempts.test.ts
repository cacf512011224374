import { expect, it } from "vitest";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { live, newPlace, eventsOfType, type AgentAction, type Scenario } from "./harness/lives.ts";
import { YES, doing, parallelWorkshop, type AgentActions } from "./harness/scenarios.ts";

const NO = JSON.stringify({ satisfied: false, context: "not yet" });
const clash = ({ item }: Pick<TurnRequest, "item">): AgentAction => ({
  text: "built",
  edits: { "same.txt": `by ${item}` },
});
const says = (text: string) => (): AgentAction => ({ text });

/** As many items as letters; the work of the first two cannot be merged with each other. */
function shop(titles: string, deeds: AgentActions, more: Parameters<typeof parallelWorkshop>[1] = {}): Scenario {
  const items = titles.split("").map((title) => ({ title, context: "c" }));
  const clashing = { "Socket-2@WI-1": clash, "Socket-2@WI-2": clash, "Socket-2@WI-2.2": says("mended") };
  return { config: parallelWorkshop(2, more), files: {}, deed: doing(items, { ...clashing, ...deeds }) };
}

it("[V11] an item that ended the cast, could not be merged and advances the second time ends nothing: those behind it follow", async () => {
  const place = newPlace(shop("abcd", { "Socket-3@WI-2": says(NO) }));
  const end = await live(place);
  expect(end?.state.phase).toMatchObject({ outcome: "completed" });
  expect((await eventsOfType(place, "item_merged")).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(end?.state.done).toMatchObject({ itemsDone: 4, items: 4 });
});

it("[V11] what fails behind an item that ends the cast does not count: one by one it would not have begun", async () => {
  const deeds: AgentActions = {
    "Socket-2@WI-2": says("built"),
    "Socket-3@WI-1": () => ({ text: NO, patience: 9 }),
    "Socket-3@WI-2": () => ({ text: "", fails: "no network" }),
  };
  const end = await live(newPlace(shop("ab", deeds)));
  expect(end?.state.phase).toMatchObject({ outcome: "not_satisfied", reason: "not yet" });
});

it("[V38] of a given-up item that runs again only the last attempt counts", async () => {
  const done = await live(newPlace(shop("ab", { "Socket-4@WI-2": says(NO) })));
  expect(done?.state.phase).toMatchObject({ outcome: "completed" });
  expect([done?.state.givenUp.count, done?.state.done]).toMatchObject([0, { itemsDone: 2, items: 2 }]);
  const undone = await live(newPlace(shop("ab", { "Socket-4@WI-2": says(NO), "Socket-4@WI-2.2": says(NO) })));
  expect(undone?.state.phase).toMatchObject({ reason: '1 item was given up: WI-2 "b" (not yet)' });
  expect(undone?.state.done).toMatchObject({ itemsDone: 1, itemsGivenUp: 1 });
});

it("[V10] after a last item that stays in conflict the next visit gets the reason, and nothing from before the loop", async () => {
  const told: string[] = [];
  const tell = ({ prompt }: TurnRequest): AgentAction => (told.push(prompt), { text: "told" });
  const end = await live(newPlace(shop("ab", { "Socket-5": tell }, { limits: { maxConflicts: 0 } })));
  expect(end?.state.phase).toMatchObject({ outcome: "not_satisfied" });
  expect(told.join()).toContain('Handed on by Build (Socket-2, item "b")\n\ncannot be merged: same.txt');
});

it("[V29] an item walks the list that the loop was entered with, also after an earlier item replaced it", async () => {
  const config = parallelWorkshop(2);
  const { Main } = config.loadouts as { readonly Main: { readonly sockets: Record<string, object> } };
  const judge = { ...Main.sockets["Socket-4"], assign: { workItems: "$.workItems" } };
  const changed = { ...config, loadouts: { Main: { ...Main, sockets: { ...Main.sockets, "Socket-4": judge } } } };
  const other = JSON.stringify({ satisfied: true, context: "", workItems: [{ title: "another", context: "" }] });
  const told: string[] = [];
  const deeds: AgentActions = {
    "Socket-4": says(other),
    "Socket-2@WI-2.2": ({ prompt }) => (told.push(prompt), { text: "mended" }),
  };
  const end = await live(newPlace({ ...shop("ab", deeds), config: changed }));
  expect(end?.state.phase).toMatchObject({ outcome: "completed" });
  expect(told.join()).toContain("2 of 2: b");
  expect(end?.state.data["workItems"]).toEqual([{ title: "another", context: "" }]);
});

it("[V11] the cast fails with what failed, not with a conflict that may still be mended; then both go on", async () => {
  let tries = 0;
  const fails = (): AgentAction => ((tries += 1) === 1 ? { text: "", fails: "no network" } : { text: YES });
  // The first is still at work when the third has failed: the second conflicts only then.
  const slow = (request: TurnRequest): AgentAction => ({ ...clash(request), patience: 30 });
  const place = newPlace(shop("abc", { "Socket-2@WI-1": slow, "Socket-3@WI-3": fails }));
  expect((await live(place))?.state.phase).toMatchObject({ reason: expect.stringContaining('WI-3 "c" failed') });
  expect(await eventsOfType(place, "item_conflicted")).toHaveLength(1);
  expect((await live(place))?.state.phase).toMatchObject({ outcome: "completed" });
});

it("[V12] what a person allows reaches the item in conflict and those that other limits stopped", async () => {
  const bad = (): AgentAction => ({ text: "no object" });
  let asked = 0;
  const late = (): AgentAction => ((asked += 1) < 3 ? bad() : { text: YES });
  const limits = { maxConflicts: 0, maxRepairs: 1 };
  const config = parallelWorkshop(3, { limits });
  const { Main } = config.loadouts as { readonly Main: { readonly sockets: Record<string, { edges?: object[] }> } };
  const edges = [{ when: "satisfied", to: "Socket-2" }];
  const sockets = { ...Main.sockets, "Socket-4": { ...Main.sockets["Socket-4"], edges } };
  const stopped = { ...config, loadouts: { Main: { ...Main, sockets } } };
  const place = newPlace({ ...shop("abc", { "Socket-3@WI-3": late }), config: stopped });
  expect((await live(place))?.state.phase).toMatchObject({ reached: { limit: "maxConflicts" } });
  const end = await live(place, { first: [{ type: "limits_raised", allow: 1 }] });
  expect(end?.state.phase).toMatchObject({ outcome: "completed" });
});
