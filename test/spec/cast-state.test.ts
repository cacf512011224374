import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reworkReasonText, displayedReasons } from "../../src/core/cast/state/rework-reasons.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { assignSourcesOf, visibleState } from "../../src/core/cast/state/current-item.ts";
import {
  EMPTY_MAP,
  keysOf,
  getValue,
  increment,
  withValue,
  withoutKeys,
  type PersistentMap,
} from "../../src/core/cast/state/persistent-map.ts";
import { NO_ITEM_COUNTS, addItemCount, itemCount, type CountsByItem } from "../../src/core/cast/state/item-counts.ts";
import type { Materia } from "../../src/core/model/materia.ts";
import { startOf } from "../harness/play.ts";
import { TIME, items, socket, workshop } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { parseEvent } from "../../src/core/cast/state/event.ts";

describe("[D6] a line that is no event says what is wrong with it", () => {
  const none = "it is no event (seq, at or type is missing or wrong)";
  const line = { type: "visit_started", seq: 1, at: TIME, socket: "Socket-1", visit: 1, materia: "Build", item: null };

  it.each<[what: string, written: unknown, said: unknown]>([
    ["nothing", null, none],
    ["a list", [line], none],
    ["a text", "visit_started", none],
    ["no type", { seq: 1, at: TIME }, none],
    ["a type that is none", { ...line, type: 5 }, none],
    ["no number", { ...line, seq: undefined }, none],
    ["a time that is none", { ...line, at: 5 }, none],
    [
      "another version's type",
      { ...line, type: "moon_risen" },
      'its type "moon_risen" is unknown here; a newer version may have written it',
    ],
    ["a wrong value", { ...line, visit: -1 }, 'its "visit" is wrong'],
    [
      "a wrong value inside another",
      { ...line, item: { index: "a", key: "k", title: "t" } },
      'its "item.index" is wrong',
    ],
    ["an event", line, line],
  ])("[D6] %s", (_what, written, said) => {
    expect(parseEvent(written)).toEqual(said);
  });
});

