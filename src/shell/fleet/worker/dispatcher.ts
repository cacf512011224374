import { suggest, typed, error, fail, ok, type Result } from "../../../core/model/issue.ts";
import type { PoolClient } from "pg";
import { errorText } from "../../system/system-error.ts";
import type { Database } from "../../store/postgres/database.ts";

/** A leg of a cast: from where it stands until it ends, waits for a person or is handed back. */
export interface Dispatch {
  readonly castId: string;
  readonly leg: number;
  readonly queue: string;
  readonly project: string;
  readonly priority: number;
}

/** Who hands legs to workers. Only here is DBOS known. */
export interface Dispatcher {
  /** In the transaction that marks them as sent. */
  readonly send: (client: PoolClient, leg: Dispatch) => Promise<void>;
  /** Puts what these workers had begun back into its queues. */
  readonly takeBack: (workers: readonly string[]) => Promise<void>;
  /** [B32] Puts back what the queues have given to this worker and it does not know of, twice in a row. */
  readonly takeBackLost: () => Promise<void>;
  /** [B18] Legs that are over, with all that the queues keep of them. */
  readonly deleteExpired: (legs: readonly string[]) => Promise<void>;
  /** No leg is begun any more; resolves when those that run are over. */
  readonly close: () => Promise<void>;
}

export interface DispatcherOptions {
  readonly url: string;
  readonly database: Database;
  readonly workerId: string;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly drive: (castId: string, leg: number) => Promise<void>;
  readonly pollMs: number;
}

/** Of one application and one version: what another version of the program sent must not wait for ever. */
const APPLICATION = "materia";
const APP_VERSION = "materia-1";
const WORKFLOW = "drive";
const MAX_DRAIN_MS = 24 * 3_600_000;
const SDK_VERSION = "5.3.0";

const SILENT_LOGGER = { info: () => undefined, debug: () => undefined, warn: () => undefined, error: () => undefined };

/** [B11] Queues with their limits and order; the work itself stays with the casts. */
export async function openDispatcher(place: DispatcherOptions): Promise<Result<Dispatcher>> {
  const loaded = await loadSdk();
  if (!loaded.ok) return loaded;
  const { DBOS } = loaded.value;
  const legs = createDispatchTracker(place.drive);
  try {
    await launchDbos(loaded.value, place, legs);
    const send = await openSender(loaded.value, place);
    return ok({
      send,
      ...requeueOperations(loaded.value, place.workerId, legs),
      deleteExpired: async (names) => (names.length === 0 ? undefined : DBOS.deleteWorkflows([...names])),
      close: async () => {
        const shut = DBOS.shutdown({ workflowCompletionTimeoutMS: MAX_DRAIN_MS }).catch(() => undefined);
        await Promise.race([shut, legs.drained()]);
      },
    });
  } catch (thrown) {
    const message = `the queues cannot be used: ${errorText(thrown)}`;
    return fail(error("database_failed", "fleet", message, suggest`${typed`fleet migrate`} makes them`));
  }
}

function requeueOperations(
  { DBOS }: Sdk,
  workerId: string,
  legs: DispatchTracker,
): Pick<Dispatcher, "takeBack" | "takeBackLost"> {
  const begunBy = (workers: readonly string[]): Promise<readonly QueuedDispatch[]> =>
    DBOS.listWorkflows({ status: "PENDING", executorId: [...workers], loadInput: false });
  const putBack = async (given: readonly QueuedDispatch[]): Promise<void> => {
    // Without its queue a leg would run beside all limits.
    for (const [queueName, each] of Map.groupBy(given, (leg) => leg.queueName ?? ""))
      if (queueName !== "")
        await DBOS.resumeWorkflows(
          each.map(({ workflowID }) => workflowID),
          { queueName },
        );
  };
  let suspected: ReadonlySet<string> = new Set();
  return {
    // Asked for the legs of nobody, the queues answer with an error.
    takeBack: async (workers) => (workers.length === 0 ? undefined : putBack(await begunBy(workers))),
    takeBackLost: async () => {
      const unknown = (await begunBy([workerId])).filter(({ workflowID }) => !legs.isKnown(workflowID));
      const lost = unknown.filter(({ workflowID }) => suspected.has(workflowID));
      // One that was just given is not begun yet, and of one that is just over the queues do not know it yet.
      suspected = new Set(unknown.map(({ workflowID }) => workflowID));
      await putBack(lost);
    },
  };
}

/** A leg as the queues tell of it. */
interface QueuedDispatch {
  readonly workflowID: string;
  readonly queueName?: string;
}

/** How long after the last leg DBOS may take to write down that it is over. */
const COMPLETION_WRITE_MS = 5_000;

interface DispatchTracker {
  readonly drained: () => Promise<void>;
  readonly drive: DispatcherOptions["drive"];
  /** Holds a place for what came from a queue until it is over. */
  readonly withSlot: (leg: SlotRequest, work: () => Promise<void>) => Promise<void>;
  readonly isKnown: (name: string) => boolean;
  /** How many places are held for other queues than this one. */
  readonly slotsOutside: (queue: string) => number;
}

interface SlotRequest {
  readonly name: string;
  readonly queue: string | undefined;
}

