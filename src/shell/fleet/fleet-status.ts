import type { CastId } from "../../core/model/ids.ts";
import type { FleetLimit, FleetLimitChange, FleetLimitKind } from "../../core/command/read-fleet-commands.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import {
  waitReasonOf,
  type FleetStatus,
  type BlockingLimit,
  type QueuedCast,
  type WorkerStatus,
  waitGroupText,
  groupByWaitReason,
  type WaitGroup,
} from "../../core/view/progress/fleet-status.ts";
import type { QueuePosition } from "../workspace/workspace.ts";
import { sql, withDatabaseErrors } from "../store/postgres/database.ts";
import { MEMBER_LIMITS } from "../store/postgres/migration.ts";
import type { ConnectedFleet } from "./open-fleet.ts";

const MAX_LISTED = 100;

/** [B18, B29] Workers with their casts, and the first casts of the queue. The size of the answer does not grow with the queue. */
export async function readFleetStatus({
  database,
  profile,
}: Pick<ConnectedFleet, "database" | "profile">): Promise<Result<FleetStatus>> {
  return withDatabaseErrors(profile.name, async () => {
    const [workers, waiting, [row]] = await Promise.all([
      database.query<WorkerStatus>({ name: "workers", text: WORKERS }),
      database.query<WaitingRow & Record<string, unknown>>({ name: "queue", text: QUEUE }),
      database.query<{ queued: number }>(
        sql`select count(*)::int as queued from materia.casts where status = 'queued'`,
      ),
    ]);
    const queue = waiting.map(({ blocked, held, ...cast }) => ({
      ...cast,
      why: waitReasonOf({ blocked, held, queue: cast.queue }, workers),
    }));
    return ok({ workers, queued: row?.queued ?? 0, queue });
  });
}

/** [B59, B71] The position of one waiting cast; undefined if it does not wait, or if no worker could start it. */
export async function readQueuePosition(
  { database }: Pick<ConnectedFleet, "database">,
  castId: CastId,
): Promise<QueuePosition | undefined> {
  const place = sql`select p.*, c.queue from materia.queue_place(${castId}) p, materia.casts c where c.cast_id = ${castId}`;
  const [row] = await database.query<Omit<QueuePosition, "why"> & Record<string, unknown>>(place);
  if (!row) return undefined;
  const workers = await database.query<WorkerStatus>({ name: "workers", text: WORKERS });
  return { ...row, why: waitReasonOf({ blocked: null, held: row.held, queue: row.queue }, workers) };
}

interface WaitingRow extends Omit<QueuedCast, "why"> {
  readonly blocked: string | null;
  readonly held: readonly BlockingLimit[];
}

const WORKERS = `select worker_id as worker, host, pid, version, state, queues, concurrency,
    (extract(epoch from now() - seen_at) * 1000)::float8 as "silentMs",
    array(select cast_id from materia.casts c where c.owner = w.worker_id and state <> 'gone'
      and c.parked_leg is distinct from c.leg order by cast_id) as casts,
    (select c.summary ->> 'blocked' from materia.casts c where c.status = 'queued' and w.worker_id = any(c.refused)
      order by c.refused_at desc limit 1) as leaves
  from materia.workers w where state <> 'gone' or seen_at > now() - interval '10 minutes'
  order by state = 'gone', n limit 500`;

const QUEUE = `with first as materialized (
    select c, row_number() over (partition by c.project, c.queue order by c.summary ? 'blocked', c.priority, c.cast_id) as place
    from materia.casts c where c.status = 'queued' order by c.queue, c.summary ? 'blocked', c.priority, c.cast_id limit ${MAX_LISTED}
  ), full_limits as materialized (select * from materia.limit_standing() where busy >= most)
  select (c).cast_id as "castId", (c).summary ->> 'request' as request, (c).summary ->> 'loadout' as loadout, (c).project,
    (c).submitted_by as person, (c).queue, place::int,
    (extract(epoch from now() - (c).updated_at) * 1000)::float8 as "waitsMs", (c).summary ->> 'blocked' as blocked,
    (select coalesce(jsonb_agg(jsonb_build_object('kind', l.kind, 'name', l.name, 'most', l.most)), '[]')
      from full_limits l where (c).sent < (c).leg and materia.is_bound_by(c, l.kind, l.name)) as held
  from first order by (c).queue, (c).summary ? 'blocked', (c).priority, (c).cast_id`;

