import { randomInt } from "node:crypto";
import type { PoolClient } from "pg";
import { parseCron } from "../../../core/model/times/cron.ts";
import { nextCronTime } from "../../../core/model/times/next-time.ts";
import type { TreeSource } from "../../git/packs/travelling-tree.ts";
import type { CastFile } from "../../store/cast-file.ts";
import { newCastId } from "../../store/cast-id.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { parseCastFile } from "../../store/postgres/read.ts";
import type { PackedTree } from "../submit/pack-cast.ts";
import { insertCast } from "../submit/submit.ts";

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
  /** By the clock of the database, as all workers see it. */
  readonly now: number;
  readonly busy: boolean;
}

const SCHEDULE_BATCH = 10;

/** Locked until it has its next time: of many workers one submits it. */
const DUE_SCHEDULES = `select s.*, extract(epoch from now())::float8 * 1000 as now, exists (
    select from materia.casts c where c.cast_id = s.last_cast and c.status in ('queued', 'running')) as busy
  from materia.schedules s where next_at <= now() order by next_at limit ${SCHEDULE_BATCH} for update of s skip locked`;

/** [B23] Submits what is due, once each, however many times were missed. */
export async function submitDueSchedules(database: Database): Promise<void> {
  await database.transaction(async (client) => {
    const { rows } = await client.query<DueSchedule>(DUE_SCHEDULES);
    for (const row of rows) await submitSchedule(client, row);
  });
}

async function submitSchedule(client: PoolClient, row: DueSchedule): Promise<void> {
  const cron = parseCron(row.cron);
  const next = cron.ok ? nextCronTime(cron.value, row.now, row.zone) : undefined;
  const done = row.busy ? { problem: "the cast before was still under way" } : await submitScheduledCast(client, row);
  await client.query(
    `update materia.schedules set next_at = coalesce($2::timestamptz, 'infinity'), problem = $3,
      last_cast = coalesce($4, last_cast) where id = $1`,
    [
      row.id,
      next === undefined ? null : new Date(next).toISOString(),
      "problem" in done ? done.problem : null,
      "castId" in done ? done.castId : null,
    ],
  );
}

async function submitScheduledCast(
  client: PoolClient,
  row: DueSchedule,
): Promise<{ readonly castId: string } | { readonly problem: string }> {
  const kept = parseCastFile(row.file);
  if (!kept.ok) return { problem: kept.issues.map(({ message }) => message).join("; ") };
  const file = withNewCastId(kept.value, new Date(row.now));
  const tree = scheduledTree(row);
  await insertCast(
    client,
    { file, brings: row.brings, ...(tree ? { tree } : {}) },
    { project: row.project, queue: row.queue, priority: row.priority, by: row.submitted_by },
  );
  return { castId: file.castId };
}

/** Replies that came along are found by the id of their cast. */
function withNewCastId(file: CastFile, now: Date): CastFile {
  const castId = newCastId(now, randomInt(2 ** 32) / 2 ** 32);
  const rehearsal = file.rehearsal?.replace(`${file.castId}/`, `${castId}/`) ?? null;
  return { ...file, castId, rehearsal, startedAt: now.toISOString() };
}

function scheduledTree({ source, head, ckpt, pack }: DueSchedule): PackedTree | undefined {
  if (!source) return undefined;
  return head === null || ckpt === null || !pack ? { source } : { source, pack: { head, ckpt, bytes: pack } };
}
