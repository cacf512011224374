import { isTransientError } from "../../store/postgres/database.ts";

/** A recurring job of a worker, with its own timer. */
export interface Duty {
  readonly everyMs: number;
  /** Resolves to the milliseconds after which it must run again; `everyMs` after its start if unset or later. */
  readonly run: () => Promise<number | undefined>;
  /** Called once, with an error that waiting does not mend. The duty does not run again. */
  readonly onError: (thrown: unknown) => Promise<void>;
}

export interface RunningDuty {
  /** Runs it now, or once more after the present run. */
  readonly wake: () => void;
  /** Resolves when the present run is over. */
  readonly stop: () => Promise<void>;
}

/** [B75] Runs a duty at once and then by its timer. A run that a transient error ended is repeated at the next time. */
export function startDuty({ everyMs, run, onError }: Duty): RunningDuty {
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<void> | undefined;
  let isWoken = false;
  let isStopped = false;
  const runOnce = async (): Promise<void> => {
    const nextAt = Date.now() + everyMs;
    isWoken = false;
    const soonMs = await run().catch(async (thrown: unknown) => {
      if (isTransientError(thrown)) return undefined;
      isStopped = true;
      await onError(thrown);
    });
    present = undefined;
    if (isStopped) return;
    const waitMs = Math.min(soonMs ?? everyMs, nextAt - Date.now());
    timer = setTimeout(wake, isWoken ? 0 : Math.max(1, waitMs));
  };
  const wake = (): void => {
    clearTimeout(timer);
    isWoken = true;
    if (!isStopped) present ??= runOnce();
  };
  wake();
  return {
    wake,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await present;
    },
  };
}
