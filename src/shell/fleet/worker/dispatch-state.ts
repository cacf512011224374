import type { Database } from "../../store/postgres/database.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { CastStep } from "../../../core/cast/cast-step.ts";
import { PAUSE_REASON } from "../../run/run-context.ts";

/** A leg of a cast, and the worker that its queue gave it to. */
export interface WorkerDispatch {
  readonly castId: string;
  readonly leg: number;
  readonly workerId: string;
}

export interface DispatchRow {
  readonly tries: number;
  readonly refused: boolean;
  readonly why: string | null;
}

/**
 * Who has refused it already leaves it to others without another try. [B12] Who is given it once more while a worker waits
 * for its items has nothing to do.
 */
const BEGIN_QUERY = `update materia.casts set tries = case when $4 or $3 = any(refused) then tries else tries + 1 end,
    parked_leg = case when parked_by = $3 then parked_leg end
  where cast_id = $1 and leg = $2 and status in ('queued', 'running', 'interrupted')
    and ($4 or parked_leg is distinct from leg or not materia.is_driven(parked_by))
  returning tries, $3 = any(refused) as refused, summary ->> 'blocked' as why`;

/** Nothing where there is nothing to begin. [B15] Once more in the same process is no other try: nobody has died. */
export async function beginDispatch(
  database: Database,
  { castId, leg, workerId }: WorkerDispatch,
  isAgain: boolean,
): Promise<DispatchRow | undefined> {
  return (await database.query<DispatchRow>({ text: BEGIN_QUERY, values: [castId, leg, workerId, isAgain] }))[0];
}

/** [B32] Whoever had it before may hand it back after this leg was begun; once it is claimed, nobody can. This try counts for nothing then. */
export async function wasReassigned(database: Database, castId: string, leg: number): Promise<boolean> {
  const text = `update materia.casts set tries = greatest(tries - 1, 0) where cast_id = $1 and leg <> $2 returning 1 as moved`;
  return (await database.query({ text, values: [castId, leg] })).length > 0;
}

/** Another worker goes on with it. */
export async function requeue(database: Database, castId: string, leg: number): Promise<void> {
  await database.query({
    // Where its worker was given up meanwhile it counts as queued already, and nobody would be sent its leg again.
    text: `with c as (update materia.casts set status = 'queued', leg = leg + 1
        where cast_id = $1 and leg = $2 and sent = leg and status in ('running', 'queued') and owner is null returning cast_id)
      select pg_notify('materia', cast_id), pg_notify('materia_due', '') from c`,
    values: [castId, leg],
  });
}

/** [B32] Whoever owns it meanwhile: the leg that was not begun here is offered to another. */
export async function requeueUnstarted(database: Database, castId: string, leg: number): Promise<void> {
  await database.query({
    text: `with c as (update materia.casts set leg = leg + 1
        where cast_id = $1 and leg = $2 and sent = leg and status in ('running', 'queued', 'interrupted') returning cast_id)
      select pg_notify('materia_due', '') from c`,
    values: [castId, leg],
  });
}

/** [B5] Whether this worker may go on with it: where another has it by now, nothing is tried again. */
export async function holdsLease(database: Database, { castId, leg, workerId }: WorkerDispatch): Promise<boolean> {
  const text =
    "select from materia.casts where cast_id = $1 and leg = $2 and status = 'running' and coalesce(owner, $3) = $3";
  return (await database.query({ text, values: [castId, leg, workerId] })).length > 0;
}

/** [B29] For whoever looks meanwhile; gone with the next event. */
export async function markSettingUp(database: Database, castId: string, workerId: string): Promise<void> {
  const settingUp = { worker: workerId, since: new Date().toISOString() };
  await database.query({
    text: `with c as (update materia.casts set summary = summary || jsonb_build_object('settingUp', $3::jsonb)
        where cast_id = $1 and owner = $2 returning cast_id) select pg_notify('materia', cast_id) from c`,
    values: [castId, workerId, JSON.stringify(settingUp)],
  });
}