interface QueueReporterOptions extends Pick<ConnectedFleet, "database" | "profile"> {
  readonly queues: readonly string[];
  /** A reason that was absent for this long counts as new. */
  readonly againMs: number;
  readonly tell: (waiting: readonly WaitGroup[]) => void;
}

/** [B71] Reports why casts of these queues wait: each reason once when it comes up, not as long as it lasts. */
export function queueReporter({ queues, againMs, tell, ...fleet }: QueueReporterOptions): () => Promise<void> {
  const seen = new Map<string, number>();
  return async () => {
    // Most of the time no cast waits.
    const waiting = sql`select from materia.casts where status = 'queued' and queue = any(${queues}) limit 1`;
    if ((await fleet.database.query(waiting)).length === 0) return;
    const standing = await readFleetStatus(fleet);
    if (!standing.ok) return;
    const now = Date.now();
    for (const [reason, at] of seen) if (now - at >= againMs) seen.delete(reason);
    const groups = groupByWaitReason(standing.value.queue.filter(({ queue }) => queues.includes(queue)));
    const fresh = groups.filter((group) => !seen.has(waitReasonKey(group)));
    for (const group of groups) seen.set(waitReasonKey(group), now);
    if (fresh.length > 0) tell(fresh);
  };
}

/** The same for any number of casts. */
function waitReasonKey(group: WaitGroup): string {
  return waitGroupText({ ...group, casts: 1 });
}

/** [B22] A limit of concurrent casts, and how many run now. */
export interface LimitUsage extends FleetLimit {
  readonly most: number;
  readonly busy: number;
}

export async function readLimits({ database, profile }: ConnectedFleet): Promise<Result<readonly LimitUsage[]>> {
  return withDatabaseErrors(profile.name, async () => {
    const standing = await database.query<LimitUsage>({ text: "select * from materia.limit_standing()" });
    return ok([...standing, ...(await database.query<LimitUsage>({ text: MEMBER_LIMITS_QUERY }))]);
  });
}

/** [B82] Limits of one member have a default; `busy` is 0, since each member has a separate count. */
const MEMBER_LIMITS_QUERY = `select kind, '' as name, coalesce((select most::float8 from materia.limits l where l.kind = d.kind), most) as most, 0 as busy
  from (values ('waiting', ${MEMBER_LIMITS.waiting}::float8), ('bytes', ${MEMBER_LIMITS.bytes})) as d (kind, most)`;

/** Notifies workers: there may be free slots now. False if there was no such limit. */
export async function changeLimit(
  { database, profile }: ConnectedFleet,
  change: FleetLimitChange,
): Promise<Result<boolean>> {
  const { kind, name, most } = change;
  return withDatabaseErrors(profile.name, async () => {
    const rows = await database.query(
      most === undefined
        ? sql`with changed as (delete from materia.limits where kind = ${kind} and name = ${name} returning 1)
            select pg_notify('materia_due', '') from changed`
        : sql`with changed as (insert into materia.limits values (${kind}, ${name}, ${most})
              on conflict (kind, name) do update set most = excluded.most returning 1)
            select pg_notify('materia_due', '') from changed`,
    );
    return ok(rows.length > 0);
  });
}

export function fleetLimitText({ kind, name }: { readonly kind: FleetLimitKind; readonly name: string }): string {
  if (kind === "waiting") return "casts and schedules of one member that wait";
  if (kind === "bytes") return "bytes that one member submits in a day";
  return kind === "all" ? "all casts" : `${kind} ${name}`;
}
