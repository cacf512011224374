import type { Client } from "pg";
import { isTransientError, type Database } from "../../store/postgres/database.ts";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { ignoreLocalErrors } from "../../system/files.ts";
import { isAlive, processExists } from "../../process/process-identity.ts";

/** Times of heartbeats and evictions in milliseconds, by the clock of the database alone. */
export interface HeartbeatTiming {
  readonly beatMs: number;
  /** A worker is dead after this time without a heartbeat, … */
  readonly silentMs: number;
  /** … or after this time if its session is closed. */
  readonly unlockedMs: number;
  /** A worker evicts nobody in this time after its connection: after a restart of the database all workers were silent. */
  readonly newMs: number;
  readonly pollMs: number;
  /** [B16] A worker gets a cast that it rejected again after this time. */
  readonly againMs: number;
}

export const HEARTBEAT_TIMING: HeartbeatTiming = {
  beatMs: 1_000,
  silentMs: 20_000,
  unlockedMs: 3_000,
  newMs: 10_000,
  pollMs: 250,
  againMs: 60_000,
};

export interface WorkerRegistration {
  readonly workerId: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
  readonly version: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
}

export type WorkerSession = Awaited<ReturnType<typeof openWorkerSession>>;

/** [B76] Registers a worker, and opens the session by which others see that it lives. */
export async function openWorkerSession(database: Database, registration: WorkerRegistration, pace: HeartbeatTiming) {
  const { workerId } = registration;
  const { ask, close } = await openHeartbeatConnection(database, registration);
  // [B81] Everything but the heartbeat uses other connections: it must never wait behind them.
  const askPool = <T extends Record<string, unknown>>(text: string, values: readonly unknown[]) =>
    database.queryOnce<T>({ text, values });
  return {
    close,
    /** False if this worker was evicted. */
    heartbeat: async (): Promise<boolean> => (await ask(HEARTBEAT, [workerId])).length > 0,
    /** Returns those that nobody had evicted before. */
    evictDead: async (): Promise<readonly string[]> => {
      const values = [workerId, pace.silentMs, pace.unlockedMs, pace.newMs];
      const rows = await askPool<{ worker_id: string }>(EVICT_DEAD, values);
      // The worker may only be suspended: locks of its session must not wait until it wakes.
      for (const row of rows) await askPool(END_SESSIONS, [row.worker_id]).catch(() => []);
      return rows.map((row) => row.worker_id);
    },
    /** Milliseconds until a worker without a session may be evicted; undefined if all have one. */
    nextEvictionMs: async (): Promise<number | undefined> => {
      const [row] = await askPool<{ ms: number | null }>(NEXT_EVICTION, [workerId, pace.unlockedMs, pace.newMs]);
      return row?.ms ?? undefined;
    },
    goneAmong: async (workers: readonly string[]): Promise<readonly string[]> =>
      (await askPool<{ worker_id: string }>(GONE_AMONG, [workers])).map((row) => row.worker_id),
    /** Does nothing while another worker runs such work. */
    runExclusively: (work: () => Promise<void>): Promise<void> =>
      database.transaction(async (client) => {
        const { rowCount } = await client.query(
          "select from materia.locks where name = 'requeue' for update skip locked",
        );
        if (rowCount !== 0) await work();
      }),
    setState: async (state: "draining" | "gone"): Promise<void> => {
      const text = "update materia.workers set state = $2 where worker_id = $1 and state <> 'gone'";
      await database.query({ text, values: [workerId, state] });
    },
  };
}

/** One connection, named after the worker. A new one replaces it when it breaks. */
async function openHeartbeatConnection(database: Database, registration: WorkerRegistration) {
  let client: Client | undefined;
  const { workerId } = registration;
  const connect = async (begin: (session: Client) => Promise<void>): Promise<Client> => {
    // The name that `materia.session_name` gives it. The server keeps 63 bytes.
    const digest = createHash("sha256").update(workerId).digest("hex");
    const made = await database.openSession(`materia-${digest.slice(0, 48)}`);
    try {
      await begin(made);
    } catch (thrown) {
      void made.end().catch(() => undefined);
      throw thrown;
    }
    made.on("end", () => {
      if (client === made) client = undefined;
    });
    client = made;
    return made;
  };
  const { host, pid, started, version, queues, concurrency } = registration;
  const values = [workerId, host, pid, started, version, queues, concurrency];
  await connect(async (session) => void (await session.query({ ...withQueryTimeout(REGISTER), values })));
  const askOneByOne = createSerialQueue();
  const askNow = async <T extends Record<string, unknown>>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly T[]> => {
    const open = client ?? (await connect((session) => replaceSession(session, workerId)));
    try {
      return (await open.query<T>({ ...withQueryTimeout(text), values: [...values] })).rows;
    } catch (thrown) {
      if (!isTransientError(thrown)) throw thrown;
      // The link may be cut without an error: the next statement takes another connection.
      if (client === open) client = undefined;
      void open.end().catch(() => undefined);
      throw thrown;
    }
  };
  return {
    // One statement at a time: two duties that reconnect at once would end each other's session.
    ask: <T extends Record<string, unknown>>(text: string, values: readonly unknown[]) =>
      askOneByOne(workerId, () => askNow<T>(text, values)),
    close: async (): Promise<void> => {
      const open = client;
      client = undefined;
      await open?.end().catch(() => undefined);
    },
  };
}