/** [B16] Who lacks the model or tool of a cast leaves it to the others. */
export async function rejectDispatch(
  database: Database,
  { castId, workerId, why }: Omit<WorkerDispatch, "leg"> & { readonly why: string },
): Promise<void> {
  await database.query({
    text: `update materia.casts set tries = 0, summary = summary || jsonb_build_object('blocked', $2::text),
      refused = array_append(array_remove(refused, $3), $3), refused_at = now() where cast_id = $1`,
    values: [castId, why, workerId],
  });
}

/** [B16] Offers what others refused to whoever has not looked at it yet, and now and then to all: they may have learned. */
export async function requeueRejected(
  database: Database,
  {
    workerId,
    queues,
    againMs,
  }: { readonly workerId: string; readonly queues: readonly string[]; readonly againMs: number },
): Promise<void> {
  await database.query({
    text: `update materia.casts set leg = leg + 1, refused = array_remove(refused, $2)
      where refused <> '{}' and queue = any($1) and status = 'queued' and sent = leg
        and (not $2 = any(refused) or refused_at < now() - $3::int * interval '1 ms')`,
    values: [queues, workerId, againMs],
  });
}

/** [B12] A leg whose items are worked on gives its place back: its worker goes on with it beside those that it drives. */
export interface DispatchParking {
  readonly isParked: () => boolean;
  readonly park: () => Promise<void>;
  /** Resolves when it is parked. */
  readonly parked: Promise<void>;
}

export interface ParkableDispatch {
  readonly castId: CastId;
  readonly leg: number;
  readonly workerId: string;
}

/**
 * Written before the queue hears that the leg is over: whoever dies in between leaves a cast that others find. [B15] It is
 * not to blame for what becomes of a worker while it only waits.
 */
const PARK_QUERY = `with c as (update materia.casts set parked_leg = leg, parked_by = $3, tries = greatest(tries - 1, 0)
    where cast_id = $1 and leg = $2 and owner = $3 returning cast_id)
  select pg_notify('materia_due', '') from c`;

export function createParking(database: Database, { castId, leg, workerId }: ParkableDispatch): DispatchParking {
  let isParked = false;
  let parking: Promise<void> | undefined;
  const { promise: parked, resolve } = Promise.withResolvers<void>();
  const park = async (): Promise<void> => {
    const rows = await database.query({ text: PARK_QUERY, values: [castId, leg, workerId] });
    // Where another has it by now this leg ends soon, with its place.
    if (rows.length === 0) return;
    isParked = true;
    resolve();
  };
  return { isParked: () => isParked, park: () => (parking ??= park()), parked };
}

/** [B12, B14] What was parked by workers that are gone is sent again: the queue knows its leg as over. */
export async function requeueOrphanedParked(database: Database): Promise<void> {
  await database.query({
    text: `with c as (update materia.casts set status = 'queued', leg = leg + 1
        where parked_leg = leg and status in ('running', 'queued') and not materia.is_driven(parked_by) returning cast_id)
      select pg_notify('materia', cast_id), pg_notify('materia_due', '') from c`,
  });
}

/** Who stops a leg where it stands: the worker, at once or while it only waits for its items; and the end of those. */
export function createPauseControl(
  { draining, stopping }: { readonly draining: AbortSignal; readonly stopping: AbortSignal },
  { parked, isParked }: DispatchParking,
) {
  const pause = new AbortController();
  const stop = (): void => pause.abort(PAUSE_REASON);
  const drain = (): void => (isParked() ? stop() : undefined);
  stopping.addEventListener("abort", stop);
  draining.addEventListener("abort", drain);
  void parked.then(() => (draining.aborted ? stop() : undefined));
  // The queues may still give it a leg when it has been told: nobody would tell it again.
  if (stopping.aborted) stop();
  return {
    signal: pause.signal,
    onSteps: (steps: readonly CastStep[]): void => {
      const has = (kind: string): boolean => steps.some(({ event }) => event.type === kind);
      // [B12] What comes behind the items needs a place again.
      if ((draining.aborted && has("visit_completed")) || (isParked() && has("loop_joined"))) stop();
    },
    close: () => {
      stopping.removeEventListener("abort", stop);
      draining.removeEventListener("abort", drain);
    },
  };
}
