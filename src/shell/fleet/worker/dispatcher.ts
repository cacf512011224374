import { fail, failWith, suggest, typed, ok, type Result } from "../../../core/model/issue.ts";
import type { PoolClient } from "pg";
import { errorText } from "../../system/files.ts";
import { databaseIssue, isTransientError, type Database } from "../../store/postgres/database.ts";
import { loadDbos, type Dbos } from "./dbos-sdk.ts";

/** A dispatch of a cast: from its present state until it ends, waits for a person or is requeued. */
export interface Dispatch {
  readonly castId: string;
  readonly leg: number;
  readonly queue: string;
  readonly project: string;
  readonly priority: number;
}

/** Assigns dispatches to workers. Nothing outside of this module knows DBOS or its tables. */
export interface Dispatcher {
  /** Enqueues in the transaction that marks the dispatch as sent. */
  readonly send: (client: PoolClient, dispatch: Dispatch) => Promise<void>;
  readonly workersWithDispatches: () => Promise<readonly string[]>;
  readonly requeueFrom: (workers: readonly string[]) => Promise<void>;
  /** [B32] Requeues dispatches that the queues assigned to this worker and that it does not know, twice in a row. */
  readonly requeueLost: () => Promise<void>;
  /** [B66] Deletes a batch of the dispatches that have been over for a week. */
  readonly deleteExpired: () => Promise<void>;
  /** Starts no dispatch any more; resolves when the running ones are over. */
  readonly close: () => Promise<void>;
}

export interface DispatcherOptions {
  readonly url: string;
  readonly database: Database;
  readonly workerId: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly run: (castId: string, leg: number) => Promise<void>;
  readonly pollMs: number;
}

/** One application and one version for all: dispatches that another version of the program sent must not wait for ever. */
const APPLICATION = "materia";
const APP_VERSION = "materia-1";
const WORKFLOW = "drive";
const MAX_DRAIN_MS = 24 * 3_600_000;
const RETENTION_DAYS = 7;
/** Few enough that one deletion does not delay the sweep; the next sweep takes the rest. */
const DELETE_BATCH = 500;

const SILENT_LOGGER = { info: () => undefined, debug: () => undefined, warn: () => undefined, error: () => undefined };

/** [B47] Queues with their limits and order. The casts themselves stay in the store. */
export async function openDispatcher(options: DispatcherOptions): Promise<Result<Dispatcher>> {
  const loaded = await loadDbos();
  if (!loaded.ok) return loaded;
  const { DBOS } = loaded.value;
  const tracker = createDispatchTracker(options.run);
  try {
    await launchDbos(loaded.value, options, tracker);
    const send = await openSender(loaded.value, options);
    return ok({
      send,
      ...requeueOperations(loaded.value, options.workerId, tracker),
      workersWithDispatches: async () => {
        const rows = await options.database.query<{ worker: string }>({ text: WORKERS_WITH_DISPATCHES });
        return rows.map(({ worker }) => worker);
      },
      deleteExpired: async () => {
        const rows = await options.database.query<{ id: string }>({ text: EXPIRED_DISPATCHES });
        if (rows.length > 0) await DBOS.deleteWorkflows(rows.map(({ id }) => id));
      },
      close: async () => {
        const shut = DBOS.shutdown({ workflowCompletionTimeoutMS: MAX_DRAIN_MS }).catch(() => undefined);
        await Promise.race([shut, tracker.drained()]);
      },
    });
  } catch (thrown) {
    // [B85] DBOS wraps errors of the connection.
    const causes = [thrown, thrown instanceof Error && "error" in thrown ? thrown.error : undefined];
    const away = causes.find(isTransientError);
    if (away !== undefined) return fail(databaseIssue("fleet", away));
    const message = `cannot open the queues: ${errorText(thrown)}`;
    return failWith("database_failed", "fleet", message, suggest`create them with ${typed`fleet migrate`}`);
  }
}

const WORKERS_WITH_DISPATCHES =
  "select distinct executor_id as worker from dbos.workflow_status where status = 'PENDING' and executor_id is not null";

/** Of a row `c` of the casts: its dispatch waits in a queue, or runs. */
export const IS_DISPATCH_OPEN = `exists (select from dbos.workflow_status s where s.workflow_uuid = c.cast_id || ':' || c.leg
  and s.status in ('ENQUEUED', 'PENDING', 'DELAYED'))`;

/** DBOS would keep them for ever. Deleting them is safe: a cast counts its dispatches itself. */
const EXPIRED_DISPATCHES = `select workflow_uuid as id from dbos.workflow_status
  where completed_at < (extract(epoch from now() - interval '${RETENTION_DAYS} days') * 1000)::bigint
    and status in ('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
  order by completed_at limit ${DELETE_BATCH}`;

