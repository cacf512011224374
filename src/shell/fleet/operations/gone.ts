import { readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../process/process-owner.ts";
import type { Database } from "../../store/postgres/database/database.ts";

const RETENTION_DAYS = 7;

/** Whether the queues have given something to the worker `w` that is not over. */
const HAS_PENDING_WORK = "w.worker_id in (select executor_id from dbos.workflow_status where status = 'PENDING')";

/** [B14] Workers that are gone with something begun, however long ago: a fleet may have stood still for weeks. */
export const GONE_WITH_PENDING_WORK = `select worker_id from materia.workers w where state = 'gone' and ${HAS_PENDING_WORK}`;

/** [B18] Nobody asks for them any more: what they drove has gone on, and journals name workers by themselves. */
export async function deleteStaleWorkers(database: Database): Promise<void> {
  await database.query({
    text: `delete from materia.workers w where state = 'gone' and seen_at < now() - interval '${RETENTION_DAYS} days'
      and not exists (select from materia.casts c where c.owner = w.worker_id) and not ${HAS_PENDING_WORK}`,
  });
}

/** Few enough that whoever removes them is heard of meanwhile; the rest comes with the next look. */
const DELETE_BATCH = 500;

/** [B18] Legs that have been over for as long: the queues would keep them for ever, and nobody asks for them. A cast counts its legs itself. */
export async function expiredDispatches(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ workflow_uuid: string }>({
    text: `select workflow_uuid from dbos.workflow_status
      where completed_at < (extract(epoch from now() - interval '${RETENTION_DAYS} days') * 1000)::bigint
        and status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
      order by completed_at limit ${DELETE_BATCH}`,
  });
  return rows.map((row) => row.workflow_uuid);
}

/** What a worker is called: it names a folder, and a machine may be called anything. */
export function createWorkerId(host: string, pid: number, chance: string): string {
  return `${hostNameForFolder(host)}-${pid}-${chance}`;
}

function hostNameForFolder(host: string): string {
  return host.replaceAll(/[^\w.-]/g, "-");
}

interface WorkerRow {
  readonly worker_id: string;
  readonly state: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
}

/** [B14] What workers left here that were killed. One that was given up may still be at work in its folder. */
export async function removeOrphanedFolders(database: Database, base: string): Promise<void> {
  const folders = readdirSync(base);
  const rows = await database.query<WorkerRow & Record<string, unknown>>({
    text: "select worker_id, state, host, pid, started from materia.workers where worker_id = any($1)",
    values: [folders],
  });
  const known = new Map(rows.map((row) => [row.worker_id, row]));
  for (const name of folders) {
    const row = known.get(name);
    if (row ? isOrphanedFolder(row) : isUnknownWorkerFolder(base, name)) rmSync(join(base, name), { recursive: true, force: true });
  }
}

function isOrphanedFolder({ state, host, pid, started: startedAt }: WorkerRow): boolean {
  return state === "gone" && host === hostname() && !isAlive({ pid, host, startedAt });
}

/** Of a worker that the database has forgotten, or of another fleet: no process of this machine can have it. */
function isUnknownWorkerFolder(base: string, name: string): boolean {
  const [, host, pid] = /^(.+)-(\d+)-[0-9a-f]{6}$/.exec(name) ?? [];
  if (host !== hostNameForFolder(hostname()) || processExists(Number(pid))) return false;
  return statSync(join(base, name)).mtimeMs < Date.now() - RETENTION_DAYS * 24 * 3_600_000;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
  }
}
