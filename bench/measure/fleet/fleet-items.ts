import type { Database } from "../../../src/shell/store/postgres/database.ts";
import { until } from "../../../test/harness/fleet/start-worker.ts";
import { makeRepository } from "../checkpoints.ts";
import { median } from "../process.ts";
import { dismiss, submitted, upWorkers, type Place } from "./fleet-workers.ts";

const FILES = 200;

/** Eight items of one second each, four at once, over two workers of two places: from the fork to the join, by the journal. */
export async function measureItems(place: Place, database: Database, rounds: number): Promise<number> {
  makeRepository(place.cwd, FILES);
  const workers = [place.worker(2), place.worker(2)];
  try {
    await until(async () => (await upWorkers(database)) === workers.length);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await loopTime(database, submitted(place, "Items")));
    return median(times);
  } finally {
    await dismiss(workers);
  }
}

async function loopTime(database: Database, castId: string): Promise<number> {
  const status = await until(async () => {
    const text = "select status from materia.casts where cast_id = $1 and status in ('completed', 'failed', 'aborted')";
    const [cast] = await database.query<{ status: string }>({ text, values: [castId] });
    return cast?.status;
  });
  if (status !== "completed") throw new Error(`the items ended as ${status}`);
  const at = async (type: string): Promise<number> => {
    const text =
      "select event::jsonb ->> 'at' as at from materia.events where cast_id = $1 and event::jsonb ->> 'type' = $2";
    const [event] = await database.query<{ at: string }>({ text, values: [castId, type] });
    return Date.parse(event?.at ?? "");
  };
  return (await at("loop_joined")) - (await at("loop_forked"));
}