/** The legs that this process drives. A leg that was given to another is waited for by DBOS as long as that one takes; not here. */
function createDispatchTracker(drive: DispatcherOptions["drive"]): DispatchTracker {
  const driven = new Set<Promise<void>>();
  const places = new Map<string | undefined, number>();
  const known = new Map<string, number>();
  const count = <K>(counts: Map<K, number>, key: K, by: number): void => {
    const now = (counts.get(key) ?? 0) + by;
    if (now === 0) counts.delete(key);
    else counts.set(key, now);
  };
  const held = (queue: string | undefined): number => places.get(queue) ?? 0;
  return {
    drained: async () => {
      do {
        await Promise.allSettled(driven);
        await new Promise<void>((resolve) => setTimeout(resolve, COMPLETION_WRITE_MS).unref());
      } while (driven.size > 0);
    },
    drive: (castId, leg) => {
      const mine = drive(castId, leg).finally(() => driven.delete(mine));
      driven.add(mine);
      return mine;
    },
    withSlot: async ({ name, queue }, work) => {
      count(places, queue, 1);
      count(known, name, 1);
      try {
        await work();
      } finally {
        count(places, queue, -1);
        count(known, name, -1);
      }
    },
    isKnown: (name) => known.has(name),
    slotsOutside: (queue) => Array.from(places.values()).reduce((sum, count) => sum + count, 0) - held(queue),
  };
}

async function launchDbos(sdk: Sdk, place: DispatcherOptions, legs: DispatchTracker): Promise<void> {
  const { DBOS } = sdk;
  const { url, database, workerId, queues } = place;
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: url,
    systemDatabasePool: database.pool,
    useListenNotify: false,
    runMigrations: false,
    applicationVersion: APP_VERSION,
    executorID: workerId,
    listenQueues: [...queues],
    // One queue after another: two that are looked into at once would both fill the last place.
    maxConcurrentQueueDispatches: 1,
    logger: SILENT_LOGGER,
  });
  // Its place is taken before it is asked whether it may begin: another queue is looked into meanwhile.
  const step = (castId: string, leg: number, queue?: string): Promise<void> =>
    legs.withSlot({ name: dispatchId(castId, leg), queue }, () =>
      DBOS.runStep(() => legs.drive(castId, leg), { name: WORKFLOW }),
    );
  DBOS.registerWorkflow(step, { name: WORKFLOW });
  for (const queue of queues) limitQueueConcurrency(sdk, queue, { ...place, besides: () => legs.slotsOutside(queue) });
  await DBOS.launch();
}

/**
 * [B11] As many places as this worker has, in all of its queues together. A queue that is kept in the database has one
 * number of places for all workers, that of whoever registered it last; this one belongs to this process.
 */
function limitQueueConcurrency(
  { registerInternalQueue }: Sdk,
  name: string,
  { concurrency, pollMs, besides }: DispatcherOptions & { readonly besides: () => number },
): void {
  const queue = registerInternalQueue(name, {
    workerConcurrency: concurrency,
    // Any limit of a part makes parts of a queue; with this one workers do not wait for each other.
    partitionWorkerConcurrency: concurrency,
    minPollingIntervalMs: pollMs,
  });
  Object.defineProperty(queue, "workerConcurrency", { get: () => concurrency - besides() });
}

/** What the queues call it. */
function dispatchId(castId: string, leg: number): string {
  return `${castId}:${leg}`;
}

async function openSender({ DBOSClient }: Sdk, { url, database }: DispatcherOptions): Promise<Dispatcher["send"]> {
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
      // Without one it would stay in a queue of parts for ever.
      queuePartitionKey: project,
      priority,
    };
    await client.enqueueInTransaction<(castId: string, leg: number, queue: string) => Promise<void>>(
      transaction,
      options,
      castId,
      leg,
      queue,
    );
  };
}

/**
 * Tables of the queues, for a role that may make them. [B4] Through the connections of this database: those that DBOS would
 * make for itself from the url are not encrypted.
 */
export async function migrateQueues(database: Database, url: string): Promise<Result<undefined>> {
  const { log } = console;
  try {
    const { ensureSystemDatabase, getDbosSchemaPermissionsSql } =
      await import("@dbos-inc/dbos-sdk/internal/system_database");
    const { GlobalLogger } = await import("@dbos-inc/dbos-sdk/internal/telemetry/logs");
    // It tells of its steps on standard output, which belongs to whoever asked.
    console.log = () => undefined;
    await ensureSystemDatabase(url, new GlobalLogger(), database.pool);
    for (const text of getDbosSchemaPermissionsSql("dbos", "materia_worker")) await database.queryOnce({ text });
    return ok(undefined);
  } catch (thrown) {
    if (isModuleMissing(thrown)) return missingSdkIssue();
    return fail(error("database_failed", "fleet", `the queues cannot be made: ${errorText(thrown)}`));
  } finally {
    console.log = log;
  }
}

type Sdk = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS" | "DBOSClient"> &
  Pick<typeof import("@dbos-inc/dbos-sdk/eventreceiver"), "registerInternalQueue">;

async function loadSdk(): Promise<Result<Sdk>> {
  try {
    const { DBOS, DBOSClient } = await import("@dbos-inc/dbos-sdk");
    const { registerInternalQueue } = await import("@dbos-inc/dbos-sdk/eventreceiver");
    return ok({ DBOS, DBOSClient, registerInternalQueue });
  } catch {
    return missingSdkIssue();
  }
}

function isModuleMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
}

function missingSdkIssue(): Result<never> {
  const hint = `install it beside pi-materia: npm install @dbos-inc/dbos-sdk@${SDK_VERSION}`;
  return fail(error("missing_package", "@dbos-inc/dbos-sdk", "a worker needs a package that is not installed", hint));
}
