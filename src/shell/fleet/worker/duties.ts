import type { WaitGroup } from "../../../core/view/progress/fleet-status.ts";
import { isTransientError, type Database } from "../../store/postgres/database.ts";
import { DUE_CHANNEL, openNotifications } from "../../store/postgres/notifications.ts";
import { queueReporter } from "../fleet-status.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { requeueOrphanedParked, requeueAbandoned } from "./dispatch-state.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { sendDueDispatches, submitDueSchedules } from "./send-due.ts";
import {
  deleteStaleWorkers,
  removeOrphanedFolders,
  type HeartbeatTiming,
  type WorkerSession,
} from "./worker-registry.ts";

/** The one state of a worker. `/health`, its log, its row in the database and its exit code follow from it. */
export type WorkerState =
  | { readonly kind: "starting" | "running" | "draining" | "drained" | "evicted" }
  | { readonly kind: "failed"; readonly reason: string };

export type WorkerStateKind = WorkerState["kind"];

const NEXT_STATES: Readonly<Record<WorkerStateKind, readonly WorkerStateKind[]>> = {
  starting: ["running"],
  running: ["draining", "evicted", "failed"],
  draining: ["drained", "evicted", "failed"],
  drained: [],
  evicted: [],
  failed: [],
};

export function createWorkerState(onChange: (state: WorkerState) => void) {
  let current: WorkerState = { kind: "starting" };
  return {
    current: (): WorkerState => current,
    /** Does nothing where the present state does not lead to the next one: an evicted worker is never drained. */
    enter: (next: WorkerState): void => {
      if (!NEXT_STATES[current.kind].includes(next.kind)) return;
      current = next;
      onChange(next);
    },
  };
}

/** [B74] The code that the process of a worker exits with. A supervisor may restart it after an eviction or a failure. */
export function workerExitCode({ kind }: WorkerState): number {
  return kind === "evicted" ? 75 : kind === "failed" ? 70 : 0;
}

export interface DutyContext {
  readonly workerId: string;
  readonly profile: ResolvedFleetProfile;
  readonly queues: readonly string[];
  /** Holds the folders of all workers of this machine. */
  readonly folder: string;
  readonly session: WorkerSession;
  readonly dispatcher: Dispatcher;
  readonly database: Database;
  readonly pace: HeartbeatTiming;
  readonly onWaiting: (waiting: readonly WaitGroup[]) => void;
  readonly end: (state: WorkerState) => void;
}

export type WorkerDuties = ReturnType<typeof startDuties>;

const HEARTBEATS_PER_SWEEP = 5;
/** Minimum re-check delay: another worker's eviction may be in progress. */
const MIN_RECHECK_MS = 50;

/** [B14, B75] The duties of a worker, each with its own timer. */
export function startDuties(context: DutyContext) {
  const { session, dispatcher, database, queues, pace, end } = context;
  const onError = (name: string, thrown: unknown): Promise<void> => endUnlessTransient(context, name, thrown);
  const start = (name: string, duty: Omit<Duty, "onError">) =>
    startDuty({ ...duty, onError: (thrown) => onError(name, thrown) });
  const heartbeat = start("heartbeat", {
    everyMs: pace.beatMs,
    run: async () => {
      if (!(await session.heartbeat())) end({ kind: "evicted" });
      return undefined;
    },
  });
  const outbox = start("outbox", {
    everyMs: pace.beatMs,
    run: async () => ((await sendDueDispatches(database, dispatcher, queues)) > 0 ? 0 : undefined),
  });
  const schedules = start("schedules", {
    everyMs: pace.beatMs,
    run: async () => {
      if ((await submitDueSchedules(database)) > 0) outbox.wake();
      return undefined;
    },
  });
  const sweepOnce = createSweep(context);
  const sweep = start("sweep", {
    everyMs: HEARTBEATS_PER_SWEEP * pace.beatMs,
    run: async () => {
      await sweepOnce();
      outbox.wake();
      return undefined;
    },
  });
  const eviction = start("eviction", {
    everyMs: pace.beatMs,
    run: async () => {
      if ((await session.evictDead()).length > 0) sweep.wake();
      const nextMs = await session.nextEvictionMs();
      return nextMs === undefined ? undefined : Math.max(MIN_RECHECK_MS, nextMs);
    },
  });
  const due = openNotifications(database, DUE_CHANNEL);
  due.on(undefined, outbox.wake);
  return {
    /** Sends due dispatches now: a finished one may have freed a slot under a limit. */
    wakeOutbox: outbox.wake,
    /** Stops every duty but the heartbeat: a draining worker must not be evicted. */
    drain: async (): Promise<void> => {
      await Promise.all([outbox, schedules, sweep, eviction].map(({ stop }) => stop()));
      await due.close();
      await session.setState("draining").catch((thrown: unknown) => onError("drain", thrown));
    },
    stopHeartbeat: heartbeat.stop,
  };
}

/** After an eviction any statement may fail, since newer tables may be the reason for it: the worker is evicted, not failed. */
async function endUnlessTransient({ session, end }: DutyContext, duty: string, thrown: unknown): Promise<void> {
  if (isTransientError(thrown)) return;
  const isEvicted = await session.heartbeat().then(
    (isAlive) => !isAlive,
    () => false,
  );
  const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  end(isEvicted ? { kind: "evicted" } : { kind: "failed", reason: `the ${duty} failed: ${reason}` });
}

function createSweep(context: DutyContext): () => Promise<void> {
  const { workerId, profile, queues, session, dispatcher, database, pace } = context;
  const { againMs } = pace;
  const reportQueue = queueReporter({ database, profile, queues, againMs, tell: context.onWaiting });
  let areFoldersRemoved = false;
  return async () => {
    await session.runExclusively(async () =>
      dispatcher.requeueFrom(await session.goneAmong(await dispatcher.workersWithDispatches())),
    );
    await dispatcher.requeueLost();
    await requeueOrphanedParked(database);
    await requeueAbandoned(database, { workerId, queues, againMs });
    await reportQueue();
    await session.runExclusively(async () => {
      await deleteStaleWorkers(database, await dispatcher.workersWithDispatches());
      await dispatcher.deleteExpired();
    });
    // Last: a folder that cannot be removed must not keep dispatches from being requeued.
    if (!areFoldersRemoved) await removeOrphanedFolders(database, context.folder);
    areFoldersRemoved = true;
  };
}

export interface Duty {
  readonly everyMs: number;
  /** Resolves to the milliseconds after which it must run again; `everyMs` after its start if unset or later. */
  readonly run: () => Promise<number | undefined>;
  /** Called once, with an error that waiting does not mend. The duty does not run again. */
  readonly onError: (thrown: unknown) => Promise<void>;
}

/** [B75] Runs a duty at once and then by its timer. A run that a transient error ended is repeated at the next time. */
export function startDuty({ everyMs, run, onError }: Duty) {
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
    /** Runs it now, or once more after the present run. */
    wake,
    /** Resolves when the present run is over. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await present;
    },
  };
}
