import type { PoolClient } from "pg";
import { withoutUndefined } from "../../../core/model/json.ts";
import { issuesText, ok } from "../../../core/model/issue.ts";
import { isTransientError, type Database } from "../../store/postgres/database.ts";
import { errorText } from "../../system/files.ts";
import type { LimitUsage } from "../fleet-status.ts";
import type { Dispatch, Dispatcher } from "./dispatcher.ts";
import { randomInt } from "node:crypto";
import type { TreeSource } from "../../git/transfer/restore-tree.ts";
import { newCastId } from "../../store/cast-file.ts";
import { parseCastFile } from "../../store/postgres/read-cast.ts";
import { firstScheduledTime } from "../schedules.ts";
import { type PackedTree, insertCast } from "../submit-cast.ts";

interface DueRow extends Omit<Dispatch, "castId"> {
  readonly cast_id: string;
  readonly providers: readonly string[];
  /** A later dispatch, or an item of a cast. */
  readonly begun: boolean;
}

const SEND_BATCH = 50;

/** [B47] Sends due dispatches of these queues. Several workers may do so at once; each dispatch is sent once. */
export async function sendDueDispatches(
  database: Database,
  dispatcher: Pick<Dispatcher, "send">,
  queues: readonly string[],
): Promise<number> {
  return database.transaction(async (client) => {
    const limits = await readLimitsLocked(client);
    const due =
      limits.length === 0 ? await dueWithoutLimits(client, queues) : await dueWithinLimits(client, queues, limits);
    for (const { cast_id: castId, providers: _providers, begun, ...leg } of due) {
      // [B47] Within one priority started casts go first: otherwise the items of many casts would wait until all casts have started.
      const priority = 2 * Math.max(0, Math.min(leg.priority, MAX_PRIORITY)) + (begun ? 0 : 1);
      await dispatcher.send(client, { castId, ...leg, priority });
    }
    await client.query("update materia.casts set sent = leg, sent_at = clock_timestamp() where cast_id = any($1)", [
      due.map((row) => row.cast_id),
    ]);
    return due.length;
  });
}

/** Half of the largest priority that the queues accept. */
const MAX_PRIORITY = 2 ** 30 - 1;

async function readLimitsLocked(client: PoolClient): Promise<readonly LimitUsage[]> {
  const { rowCount } = await client.query("select from materia.limits where kind not in ('waiting', 'bytes') limit 1");
  if (rowCount === 0) return [];
  // Two concurrent senders would both use the last free slot under a limit.
  await client.query("select from materia.locks where name = 'sending' for update");
  return (await client.query<LimitUsage>("select * from materia.limit_standing()")).rows;
}

async function dueWithoutLimits(client: PoolClient, queues: readonly string[]): Promise<readonly DueRow[]> {
  const text = `select cast_id, leg, queue, project, priority, providers, ${HAS_BEGUN} as begun from materia.casts c
    where sent < leg and queue = any($1) order by cast_id limit ${SEND_BATCH} for update skip locked`;
  return (await client.query<DueRow>(text, [queues])).rows;
}

const HAS_BEGUN = "(c.leg > 1 or c.parent is not null)";

/** [B60] Projects take turns: the one with fewer running casts goes first, then the one whose last dispatch is oldest. */
const DUE_WITHIN_LIMITS = `
with waiting as (
  select c.cast_id, c.project, row_number() over (partition by c.project order by c.priority, c.cast_id) as turn
  from materia.casts c where c.sent < c.leg and c.queue = any($1) and not exists (
    select from jsonb_to_recordset($2) as l (kind text, name text) where materia.is_bound_by(c, l.kind, l.name))
), projects as (
  select project, (select max(sent_at) from materia.casts c where c.project = w.project) as last_sent,
    (select count(*) from materia.casts c where c.project = w.project and materia.is_under_way(c)) as busy
  from (select distinct project from waiting) w
)
select c.cast_id, c.leg, c.queue, c.project, c.priority, c.providers, ${HAS_BEGUN} as begun
from waiting w join projects p using (project) join materia.casts c using (cast_id)
order by p.busy + w.turn, p.last_sent nulls first, c.priority, c.cast_id limit ${SEND_BATCH} for update of c skip locked`;

async function dueWithinLimits(
  client: PoolClient,
  queues: readonly string[],
  limits: readonly LimitUsage[],
): Promise<readonly DueRow[]> {
  const full = limits.filter(({ most, busy }) => busy >= most);
  const { rows } = await client.query<DueRow>(DUE_WITHIN_LIMITS, [queues, JSON.stringify(full)]);
  return withinLimits(rows, limits);
}

