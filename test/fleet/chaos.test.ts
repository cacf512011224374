import { expect, it } from "vitest";
import { chanceOf } from "../harness/random-graph.ts";
import { eventsOn, fileOf, fleetPlace, statusOn, submitted, until } from "../harness/fleet/fleet-place.ts";
import type { FleetPlace } from "../harness/fleet/fleet-place.ts";

const CASTS = 3;
const KILLS = 3;
const SOCKETS = ["Socket-1", "Socket-2", "Socket-3", "Socket-4", "Socket-5"];

async function completedVisits({ database }: FleetPlace): Promise<number> {
  const text = `select count(*)::int as count from materia.events where event like '%"type":"visit_completed"%'`;
  const [row] = await database.rows<{ count: number }>({ text });
  return row?.count ?? 0;
}

it.each([7])(
  "[B8, B14] seed %i: workers are killed on the way, and every cast ends as if nothing had been",
  async (seed) => {
    const chance = chanceOf(seed);
    const place = await fleetPlace();
    let workers = [await place.worker(), await place.worker()];
    const casts: string[] = [];
    for (let count = 0; count < CASTS; count += 1) casts.push(await submitted(place, "Long"));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await until(async () => (await completedVisits(place)) >= kill * 3);
      const victim = workers[chance.count(0, workers.length - 1)];
      victim?.kill("SIGKILL");
      workers = [...workers.filter((each) => each !== victim), await place.worker()];
    }
    for (const castId of casts) {
      await until(async () => (await statusOn(place, castId)) === "completed");
      const events = await eventsOn(place, castId);
      const done = events.flatMap((event) => (event.type === "visit_completed" ? [event.socket] : []));
      expect(done).toEqual(SOCKETS);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      expect((await place.materia("take", castId)).code).toBe(0);
      expect(fileOf(place.cwd, `materia/${castId}`, "work.log")).toBe(SOCKETS.join("\n"));
    }
  },
);
