import { sql, type Database } from "../../store/postgres/database.ts";
import type { CastStep } from "../../../core/cast/timeline.ts";
import { PAUSE_REASON } from "../../context/run-context.ts";
import { IS_DISPATCH_OPEN } from "./dispatcher.ts";

/** [B15] A cast fails after this many attempts without a completed visit. */
export const MAX_DISPATCH_ATTEMPTS = 3;

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
 * Undefined if there is nothing to start. [B15] A retry in the same process is the same attempt. A worker that has rejected
 * the cast leaves it to others, and the attempt does not count. [B12] A second dispatch of a parked cast has nothing to do
 * while a worker waits for its items.
 */
export async function beginDispatch(
  database: Database,
  { castId, leg, workerId }: WorkerDispatch,
  isAgain: boolean,
): Promise<DispatchRow | undefined> {
  const begun = sql`update materia.casts set
      tries = case when ${isAgain}::boolean or ${workerId} = any(refused) then tries else tries + 1 end,
      parked_leg = case when parked_by = ${workerId} then parked_leg end
    where cast_id = ${castId} and leg = ${leg} and status in ('queued', 'running', 'interrupted')
      and (${isAgain}::boolean or parked_leg is distinct from leg or not materia.is_driven(parked_by))
    returning tries, ${workerId} = any(refused) as refused, summary ->> 'blocked' as why`;
  return (await database.query<DispatchRow>(begun))[0];
}

/** [B58] The former worker may requeue the cast after this dispatch has begun, but not after the claim. Such an attempt does not count. */
export async function wasReassigned(database: Database, castId: string, leg: number): Promise<boolean> {
  const moved = sql`update materia.casts set tries = greatest(tries - 1, 0) where cast_id = ${castId} and leg <> ${leg} returning 1 as moved`;
  return (await database.query(moved)).length > 0;
}

/** Another worker continues the cast. */
export async function requeue(database: Database, { castId, leg, workerId }: WorkerDispatch): Promise<void> {
  // An evicted worker's cast is `queued` already; without this the queues would not get its next dispatch. [B33] The
  // database may have been away while this worker released the cast.
  await database.query(sql`with c as (update materia.casts set status = 'queued', leg = leg + 1, owner = null, claim = null
      where cast_id = ${castId} and leg = ${leg} and sent = leg and status in ('running', 'queued') and coalesce(owner, ${workerId}) = ${workerId}
      returning notice)
    select pg_notify('materia', notice::text), pg_notify('materia_due', '') from c`);
}

/** [B15] The dispatch came to a result. [B33] The database may have been away while this worker released the cast. */
export async function completeDispatch(database: Database, { castId, leg, workerId }: WorkerDispatch): Promise<void> {
  await database.query(sql`update materia.casts set tries = 0, owner = nullif(owner, ${workerId}),
      claim = case when owner = ${workerId} then null else claim end
    where cast_id = ${castId} and leg = ${leg}`);
}

/** [B58] Requeues a dispatch that did not start, even if a worker owns the cast. */
export async function requeueUnstarted(database: Database, castId: string, leg: number): Promise<void> {
  await database.query(sql`with c as (update materia.casts set leg = leg + 1
      where cast_id = ${castId} and leg = ${leg} and sent = leg and status in ('running', 'queued', 'interrupted') returning cast_id)
    select pg_notify('materia_due', '') from c`);
}

/** [B33] Whether this worker may continue the cast. It must not retry a cast that another worker owns. */
export async function holdsLease(database: Database, { castId, leg, workerId }: WorkerDispatch): Promise<boolean> {
  const held = sql`select from materia.casts
    where cast_id = ${castId} and leg = ${leg} and status = 'running' and coalesce(owner, ${workerId}) = ${workerId}`;
  return (await database.query(held)).length > 0;
}

/** [B73] Shown to followers of the cast; the next event replaces it. */
export async function markSettingUp(database: Database, castId: string, workerId: string): Promise<void> {
  const settingUp = JSON.stringify({ worker: workerId, since: new Date().toISOString() });
  await database.query(sql`with c as (update materia.casts set summary = summary || jsonb_build_object('settingUp', ${settingUp}::jsonb)
      where cast_id = ${castId} and owner = ${workerId} returning notice)
    select pg_notify('materia', notice::text) from c`);
}

