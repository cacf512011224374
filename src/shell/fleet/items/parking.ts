import type { CastId } from "../../../core/model/ids.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import { PAUSE_REASON } from "../../run/effect.ts";
import type { Database } from "../../store/postgres/database/database.ts";

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
