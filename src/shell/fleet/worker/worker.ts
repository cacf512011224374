import type { Telemetry } from "../../context/run-context.ts";
import { createUsageMetrics, type UsageRow } from "./health-server.ts";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { WaitGroup } from "../../../core/view/progress/fleet-status.ts";
import { createWorkerLimits } from "../../config/shared-limits.ts";
import { thisProcess } from "../../process/process-identity.ts";
import { withDatabaseErrors, type Database } from "../../store/postgres/database.ts";
import { BUDGETS_CHANNEL, openNotifications } from "../../store/postgres/notifications.ts";
import { postgresStore } from "../../store/postgres/postgres-store.ts";
import { VERSION } from "../../system/package.ts";
import { openCheckedDatabase, type ResolvedFleetProfile } from "../open-fleet.ts";
import { createDispatchRunner, type DispatchReport } from "./dispatch-runner.ts";
import { openDispatcher } from "./dispatcher.ts";
import {
  createWorkerState,
  startDuties,
  workerExitCode,
  type WorkerDuties,
  type WorkerState,
  type WorkerStateKind,
} from "./duties.ts";
import { createWorkerFolders, enableToolsUser } from "./tools-user-folders.ts";
import {
  createWorkerId,
  HEARTBEAT_TIMING,
  openWorkerSession,
  type HeartbeatTiming,
  type WorkerSession,
} from "./worker-registry.ts";
import { createWorkerTrees } from "./worker-trees.ts";

export interface WorkerOptions {
  readonly profile: ResolvedFleetProfile;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Holds the trees and scratch files of its casts; nothing in it is needed after the worker has ended. */
  readonly folder: string;
  /** Aborted by the first signal: the worker drains. */
  readonly draining: AbortSignal;
  /** Aborted by the second signal: the worker stops at once. */
  readonly stopping: AbortSignal;
  /** [TM5] Where the spans of its casts go. */
  readonly telemetry?: Telemetry | undefined;
  /** [B25] The user that runs tools and programs of casts; the user of this process if unset. */
  readonly toolsUser?: string;
  readonly onStarted?: (metrics: () => WorkerMetrics) => void;
  /** [B74] Called with every state that follows `starting`. */
  readonly onState?: (state: WorkerState) => void;
  readonly onDispatch?: (report: DispatchReport) => void;
  /** [B71] Called with the reasons for which casts of its queues wait, when a new one comes up. */
  readonly onWaiting?: (waiting: readonly WaitGroup[]) => void;
  readonly pace?: HeartbeatTiming;
  /** How long one statement waits for a database that is away or full. */
  readonly patienceMs?: number;
}

export interface WorkerMetrics {
  readonly workerId: string;
  readonly state: WorkerStateKind;
  readonly running: readonly string[];
  readonly legs: Readonly<Record<string, number>>;
  /** [TM7] */
  readonly usage: readonly UsageRow[];
  /** [Z16] The models for which it begins no cast, and until when. */
  readonly refused: readonly { readonly model: string; readonly until: string }[];
}

const DATABASE_PATIENCE_MS = 120_000;

/** [B11] Runs casts of its queues until it has drained, is evicted or fails. Returns the exit code of its last state. */
export async function runWorker(options: WorkerOptions): Promise<Result<number>> {
  const { profile, pace = HEARTBEAT_TIMING, patienceMs = DATABASE_PATIENCE_MS } = options;
  const user =
    options.toolsUser === undefined ? ok(undefined) : await enableToolsUser(options.toolsUser, options.concurrency);
  if (!user.ok) return user;
  const opened = await openCheckedDatabase(profile, patienceMs);
  if (!opened.ok) return opened;
  const parts = createWorkerParts(options, opened.value);
  const at = `fleet.profiles.${profile.name}.url`;
  const session = await withDatabaseErrors(at, async () =>
    ok(await openWorkerSession(opened.value, parts.registration, pace)),
  );
  if (session.ok) return runRegisteredWorker(options, parts, session.value);
  await parts.store.close();
  return session;
}

type WorkerParts = ReturnType<typeof createWorkerParts>;

function createWorkerParts({ profile, queues, concurrency, folder: base }: WorkerOptions, database: Database) {
  const { pid, startedAt: started } = thisProcess();
  const workerId = createWorkerId(hostname(), pid, randomBytes(3).toString("hex"));
  const folder = join(base, workerId);
  createWorkerFolders(folder);
  const scratch = join(folder, "casts");
  const trees = createWorkerTrees(database, folder, profile);
  const unwritten = new Set<CastId>();
  const store = postgresStore({
    database,
    location: scratch,
    worker: {
      id: workerId,
      scratch,
      packFor: trees.packFor,
      checkpointPolicyFor: trees.checkpointPolicy,
      onDatabaseError: (castId) => void unwritten.add(castId),
    },
  });
  const registration = { workerId, host: hostname(), pid, started, version: VERSION, queues, concurrency };
  const budgets = openNotifications(database, BUDGETS_CHANNEL);
  const usage = createUsageMetrics();
  const limits = createWorkerLimits();
  return { workerId, folder, registration, database, trees, unwritten, store, budgets, usage, limits };
}

async function runRegisteredWorker(
  options: WorkerOptions,
  parts: WorkerParts,
  session: WorkerSession,
): Promise<Result<number>> {
  const { profile, queues, concurrency, pace = HEARTBEAT_TIMING, onWaiting = () => undefined } = options;
  const { workerId, database, store } = parts;
  const stopping = new AbortController();
  options.stopping.addEventListener("abort", () => stopping.abort());
  const leaving = Promise.withResolvers<void>();
  const state = createWorkerState((now) => {
    options.onState?.(now);
    // An evicted worker has lost its casts, and a failed one cannot keep its lease.
    if (now.kind === "evicted" || now.kind === "failed") stopping.abort();
    if (now.kind !== "running") leaving.resolve();
  });
  let duties: WorkerDuties | undefined;
  const { env, draining, telemetry } = options;
  const runner = createDispatchRunner(
    { ...parts, profile, env, draining, telemetry, stopping: stopping.signal, notifyTurn: store.notifyTurn },
    (report) => {
      options.onDispatch?.(report);
      // [B60] A finished dispatch may free a slot under a limit.
      duties?.wakeOutbox();
    },
  );
  const { run } = runner;
  const { pollMs } = pace;
  const dispatcher = await openDispatcher({ ...parts, url: profile.url, queues, concurrency, run, pollMs });
  if (!dispatcher.ok) {
    await closeWorker(parts, session);
    return dispatcher;
  }
  options.onStarted?.(() => ({
    workerId,
    state: state.current().kind,
    running: [...runner.running],
    legs: runner.counts,
    usage: parts.usage.rows(),
    refused: parts.limits.list(Date.now()).map(({ model, until }) => ({ model, until: new Date(until).toISOString() })),
  }));
  state.enter({ kind: "running" });
  const context = { workerId, profile, queues, folder: options.folder, session, database, pace, onWaiting };
  duties = startDuties({ ...context, dispatcher: dispatcher.value, end: state.enter });
  const leave = (): void => state.enter({ kind: "draining" });
  for (const signal of [draining, options.stopping]) {
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
  }
  await leaving.promise;
  await duties.drain();
  await Promise.all([dispatcher.value.close(), runner.drained()]);
  await duties.stopHeartbeat();
  state.enter({ kind: "drained" });
  await closeWorker(parts, session);
  return ok(workerExitCode(state.current()));
}

async function closeWorker({ budgets, store, folder }: WorkerParts, session: WorkerSession): Promise<void> {
  await session.setState("gone").catch(() => undefined);
  await session.close();
  await budgets.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
