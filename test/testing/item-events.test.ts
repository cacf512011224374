import { expect, it } from "vitest";
import { mergeItemEvents } from "../../src/core/cast/simulate.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { live, newPlace, type Place } from "../parallel/harness/lives.ts";
import { randomScenario } from "../parallel/harness/scenarios.ts";

interface PlayedCast {
  readonly visits: readonly string[];
  readonly outcome: string | undefined;
}

async function playedWith(seed: number, lanes: number, pace: number): Promise<PlayedCast> {
  const place = newPlace(randomScenario(seed, { lanes, pace, shared: true }));
  await live(place);
  const own = await eventsOf(place, place.file.castId);
  const items = new Map<string, readonly CastEvent[]>();
  for (const event of own)
    if (event.type === "item_started") items.set(event.child, await eventsOf(place, event.child));
  const visits = mergeItemEvents(own, items).flatMap((event) => (event.type === "visit_started" ? [event.socket] : []));
  const last = own.at(-1);
  return { visits, outcome: last?.type === "cast_ended" ? last.outcome : undefined };
}

async function eventsOf({ store }: Place, castId: Place["file"]["castId"]): Promise<readonly CastEvent[]> {
  const cast = await store.load(castId);
  return cast.ok ? cast.value.events : [];
}

it("[T26] the visits of items are in the order of the list, at any speed and with any number at once", async () => {
  let compared = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const calm = await playedWith(seed, 3, 1);
    // [V11] Which items have begun when one fails or ends the cast depends on who was quicker.
    if (calm.outcome !== "completed") continue;
    compared += 1;
    expect(await playedWith(seed, 3, seed + 7), `seed ${seed}`).toEqual(calm);
    if (!calm.visits.includes("Socket-4")) continue;
    expect(calm.visits.slice(0, 2), `seed ${seed}`).toEqual(["Socket-1", "Socket-2"]);
  }
  expect(compared).toBeGreaterThan(20);
});