function withinLimits(rows: readonly DueRow[], limits: readonly LimitUsage[]): readonly DueRow[] {
  const busy = new Map(limits.map((limit) => [limit, limit.busy]));
  return rows.filter((row) => {
    const { project, providers } = row;
    const bound = limits.filter(
      ({ kind, name }) => kind === "all" || (kind === "project" ? project === name : providers.includes(name)),
    );
    if (bound.some((limit) => (busy.get(limit) ?? 0) >= limit.most)) return false;
    for (const limit of bound) busy.set(limit, (busy.get(limit) ?? 0) + 1);
    return true;
  });
}

interface DueSchedule {
  readonly id: number;
  readonly project: string;
  readonly queue: string;
  readonly priority: number;
  readonly submitted_by: string;
  readonly cron: string;
  readonly zone: string;
  readonly file: string;
  readonly brings: Readonly<Record<string, string>>;
  readonly source: TreeSource | null;
  readonly head: string | null;
  readonly ckpt: string | null;
  readonly pack: Buffer | null;
  /** By the clock of the database, the same for all workers. */
  readonly now: number;
  readonly busy: boolean;
  /** [B84] The person may still submit to the project. */
  readonly may: boolean;
}

const SCHEDULE_BATCH = 10;

/** Locked until it has its next time: one of many workers submits it. [B84] Members take turns. */
const DUE_SCHEDULES = `with due as (
    select id, row_number() over (partition by submitted_by order by next_at) as turn from materia.schedules where next_at <= now())
  select s.*, extract(epoch from now())::float8 * 1000 as now, exists (
    select from materia.casts c where c.cast_id = s.last_cast and c.status in ('queued', 'running')) as busy, materia.may_submit(s.submitted_by, s.project) as may
  from due join materia.schedules s using (id) where s.next_at <= now()
  order by due.turn, s.next_at limit ${SCHEDULE_BATCH} for update of s skip locked`;

/** What Postgres says of a row that another session holds. */
const LOCKED = "55P03";
const LOCKED_AGAIN_MS = 5_000;

/** [B44] Submits due schedules. Missed times are made up once. */
export async function submitDueSchedules(database: Database): Promise<number> {
  return database.transaction(async (client) => {
    const { rows } = await client.query<DueSchedule>(DUE_SCHEDULES);
    for (const row of rows) {
      // [B84] A schedule that cannot be submitted must not stop the others.
      await client.query("savepoint schedule");
      await submitScheduledCast(client, row).catch(async (thrown: unknown) => {
        // [B81] A session of its member must not stop those of others.
        const isLocked = thrown instanceof Error && "code" in thrown && thrown.code === LOCKED;
        if (isTransientError(thrown) && !isLocked) throw thrown;
        await client.query("rollback to savepoint schedule");
        const problem = isLocked ? `another session of ${row.submitted_by} holds a lock` : errorText(thrown);
        await writeNextTime(client, row, { problem, isLocked });
      });
    }
    return rows.length;
  });
}

async function writeNextTime(
  client: PoolClient,
  row: DueSchedule,
  done: { readonly castId?: string; readonly problem?: string; readonly isLocked?: boolean },
): Promise<void> {
  const next = done.isLocked ? ok(row.now + LOCKED_AGAIN_MS) : firstScheduledTime(row.cron, row.zone, row.now);
  const problem = done.problem ?? (next.ok ? null : issuesText(next.issues));
  await client.query(
    `update materia.schedules set next_at = coalesce($2::timestamptz, 'infinity'), problem = $3,
      last_cast = coalesce($4, last_cast) where id = $1`,
    [row.id, next.ok ? new Date(next.value).toISOString() : null, problem, done.castId ?? null],
  );
}

async function submitScheduledCast(client: PoolClient, row: DueSchedule): Promise<void> {
  const { brings, project, queue, priority, submitted_by: by } = row;
  const refuse = (problem: string): Promise<void> => writeNextTime(client, row, { problem });
  if (row.busy) return refuse("the cast before was still under way");
  if (!row.may) return refuse(`${by} is no longer a member of project ${project}`);
  const kept = parseCastFile(row.file);
  if (!kept.ok) return refuse(issuesText(kept.issues));
  const now = new Date(row.now);
  const castId = newCastId(now, randomInt(2 ** 32) / 2 ** 32);
  // The replies of a rehearsal are found by the id of their cast.
  const rehearsal = kept.value.rehearsal?.replace(`${kept.value.castId}/`, `${castId}/`) ?? null;
  const file = { ...kept.value, castId, rehearsal, startedAt: now.toISOString() };
  const packed = { file, brings, ...withoutUndefined({ tree: scheduledTree(row) }) };
  await insertCast(client, packed, { project, queue, priority, by });
  return writeNextTime(client, row, { castId });
}

function scheduledTree({ source, head, ckpt, pack }: DueSchedule): PackedTree | undefined {
  if (!source) return undefined;
  return head === null || ckpt === null || !pack ? { source } : { source, pack: { head, ckpt, bytes: pack } };
}