/** [B16, B83] A worker without the model or tool of a cast, or with a full disk, leaves it to others. */
export async function rejectDispatch(
  database: Database,
  { castId, leg, workerId }: WorkerDispatch,
  why: string,
): Promise<void> {
  await database.query(sql`with c as (update materia.casts set tries = 0, summary = summary || jsonb_build_object('blocked', ${why}::text),
      refused = array_append(array_remove(refused, ${workerId}), ${workerId}), refused_at = now(), status = 'queued', owner = null, claim = null
      where cast_id = ${castId} and leg = ${leg} and coalesce(owner, ${workerId}) = ${workerId} and status in ('queued', 'running', 'interrupted')
      returning notice)
    select pg_notify('materia', notice::text) from c`);
}

/**
 * [B32] Requeues casts whose dispatch is over without a result, and that no worker drives. [B16] A rejected cast goes to
 * workers that have not tried it, and after a while to all: they may have the model now.
 */
export async function requeueAbandoned(
  database: Database,
  worker: { readonly workerId: string; readonly queues: readonly string[]; readonly againMs: number },
): Promise<void> {
  await database.query({
    // [B81] Skips a row that a session of a member holds: the others must not wait for it.
    text: `update materia.casts set leg = leg + 1, status = 'queued', refused = array_remove(refused, $2) where cast_id in (
      select cast_id from materia.casts c where queue = any($1) and status in ('queued', 'running') and sent = leg and leg > 0
        and (owner is null or not materia.is_driven(owner)) and parked_leg is distinct from leg and not ${IS_DISPATCH_OPEN}
        and case when refused = '{}' then tries <= ${MAX_DISPATCH_ATTEMPTS}
          else not $2 = any(refused) or refused_at < now() - $3::int * interval '1 ms' end for no key update skip locked)`,
    values: [worker.queues, worker.workerId, worker.againMs],
  });
}

export type DispatchParking = ReturnType<typeof createParking>;

/**
 * [B49] A parked dispatch frees its slot while its items run. Its worker continues it beside its other dispatches. Written
 * before the queues mark the dispatch as over: if the worker dies in between, others still find the cast. [B15] An attempt
 * that only waits for items does not count.
 */
export function createParking(database: Database, { castId, leg, workerId }: WorkerDispatch) {
  let isParked = false;
  let parking: Promise<void> | undefined;
  const { promise: parked, resolve } = Promise.withResolvers<void>();
  const park = async (): Promise<void> => {
    const parked = sql`with c as (update materia.casts set parked_leg = leg, parked_by = ${workerId}, tries = greatest(tries - 1, 0)
        where cast_id = ${castId} and leg = ${leg} and owner = ${workerId} returning cast_id)
      select pg_notify('materia_due', '') from c`;
    // Without a row another worker owns the cast: this dispatch ends soon and frees its slot.
    if ((await database.query(parked)).length === 0) return;
    isParked = true;
    resolve();
  };
  return { isParked: () => isParked, park: (): Promise<void> => (parking ??= park()), parked };
}

/** [B49, B55] Requeues casts that were parked by gone workers: for the queues their dispatch is over. */
export async function requeueOrphanedParked(database: Database): Promise<void> {
  await database.query({
    text: `with c as (update materia.casts set status = 'queued', leg = leg + 1 where cast_id in (
        select cast_id from materia.casts where parked_leg = leg and status in ('running', 'queued')
          and not materia.is_driven(parked_by) for no key update skip locked) returning notice)
      select pg_notify('materia', notice::text), pg_notify('materia_due', '') from c`,
  });
}

/** Pauses a dispatch when the worker stops, when it drains while the dispatch is parked, and when the items are joined. */
export function createPauseControl(
  { draining, stopping }: { readonly draining: AbortSignal; readonly stopping: AbortSignal },
  { parked, isParked, park }: DispatchParking,
) {
  const pause = new AbortController();
  const stop = (): void => pause.abort(PAUSE_REASON);
  const drain = (): void => (isParked() ? stop() : undefined);
  stopping.addEventListener("abort", stop);
  draining.addEventListener("abort", drain);
  void parked.then(() => (draining.aborted ? stop() : undefined));
  // The queues may assign a dispatch after the worker was stopped: no further signal comes.
  if (stopping.aborted) stop();
  return {
    signal: pause.signal,
    onSteps: (steps: readonly CastStep[]): void => {
      const has = (kind: string): boolean => steps.some(({ event }) => event.type === kind);
      // [B49] The steps after the items need a slot again.
      if ((draining.aborted && has("visit_completed")) || (isParked() && (has("loop_joined") || has("cast_woken"))))
        stop();
      // [Z16] A sleeping cast frees its slot, and is dispatched again at its time.
      if (steps.at(-1)?.after.phase.kind === "sleeping") void park();
    },
    close: () => {
      stopping.removeEventListener("abort", stop);
      draining.removeEventListener("abort", drain);
    },
  };
}
