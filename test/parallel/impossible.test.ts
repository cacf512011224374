import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { countOf } from "../../src/core/cast/state/persistent-map.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { live, newPlace } from "./harness/lives.ts";
import { parallelWorkshop } from "./harness/scenarios.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const workItems = ["a", "b", "c"].map((title) => ({ title, context: "" }));
const place = newPlace({
  config: parallelWorkshop(2),
  files: {},
  deed: ({ socket, item }) => {
    if (socket === "Socket-1") return { text: JSON.stringify({ workItems }), tokens: 10 };
    if (socket === "Socket-2") return { text: "built", edits: { [`${item}.txt`]: "built" }, tokens: 10 };
    return { text: JSON.stringify({ satisfied: true, context: "" }), tokens: 10 };
  },
});
await live(place);
const cast = await place.store.load(place.file.castId);
if (!cast.ok) throw new Error("it was just run");
const { events, state: end } = cast.value;
const start = initialState(castStartOf(place.file));

/** The event of this type and number, and the cast before it. */
function at<K extends CastEvent["type"]>(type: K, number = 0) {
  const found = events.filter((event): event is Extract<CastEvent, { type: K }> => event.type === type)[number];
  if (!found) throw new Error(`no ${type}`);
  return { event: found, before: events.slice(0, found.seq - 1).reduce(apply, start) };
}

/** The same event with something else in it, or at another moment. */
function put(before: CastState, event: CastEvent, other: object = {}): () => CastState {
  return () => apply(before, { ...event, ...other, seq: before.seq + 1 });
}

const conflictOf = (event: CastEvent): CastEvent =>
  ({
    ...event,
    type: "item_conflicted",
    round: 1,
    onto: "x",
    tree: "x",
    files: [],
    reason: "",
  }) as unknown as CastEvent; // of that type
const givenUp: CastEvent = { ...at("item_merged").event, type: "item_given_up", loop: "each", index: 0, reason: "" };

describe("[V7] events of items that cannot have happened", () => {
  const [forked, started, ended] = [at("loop_forked"), at("item_started"), at("item_ended")];
  const [merged, joined] = [at("item_merged"), at("loop_joined")];
  it.each<[what: string, deed: () => CastState]>([
    ["a fork of another loop", put(forked.before, forked.event, { loop: "other" })],
    ["a fork inside a fork", put(started.before, forked.event)],
    ["a fork before the list is walked", put(start, forked.event)],
    ["an item that begins twice", put(apply(started.before, started.event), started.event)],
    ["the end of an item that has not begun", put(started.before, ended.event)],
    ["the end of another cast than the item's", put(ended.before, ended.event, { child: "other" })],
    ["an item that ends twice", put(apply(ended.before, ended.event), ended.event)],
    ["the merge of an item whose turn it is not", put(merged.before, merged.event, { index: 1 })],
    ["the merge of an item that has not ended", put(started.before, merged.event)],
    ["a conflict of an item that is merged", put(apply(merged.before, merged.event), conflictOf(merged.event))],
    ["the merge of an item that is at work", put(apply(started.before, started.event), merged.event)],
    ["a conflict of an item that is at work", put(apply(started.before, started.event), conflictOf(merged.event))],
    ["a conflict of an item whose turn it is not", put(merged.before, conflictOf(merged.event), { index: 1 })],
    ["an item at work that is given up", put(apply(started.before, started.event), givenUp)],
    ["an item that is given up before its turn", put(merged.before, givenUp, { index: 1 })],
    ["an item that is given up and has not begun", put(started.before, givenUp)],
    ["a join before every item is merged", put(merged.before, joined.event)],
    ["a join of what was never forked", put(forked.before, joined.event)],
  ])("[V7] %s", (_what, deed) => {
    expect(deed).toThrow(/ cannot happen (while the cast is|in the loop) /);
  });

  it("[V7] what cannot have happened is named, with its item where it is about one", () => {
    expect(put(merged.before, merged.event, { index: 1 })).toThrow(
      "item_merged of WI-2 cannot happen in the loop each now",
    );
    expect(put(merged.before, joined.event)).toThrow("loop_joined cannot happen in the loop each now");
  });
});

it("[V6] the visits, turns and tokens of items count in their cast as if it had done them itself", () => {
  expect(end.done).toMatchObject({
    itemsDone: 3,
    visits: events.filter(({ type }) => type === "visit_completed").length + 9,
  });
  expect(["Socket-2", "Socket-3", "Socket-4"].map((id) => countOf(end.visits, id))).toEqual([3, 3, 3]);
  const own = events.flatMap((event) => (event.type === "visit_completed" ? [event.usage] : []));
  const theirs = events.flatMap((event) => (event.type === "item_ended" ? [event.usage] : []));
  const sum = (key: "input" | "output" | "cost") => [...own, ...theirs].reduce((all, usage) => all + usage[key], 0);
  expect(end.usage).toEqual({ input: sum("input"), output: sum("output"), cost: sum("cost") });
  expect(theirs.every(({ input, output }) => input + output > 0)).toBe(true);
});

it("[V16] without a base the items are walked one by one, in the same cast", () => {
  const { event, before } = at("loop_forked");
  const alone = put(before, event, { base: null })();
  expect([alone.phase.kind, alone.pass?.oneByOne, alone.forks]).toEqual([before.phase.kind, true, before.forks]);
  expect(put(alone, event)).toThrow(Error);
});
