import type { Database } from "../../../src/shell/store/postgres/database.ts";
import { until } from "./start-worker.ts";

/** As if a worker had not been heard of for so many seconds by now: nobody waits until it has not. */
export async function silence(database: Database, workerId: string, seconds: number): Promise<void> {
  await database.query({
    text: "update materia.workers set seen_at = now() - $2::int * interval '1 s' where worker_id = $1",
    values: [workerId, seconds],
  });
}

/** For how many seconds. */
export async function unheardOf(database: Database, workerId: string): Promise<number> {
  const [row] = await database.query<{ seconds: number }>({
    text: "select extract(epoch from clock_timestamp() - seen_at)::float8 as seconds from materia.workers where worker_id = $1",
    values: [workerId],
  });
  return row?.seconds ?? Infinity;
}

/** Others give up a worker that cannot be heard; what it had said just before may arrive after the first silence. */
export async function untilGivenUp(database: Database, workerId: string, signal?: AbortSignal): Promise<void> {
  await until(async () => {
    await silence(database, workerId, 3_600);
    const [row] = await database.query<{ state: string }>({
      text: "select state from materia.workers where worker_id = $1",
      values: [workerId],
    });
    return row?.state === "gone";
  }, signal);
}
