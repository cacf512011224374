import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart } from "../../src/core/cast/state/state.ts";
import { applyStep, advanceTimeline, startTimeline, type CastTimeline } from "../../src/core/cast/timeline.ts";
import {
  applyMapChanges,
  keysOf,
  diffMaps,
  getValue,
  withValue,
  withoutKeys,
  type PersistentMap,
} from "../../src/core/cast/state/persistent-map.ts";
import {
  emptyPackingContext,
  packTimeline,
  type PackedTimeline,
  type PackingContext,
  createUnpacker,
  type TimelineUnpacker,
} from "../../src/core/cast/bookmark.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { catalogOf, playFrom, startOf } from "../harness/play.ts";
import { chanceOf, randomConfig, simulate } from "../harness/random-graph.ts";
import { items, workshop } from "../harness/seats.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const begun = (start: CastStart): CastTimeline => startTimeline(initialState(start));

function followed(trail: CastTimeline, events: readonly CastEvent[]): CastTimeline {
  return events.reduce((each, event) => advanceTimeline(each, applyStep(each.state, event)), trail);
}

/** Packs at every so many events, each one as it would be read from a file. */
function packsOf(start: CastStart, events: readonly CastEvent[], every: number): readonly PackedTimeline[] {
  const packs: PackedTimeline[] = [];
  let trail = begun(start);
  let before: PackingContext = emptyPackingContext(trail);
  for (const [index, event] of events.entries()) {
    trail = advanceTimeline(trail, applyStep(trail.state, event));
    if ((index + 1) % every !== 0) continue;
    const made = packTimeline(trail, before);
    packs.push(JSON.parse(JSON.stringify(made.pack)) as PackedTimeline);
    before = made.packed;
  }
  return packs;
}

/** A list of many items, some of which come back. */
async function longCast(count: number): Promise<{ readonly start: CastStart; readonly events: readonly CastEvent[] }> {
  const titles = Array.from({ length: count }, (_, index) => `item ${index}`);
  const judged = titles.flatMap((_, index) => [
    ...(index % 3 === 0 ? [{ satisfied: false, context: "again" }] : []),
    { satisfied: true },
  ]);
  const start = startOf(workshop(), { data: JSON.parse('{"__proto__":{"deep":[1,null]},"few":[],"many":null}') });
  const { events } = await playFrom(initialState(start), { says: { Plan: [items(...titles)], Eval: judged } });
  return { start, events };
}

function unpack(packs: readonly PackedTimeline[], start: CastTimeline): TimelineUnpacker {
  const unpacker = createUnpacker(start);
  for (const each of packs) unpacker.add(each);
  return unpacker;
}

describe("[J28] a cast that was packed", () => {
  it("[J28] is the same at every moment, and goes on to the same end", async () => {
    const { start, events } = await longCast(60);
    const every = 7;
    const packs = packsOf(start, events, every);
    const end = followed(begun(start), events);
    expect(packs.length).toBeGreaterThan(60);
    for (const [index] of packs.entries()) {
      const at = (index + 1) * every;
      const trail = unpack(packs.slice(0, index + 1), begun(start)).timeline();
      expect(trail).toStrictEqual(followed(begun(start), events.slice(0, at)));
      expect(followed(trail, events.slice(at))).toStrictEqual(end);
    }
  });

  it("[J28] is as long as what happened since the one before, and holds its list once", async () => {
    const { start, events } = await longCast(200);
    const packs = packsOf(start, events, 40);
    const sizes = packs.map((each) => JSON.stringify(each).length);
    const [half, whole] = [sizes[Math.floor(sizes.length / 2)] ?? 0, sizes.at(-1) ?? 0];
    expect(Math.max(half, whole)).toBeLessThan(1.2 * Math.min(half, whole));
    const { state } = unpack(packs.slice(0, 5), begun(start)).timeline();
    expect(state.pass?.items).toBe(state.data["workItems"]);
  });

  it("[J28] can be packed again where it was unpacked", async () => {
    const { start, events } = await longCast(60);
    const first = packsOf(start, events.slice(0, 300), 100);
    const { timeline: trail, packingContext: packed } = unpack(first, begun(start));
    const later = followed(trail(), events.slice(300));
    const next = packTimeline(later, packed());
    expect(JSON.stringify(next.pack).length).toBeLessThan(
      JSON.stringify(packTimeline(later, emptyPackingContext(later)).pack).length,
    );
    expect(unpack([...first, next.pack], begun(start)).timeline()).toStrictEqual(later);
  });

  it("[J28] is the same for casts of random graphs", SWEEP, () => {
    let moments = 0;
    const seeds = sweepSize(40, 150);
    for (let seed = 1; seed <= seeds; seed += 1) {
      const chance = chanceOf(seed);
      const catalog = catalogOf(randomConfig(chance, chance.count(2, 7)));
      const compiled = compileTargets([{ kind: "loadout", name: "Main" }], catalog);
      if (!compiled.ok) continue;
      const { limits, budget } = catalog.settings;
      const castId = "test-cast" as CastId; // of an id's form
      const start: CastStart = { castId, request: "x", graph: compiled.value.graph, limits, budget, data: {} };
      const { events } = simulate(initialState(start), chance, 60);
      const packs = packsOf(start, events, 5);
      for (const [index] of packs.entries()) {
        moments += 1;
        const trail = unpack(packs.slice(0, index + 1), begun(start)).timeline();
        expect(trail, `seed ${seed}`).toStrictEqual(followed(begun(start), events.slice(0, (index + 1) * 5)));
      }
    }
    expect(moments).toBeGreaterThan(2 * seeds);
  });
});

describe("[J28] changes of a table", () => {
  const key = fc.integer({ min: 0, max: 60 }).map(String);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ key, value: fc.integer() }) },
    { weight: 1, arbitrary: fc.record({ key }) },
  );
  const steps = fc.array(step, { maxLength: 120 });
  const changed = (
    table: PersistentMap<number>,
    all: readonly { key: string; value?: number }[],
  ): PersistentMap<number> =>
    all.reduce(
      (each, { key: at, value }) => (value === undefined ? withoutKeys(each, [at]) : withValue(each, at, value)),
      table,
    );
  const many = (): PersistentMap<number> => changed(MANY, []);

  it("[J28] lead from the one to the other, and from none", () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const from = changed(many(), first);
        const to = changed(from, second);
        for (const base of [from, null]) {
          const reached = applyMapChanges<number>(base, (writer) => diffMaps(base, to, writer));
          expect(keysOf(reached).toSorted()).toEqual(keysOf(to).toSorted());
          for (const each of keysOf(to)) expect(getValue(reached, each)).toBe(getValue(to, each));
        }
        const told: string[] = [];
        diffMaps(to, to, { remove: (each) => told.push(each), put: (each) => told.push(each) });
        expect(told).toEqual([]);
      }),
    );
  });

  it("[J28] leave the table that they begin with as it was", () => {
    const from = many();
    applyMapChanges<number>(from, ({ remove, put }) => {
      remove("1");
      put("2", 0);
      put("new", 0);
    });
    expect([getValue(from, "1"), getValue(from, "2"), getValue(from, "new")]).toEqual([1, 2, undefined]);
  });
});

const MANY: PersistentMap<number> = Array.from({ length: 20 }, (_, index) => index).reduce(
  (table: PersistentMap<number>, index) => withValue(table, String(index), index),
  { few: [], many: null },
);
