import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { eventsOn, fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

const FAULTS = new URL("../harness/chaos/faults.mjs", import.meta.url).href;
const DAY = 24 * 3_600_000;

it("[B14, B75] a clock that jumps under a live worker evicts nobody, and each visit runs once", async () => {
  const place = await fleetPlace();
  const clock = join(dirname(place.cwd), "clock");
  const setClock = (ms: number): void => writeFileSync(clock, String(ms));
  setClock(0);
  const pace = { beatMs: 50 };
  const worker = await place.worker({ pace, env: { NODE_OPTIONS: `--import=${FAULTS}`, CHAOS_CLOCK: clock } });
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  await place.worker({ pace });
  const { database } = place;
  const text = "select seen_at::text as at from materia.workers where worker_id = $1 and state = 'up'";
  const seenAt = async () => (await database.query<{ at: string }>({ text, values: [worker.id] }))[0]?.at ?? "gone";
  for (const jump of [2 * DAY, -2 * DAY, 60_000]) {
    setClock(jump);
    // Heartbeats go on, and a whole round of the other duties.
    for (let beat = 0; beat < 6; beat += 1) {
      const before = await seenAt();
      await until(async () => (await seenAt()) !== before);
      expect(await seenAt()).not.toBe("gone");
    }
  }
  letGo(place);
  await until(async () => (await statusOn(place, castId)) === "completed");
  const types = (await eventsOn(place, castId)).map(({ type }) => type);
  expect(types.filter((type) => type === "visit_completed")).toHaveLength(3);
  expect(types).not.toContain("cast_resumed");
  expect(worker.states.map(({ kind }) => kind)).toEqual(["running"]);
});