describe("[R1, R3] reasons", () => {
  const long = `${"a".repeat(1_000)} end`;
  it.each<[what: string, materia: Materia, kept: "beginning" | "end"]>([
    ["a command's last words", { type: "utility", command: ["x"], gate: true }, "end"],
    ["a program's first", { type: "utility", command: ["x"] }, "beginning"],
    ["an agent's first", { type: "agent", prompt: "p", tools: "none" }, "beginning"],
    ["a person's first", { type: "person", question: "q" }, "beginning"],
  ])("[R1] %s are kept", (_what, materia, kept) => {
    const reason = reworkReasonText(` ${long}\n`, materia);
    expect(reason.endsWith(" end")).toBe(kept === "end");
    expect(reason.startsWith("aaa")).toBe(kept === "beginning");
    expect(reworkReasonText("  short\n", materia)).toBe("short");
  });

  it("[R3] the earlier ones together have a limit; what has no room is left out", () => {
    const said = (text: string) => ({ socket: socket("Socket-1"), materia: "Build", item: null, text });
    const lengths = (...texts: readonly number[]) =>
      displayedReasons(texts.map((count) => said("x".repeat(count)))).length;
    expect([lengths(900, 900, 400), lengths(900, 2_350, 900), lengths(900, 2_300, 900)]).toEqual([3, 2, 3]);
    const [newest, ...earlier] = displayedReasons([3_000, 2_000, 900].map((count) => said("x".repeat(count))));
    expect(newest?.text).toHaveLength(3_000);
    expect(earlier.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(2_400);
  });
});

describe("[V29, O4] the start of an item's cast", () => {
  const start = startOf(workshop());
  const { workItems } = items("a", "b") as { workItems: readonly { title: string; context: string }[] }; // as it was made
  const handed = { socket: socket("Socket-1"), materia: "Plan", item: null, text: "t", reason: "", workItems };
  const window = {
    parent: start.castId,
    loop: "each",
    index: 1,
    attempt: 1,
    door: socket("Socket-2"),
    from: null,
    notes: {},
    reasons: [],
    base: "b",
    tree: null,
  };
  const begin = (list: unknown, said: typeof handed | null): CastState =>
    initialState({ ...start, data: { workItems: list } as never, window: { ...window, handed: said } });

  it("[V29] a handed-on list that equals the list in state is the same list, so prompts have it once", () => {
    const list = JSON.parse(JSON.stringify(workItems)) as typeof workItems; // the same again
    expect(begin(list, handed).handed?.workItems).toBe(list);
    expect(begin([], handed).handed?.workItems).toBe(workItems);
    expect(begin(list, null).handed).toBe(null);
  });

  it("[O4] outside a loop there is no item", () => {
    const state = begin(workItems, handed);
    expect(visibleState(state)).toBe(state.data);
    expect(assignSourcesOf(state)).toEqual({ data: state.data, item: null });
  });
});

/** Keys that a table cannot tell apart but by comparing them. */
const ALIKE = ["AaAa", "AaBB", "BBAa", "BBBB"];

it("[J1] the counts of a cast, of any size: set, changed and removed like in a plain list of pairs", () => {
  const step = fc.record({ key: fc.nat(60), how: fc.constantFrom("set", "change", "remove"), value: fc.nat() });
  fc.assert(
    // Of the usual size, few tables would hold more than the few that stand in one row.
    fc.property(fc.array(step, { minLength: 20, maxLength: 120, size: "max" }), (steps) => {
      let plain = new Map<string, number>();
      let table: PersistentMap<number> = EMPTY_MAP;
      const before = [{ table, plain }];
      for (const { key: number, how, value } of steps) {
        const key = ALIKE[number] ?? `Socket-${number}`;
        plain = new Map(plain);
        if (how === "remove") plain.delete(key);
        else plain.set(key, how === "set" ? value : (plain.get(key) ?? 0) + 1);
        if (how === "remove") table = withoutKeys(table, [key, "Socket-none"]);
        else if (how === "set") table = withValue(table, key, value);
        else table = increment(table, key);
        before.push({ table, plain });
      }
      // What was there before a change is still as it was.
      for (const stood of before) {
        expect(keysOf(stood.table).toSorted()).toEqual([...stood.plain.keys()].toSorted());
        expect([...stood.plain.keys()].map((key) => getValue(stood.table, key))).toEqual([...stood.plain.values()]);
      }
    }),
    { seed: 1, numRuns: 8 },
  );
});

it("[J1] of thousands of counts a change copies only the few beside it", () => {
  const tableOf = (size: number): PersistentMap<number> =>
    Array.from({ length: size }, (_, at) => at).reduce<PersistentMap<number>>(
      (table, at) => withValue(table, `Socket-${at}`, at),
      EMPTY_MAP,
    );
  expect([tableOf(1).many, tableOf(8).many, tableOf(9).few]).toEqual([null, null, []]);
  const table = tableOf(3_000);
  const sheets = table.many ?? [];
  const rows = sheets.flat(2).map(({ length }) => length);
  expect(rows).toHaveLength(4_096);
  expect(Math.max(...rows)).toBeLessThanOrEqual(12);
  const changed = withValue(table, "Socket-77", -1).many ?? [];
  expect(changed.filter((sheet, at) => sheet !== sheets[at])).toHaveLength(1);
});

it("[J12] what is counted for one item counts for no other, wherever they stand, and changes no earlier state", () => {
  const added = fc.record({
    index: fc.nat(200),
    name: fc.constantFrom("Socket-1 edge 0", "Socket-2 edge 0", "Socket-2 edge 1"),
    times: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(added, { maxLength: 60 }), (all) => {
      const expected = new Map<string, number>();
      let counts: CountsByItem = NO_ITEM_COUNTS;
      for (const { index, name, times } of all) {
        const before = JSON.stringify(counts);
        const after = addItemCount(counts, index, name, times);
        expect(JSON.stringify(counts)).toBe(before);
        counts = after;
        expected.set(`${index} ${name}`, (expected.get(`${index} ${name}`) ?? 0) + times);
      }
      for (let index = 0; index <= 201; index += 1)
        for (const name of ["Socket-1 edge 0", "Socket-2 edge 0", "Socket-2 edge 1"])
          expect(itemCount(counts, index, name)).toBe(expected.get(`${index} ${name}`) ?? 0);
    }),
  );
});
