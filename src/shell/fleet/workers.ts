import { fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { databaseIssue } from "../store/postgres/database/database.ts";
import type { OpenFleet } from "./open/fleet.ts";

/** A worker as the others see it. */
export interface WorkerRow {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly state: "up" | "draining";
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly casts: readonly string[];
  /** Since it was last heard of, by the clock of the database. */
  readonly silentMs: number;
}

export interface FleetStanding {
  readonly workers: readonly WorkerRow[];
  /** Casts that wait for a worker. */
  readonly queued: number;
}

/** [B18] Who works, on what, and what waits. */
export async function fleetStanding({ database, profile }: OpenFleet): Promise<Result<FleetStanding>> {
  try {
    const workers = await database.rows<WorkerRow>({
      text: `select worker_id as worker, host, pid, version, state, queues, concurrency,
          (extract(epoch from now() - seen_at) * 1000)::int as "silentMs",
          array(select cast_id from materia.casts c where c.owner = w.worker_id order by cast_id) as casts
        from materia.workers w where state <> 'gone' order by n`,
    });
    const [row] = await database.rows<{ queued: number }>({
      text: "select count(*)::int as queued from materia.casts where status = 'queued'",
    });
    return ok({ workers, queued: row?.queued ?? 0 });
  } catch (thrown) {
    return fail(databaseIssue(profile.name, thrown));
  }
}