async function replaceSession(session: Client, workerId: string): Promise<void> {
  // The worker was silent while its link was cut: without a heartbeat it would be evicted as soon as the session ends.
  await session.query({ ...withQueryTimeout(HEARTBEAT), values: [workerId] });
  // The session before may still be open: the server does not notice a cut link for hours.
  await session.query({ ...withQueryTimeout(END_SESSIONS), values: [workerId] });
  await session.query({ ...withQueryTimeout(MARK_CONNECTED), values: [workerId] });
}

const ANSWER_MS = 5_000;

/** [B14] With a longer timeout, a worker that waits for an answer would be evicted. */
function withQueryTimeout(text: string) {
  return { text, query_timeout: ANSWER_MS };
}

/** Only sessions of this role: ending another's would be an error. */
const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
  and application_name = materia.session_name($1) and usename = session_user and pid <> pg_backend_pid()`;
const REGISTER = `insert into materia.workers (worker_id, host, pid, started, version, queues, concurrency, backend_pid)
  values ($1, $2, $3, $4, $5, $6, $7, pg_backend_pid())`;
const MARK_CONNECTED = "update materia.workers set since = now(), backend_pid = pg_backend_pid() where worker_id = $1";
const HEARTBEAT =
  "update materia.workers set seen_at = now() where worker_id = $1 and state <> 'gone' returning 1 as heard";

/** A killed worker may be evicted long before the next heartbeat of this one. */
const NEXT_EVICTION = `
select ceil(extract(epoch from min(greatest(w.seen_at + $2::int * interval '1 ms', me.since + $3::int * interval '1 ms') - clock_timestamp()))
  * 1000)::int as ms
from materia.workers w, materia.workers me
where me.worker_id = $1 and w.worker_id <> $1 and w.state <> 'gone' and not materia.has_session(w.worker_id)`;

/** Marks dead workers and frees their casts in one statement: no cast of a gone worker looks as if it runs. */
const EVICT_DEAD = `
with old as (
  select 1 from materia.workers where worker_id = $1 and since < now() - $4::int * interval '1 ms' and state <> 'gone'
), dead as (
  update materia.workers w set state = 'gone' where w.state <> 'gone' and w.worker_id <> $1 and exists (select from old) and (
    w.seen_at < now() - $2::int * interval '1 ms' or (w.seen_at < now() - $3::int * interval '1 ms' and not materia.has_session(w.worker_id)))
  returning worker_id
), freed as (
  -- A row that a member's session holds is skipped: it can be claimed in any case.
  update materia.casts set status = 'queued' where cast_id in (select cast_id from materia.casts
    where status = 'running' and owner in (select worker_id from dead) for no key update skip locked) returning notice
), notified as (
  select pg_notify('materia', notice::text) from freed
)
select worker_id from dead, (select count(*) from notified) as t`;

const RETENTION_DAYS = 7;

const GONE_AMONG = "select worker_id from materia.workers where state = 'gone' and worker_id = any($1)";

/** [B66] Deletes workers that are gone for a week, unless they own a cast or are among those that still have dispatches. */
export async function deleteStaleWorkers(database: Database, withDispatches: readonly string[]): Promise<void> {
  await database.query({
    text: `delete from materia.workers w where state = 'gone' and seen_at < now() - interval '${RETENTION_DAYS} days'
      and not exists (select from materia.casts c where c.owner = w.worker_id) and not w.worker_id = any($1)`,
    values: [withDispatches],
  });
}

/** Names a folder, so special characters of the host name are replaced. */
export function createWorkerId(host: string, pid: number, random: string): string {
  return `${hostNameForFolder(host)}-${pid}-${random}`;
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

/** [B57] Removes the folders of killed workers. An evicted worker may still use its folder. */
export async function removeOrphanedFolders(database: Database, base: string): Promise<void> {
  if (!existsSync(base)) return;
  const folders = readdirSync(base);
  const rows = await database.query<WorkerRow & Record<string, unknown>>({
    text: "select worker_id, state, host, pid, started from materia.workers where worker_id = any($1)",
    values: [folders],
  });
  const rowsById = new Map(rows.map((row) => [row.worker_id, row]));
  for (const name of folders) {
    const row = rowsById.get(name);
    const isOrphaned = row?.state === "gone" && row.host === hostname() && !isAlive({ ...row, startedAt: row.started });
    if (row ? isOrphaned : isUnknownWorkerFolder(base, name))
      ignoreLocalErrors(() => rmSync(join(base, name), { recursive: true, force: true }));
  }
}

/** The folder of a deleted worker, or of another fleet: removed only if no process of this machine can use it. */
function isUnknownWorkerFolder(base: string, name: string): boolean {
  const [, host, pid] = /^(.+)-(\d+)-[0-9a-f]{6}$/.exec(name) ?? [];
  if (host !== hostNameForFolder(hostname()) || processExists(Number(pid))) return false;
  return statSync(join(base, name)).mtimeMs < Date.now() - RETENTION_DAYS * 24 * 3_600_000;
}