function requeueOperations(
  { DBOS }: Dbos,
  workerId: string,
  tracker: DispatchTracker,
): Pick<Dispatcher, "requeueFrom" | "requeueLost"> {
  const assignedTo = (workers: readonly string[]) =>
    DBOS.listWorkflows({ status: "PENDING", executorId: [...workers], loadInput: false });
  const requeueAll = async (dispatches: Awaited<ReturnType<typeof assignedTo>>): Promise<void> => {
    // A dispatch without its queue would ignore all limits.
    for (const [queueName, each] of Map.groupBy(dispatches, (dispatch) => dispatch.queueName ?? ""))
      if (queueName !== "")
        await DBOS.resumeWorkflows(
          each.map(({ workflowID }) => workflowID),
          { queueName },
        );
  };
  let suspected: ReadonlySet<string> = new Set();
  return {
    // DBOS answers an empty list of workers with an error.
    requeueFrom: async (workers) => (workers.length === 0 ? undefined : requeueAll(await assignedTo(workers))),
    requeueLost: async () => {
      const unknown = (await assignedTo([workerId])).filter(({ workflowID }) => !tracker.isKnown(workflowID));
      const lost = unknown.filter(({ workflowID }) => suspected.has(workflowID));
      // Once is not enough: a dispatch may be assigned and not begun, or over and not yet marked so.
      suspected = new Set(unknown.map(({ workflowID }) => workflowID));
      await requeueAll(lost);
    },
  };
}

async function launchDbos(dbos: Dbos, options: DispatcherOptions, tracker: DispatchTracker): Promise<void> {
  const { DBOS } = dbos;
  const { url, database, workerId, queues } = options;
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePool: database.pool,
    useListenNotify: false,
    runMigrations: false,
    applicationVersion: APP_VERSION,
    executorID: workerId,
    listenQueues: [...queues],
    // One queue after another: two queues that are polled at once would both fill the last slot.
    maxConcurrentQueueDispatches: 1,
    logger: SILENT_LOGGER,
  });
  // The slot is taken before DBOS decides whether the dispatch may begin: it polls another queue in between.
  const workflow = (castId: string, leg: number, queue?: string): Promise<void> =>
    tracker.withSlot(dispatchId(castId, leg), queue, () =>
      DBOS.runStep(() => tracker.run(castId, leg), { name: WORKFLOW }),
    );
  DBOS.registerWorkflow(workflow, { name: WORKFLOW });
  for (const queue of queues)
    limitQueueConcurrency(dbos, queue, { ...options, slotsOutside: () => tracker.slotsOutside(queue) });
  await DBOS.launch();
}

/**
 * [B11] `concurrency` slots in all queues of this worker together. A queue that is registered in the database has one number
 * of slots for all workers, set by the worker that registered it last; this one belongs to this process.
 */
function limitQueueConcurrency(
  { registerInternalQueue }: Dbos,
  name: string,
  { concurrency, pollMs, slotsOutside }: DispatcherOptions & { readonly slotsOutside: () => number },
): void {
  const queue = registerInternalQueue(name, {
    workerConcurrency: concurrency,
    // Any limit of a partition makes the queue a partitioned one; with this limit workers do not wait for each other.
    partitionWorkerConcurrency: concurrency,
    minPollingIntervalMs: pollMs,
  });
  Object.defineProperty(queue, "workerConcurrency", { get: () => concurrency - slotsOutside() });
}

function dispatchId(castId: string, leg: number): string {
  return `${castId}:${leg}`;
}

async function openSender({ DBOSClient }: Dbos, { url, database }: DispatcherOptions): Promise<Dispatcher["send"]> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: database.pool,
    applicationName: APPLICATION,
    logger: SILENT_LOGGER,
  });
  return async (transaction, { castId, leg, queue, project, priority }) => {
    const options = {
      queueName: queue,
      workflowName: WORKFLOW,
      workflowID: dispatchId(castId, leg),
      appVersion: APP_VERSION,
      applicationName: APPLICATION,
      // Without a key it would stay in a partitioned queue for ever.
      queuePartitionKey: project,
      priority,
    };
    type Work = (castId: string, leg: number, queue: string) => Promise<void>;
    await client.enqueueInTransaction<Work>(transaction, options, castId, leg, queue);
  };
}

/** DBOS may mark the last dispatch as over this long after it has ended. */
const COMPLETION_WRITE_MS = 5_000;

type DispatchTracker = ReturnType<typeof createDispatchTracker>;

/** Tracks dispatches here because DBOS also waits for those that were reassigned, as long as their new worker takes. */
function createDispatchTracker(run: DispatcherOptions["run"]) {
  const running = new Set<Promise<void>>();
  const slots = new Map<string | undefined, number>();
  const dispatchIds = new Map<string, number>();
  return {
    drained: async (): Promise<void> => {
      do {
        await Promise.allSettled(running);
        await new Promise<void>((resolve) => setTimeout(resolve, COMPLETION_WRITE_MS).unref());
      } while (running.size > 0);
    },
    run: (castId: string, leg: number): Promise<void> => {
      const dispatch = run(castId, leg).finally(() => running.delete(dispatch));
      running.add(dispatch);
      return dispatch;
    },
    withSlot: async (dispatchId: string, queue: string | undefined, work: () => Promise<void>): Promise<void> => {
      addTo(slots, queue, 1);
      addTo(dispatchIds, dispatchId, 1);
      try {
        await work();
      } finally {
        addTo(slots, queue, -1);
        addTo(dispatchIds, dispatchId, -1);
      }
    },
    isKnown: (dispatchId: string): boolean => dispatchIds.has(dispatchId),
    slotsOutside: (queue: string): number =>
      Array.from(slots.values()).reduce((sum, count) => sum + count, 0) - (slots.get(queue) ?? 0),
  };
}

function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
