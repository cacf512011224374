import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { watchCast } from "../../src/shell/casting/watch-cast.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";
import { eventsOf, live, newPlace, eventsOfType, type Place } from "./harness/lives.ts";
import { YES, doing, parallelWorkshop } from "./harness/scenarios.ts";

it("[V15] a watcher elsewhere gets all that items do, and follows no more of them than are running", async () => {
  const workItems = ["a", "b", "c", "d", "e", "f", "g"].map((title) => ({ title, context: "c" }));
  const told = new Map<string, readonly CastEvent[]>();
  const followed = new Set<string>();
  const ends: string[] = [];
  let most = 0;
  let watching: Promise<Awaited<ReturnType<typeof watchCast>> | undefined> = Promise.resolve(undefined);
  const watch = async ({ store, file }: Place) => {
    const counting: CastStore = {
      ...store,
      followEvents: (castId, after, wake) => {
        followed.add(castId);
        most = Math.max(most, followed.size - 1);
        const following = store.followEvents(castId, after, wake);
        return { ...following, close: () => (followed.delete(castId), following.close()) };
      },
    };
    const cast = await store.load(file.castId);
    if (!cast.ok) return cast;
    return watchCast(counting, cast.value, {
      signal: new AbortController().signal,
      isExpected: async () => true,
      onItemSteps: (steps) => {
        for (const { event, after } of steps) told.set(after.castId, [...(told.get(after.castId) ?? []), event]);
      },
      onSteps: (steps) => {
        for (const { event } of steps)
          if (event.type === "item_ended") ends.push(told.get(event.child)?.at(-1)?.type ?? "");
      },
    });
  };
  const place = newPlace({
    config: parallelWorkshop(3),
    files: {},
    deed: doing(workItems, {
      "Socket-3@WI-2": () => {
        watching = watch(place);
        return { text: YES, patience: 20 };
      },
      "Socket-2@WI-6": () => ({ text: "built", patience: 9 }),
    }),
  });
  await live(place);
  expect(await watching).toMatchObject({ ok: true, value: { kind: "ended" } });
  const [, ...later] = await eventsOfType(place, "item_started");
  for (const { child } of later) expect([child, told.get(child)]).toEqual([child, await eventsOf(place, child)]);
  expect(new Set(ends)).toEqual(new Set(["cast_ended"]));
  expect([most, followed.size]).toEqual([3, 0]);
});
