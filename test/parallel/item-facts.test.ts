import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { itemResultOf } from "../../src/core/cast/decide-items.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { Usage } from "../../src/core/cast/state/usage.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { eventsOf, live, newPlace, eventsOfType, type AgentAction, type Place } from "./harness/lives.ts";
import { doing, parallelWorkshop, type AgentActions } from "./harness/scenarios.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const workItems = ["a", "b"].map((title) => ({ title, context: "c" }));
const NO = JSON.stringify({ satisfied: false, context: "not yet" });

async function worked(deeds: AgentActions = {}, more: Parameters<typeof parallelWorkshop>[1] = {}): Promise<Place> {
  const plan = (): AgentAction => ({ text: JSON.stringify({ workItems, context: "keep it short" }) });
  const deed = doing(workItems, { "Socket-1": plan, ...deeds });
  const place = newPlace({ config: parallelWorkshop(2, more), files: {}, deed });
  await live(place);
  return place;
}

/** The cast as it stands behind its join, or its last event, with some of its events changed. */
async function afterJoin(place: Place, change: (event: CastEvent) => CastEvent = (same) => same): Promise<CastState> {
  const events = await eventsOf(place);
  const join = events.findIndex(({ type }) => type === "loop_joined");
  const until = join === -1 ? events.length : join + 1;
  return events
    .slice(0, until)
    .map(change)
    .reduce(apply, initialState(castStartOf(place.file)));
}

it("[V6] the cast of an item tells what it did, its files where they are kept, and nothing that it was given", async () => {
  const place = await worked();
  const [ended] = await eventsOfType(place, "item_ended");
  const child = await place.store.load(ended?.child ?? place.file.castId);
  if (!ended || !child.ok) throw new Error("the item is gone");
  const { state, file } = child.value;
  expect(file.window).toMatchObject({ notes: { workItems: { text: "keep it short" } } });
  expect(file.window).not.toHaveProperty("list");
  const files = { count: 1, files: [] } as unknown as NonNullable<typeof ended.files>; // nobody looks into it here
  expect(itemResultOf(state, { commit: "c0ffee", files })).toStrictEqual({
    outcome: "completed",
    reason: ended.reason,
    commit: "c0ffee",
    files,
    advanced: "Socket-4",
    satisfied: true,
    handed: state.handed,
    wrote: [
      [["last"], "built"],
      [["verdict"], ""],
    ],
    visits: { "Socket-2": 1, "Socket-3": 1, "Socket-4": 1 },
    counts: { taken: { "Socket-2 edge 0": 1, "Socket-3 edge 0": 1 }, allowed: {} },
    usage: state.usage,
  });
  expect(itemResultOf({ ...state, satisfied: undefined })).not.toHaveProperty("satisfied");
  expect(itemResultOf(state)).toMatchObject({ commit: null });
  expect(itemResultOf(state)).not.toHaveProperty("files");
  expect(() => itemResultOf(initialState(castStartOf(file)))).toThrow("only the cast of an item that has ended");
  expect(() => itemResultOf({ ...state, item: null })).toThrow("only the cast of an item that has ended");
});

it.each<[what: string, gaveUp: boolean, deeds: AgentActions]>([
  ["advanced", false, {}],
  ["was given up by its cast", true, { "Socket-4@WI-2": () => ({ text: NO }) }],
  ["could not be merged", true, { "Socket-2": ({ item }) => ({ text: "built", edits: { "same.txt": `by ${item}` } }) }],
])("[V10, V35] a loop whose last item %s is left as such a visit would", async (_what, gaveUp, deeds) => {
  const { phase } = await afterJoin(await worked(deeds, { limits: { maxConflicts: 0 } }));
  expect(phase).toMatchObject({ kind: "leaving", moved: "advanced", gaveUp, visit: { number: 0, reworked: false } });
});

it("[V35] a list from the last item that equals the list in state is the same list, otherwise another", async () => {
  const place = await worked();
  const handing = (list: typeof workItems | null) => (event: CastEvent) =>
    event.type === "item_ended" && event.index === 1 && event.handed
      ? { ...event, handed: { ...event.handed, workItems: list } }
      : event;
  const same = await afterJoin(place, handing(structuredClone(workItems)));
  expect(same.handed?.workItems).toBe(same.data["workItems"]);
  expect(same.handed).toMatchObject({ socket: "Socket-4", materia: "Eval", item: "b" });
  const other = [{ title: "z", context: "" }];
  expect((await afterJoin(place, handing(other))).handed?.workItems).toBe(other);
  expect((await afterJoin(place, handing(null))).handed?.workItems).toBeNull();
  const silent = (event: CastEvent) => (event.type === "item_ended" ? { ...event, handed: null } : event);
  expect((await afterJoin(place, silent)).handed).toBeNull();
});

it("[V12] an item that goes on tells all that it ever used, and all of it counts once", async () => {
  let tries = 0;
  const place = await worked({
    "Socket-2@WI-1": () => {
      tries += 1;
      return tries === 1 ? { text: "", fails: "no network" } : { text: "built" };
    },
  });
  await live(place);
  const told = (first: Usage, second: Usage) => {
    const left = [first, second];
    return (event: CastEvent) =>
      event.type === "item_ended" && event.index === 0 ? { ...event, usage: left.shift() ?? second } : event;
  };
  const none = { input: 0, output: 0, cost: 0 };
  const before = (await afterJoin(place, told(none, none))).usage;
  const { usage } = await afterJoin(place, told({ input: 1, output: 2, cost: 4 }, { input: 10, output: 20, cost: 40 }));
  expect([usage.input - before.input, usage.output - before.output, usage.cost - before.cost]).toEqual([10, 20, 40]);
});
