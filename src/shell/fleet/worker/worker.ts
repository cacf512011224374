import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import type { WaitGroup } from "../../../core/view/progress/fleet-status.ts";
import { thisProcess } from "../../process/process-identity.ts";
import { postgresStore } from "../../store/postgres/postgres-store.ts";
import { withDatabaseErrors } from "../../store/postgres/cast-reader.ts";
import { BUDGETS_CHANNEL, DUE_CHANNEL, openNotifications } from "../../store/postgres/notifications.ts";
import type { Database } from "../../store/postgres/database.ts";
import { sleepUnlessAborted } from "../../run/run-context.ts";
import { errorText } from "../../system/system-error.ts";
import { VERSION } from "../../system/package.ts";
import { requeueOrphanedParked, createParking, requeueRejected } from "./dispatch-state.ts";
import { openCheckedDatabase, type ResolvedFleetProfile } from "../open-fleet.ts";
import {
  deleteStaleWorkers,
  expiredDispatches,
  removeOrphanedFolders,
  createWorkerId,
  HEARTBEAT_TIMING,
  openWorkerSession,
  type HeartbeatTiming,
  type WorkerSession,
} from "./worker-registry.ts";
import { queueReporter } from "../fleet-status.ts";
import { openDispatcher, type Dispatcher } from "./dispatcher.ts";
import { runDispatch, type DispatchOutcome, type DispatchContext, type AssignedDispatch } from "./run-dispatch.ts";
import { sendDueDispatches, submitDueSchedules } from "./send-due.ts";
import { enableToolsUser, createWorkerFolders } from "./tools-user-folders.ts";
import { createWorkerTrees } from "./worker-trees.ts";

export interface WorkerOptions {
  readonly profile: ResolvedFleetProfile;
  readonly queues: readonly string[];
  readonly concurrency: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it keeps what it drives; nothing of it is needed once it has ended. */
  readonly folder: string;
  /** Aborted once: it hands back at the ends of visits. */
  readonly draining: AbortSignal;
  /** Aborted: it stops at once. */
  readonly stopping: AbortSignal;
  /** [B25] As whom tools and programs of casts run; as this process's user if unset. */
  readonly toolsUser?: string;
  readonly onStarted?: (figures: () => WorkerMetrics) => void;
  readonly onDispatch?: (leg: DispatchReport) => void;
  /** [B29] Told why casts of its queues wait, when a reason comes up. */
  readonly onWaiting?: (waiting: readonly WaitGroup[]) => void;
  readonly pace?: HeartbeatTiming;
  /** How long one statement waits for a database that is away or full. */
  readonly patienceMs?: number;
}

export interface DispatchReport extends DispatchOutcome {
  readonly castId: string;
  readonly leg: number;
  readonly ms: number;
}

export interface WorkerMetrics {
  readonly workerId: string;
  readonly running: readonly string[];
  readonly legs: Readonly<Record<string, number>>;
}

/** Leaves with this when it was given up: whoever started it may start it again. */
const EVICTED_EXIT_CODE = 75;

/** A database that is down for a while is waited for. */
const DATABASE_PATIENCE_MS = 120_000;
const HEARTBEATS_PER_SWEEP = 5;
const RETRY_MS = 1_000;
/** Of somebody whom others give up right now a look says nothing yet. */
const MIN_RECHECK_MS = 50;

/** Pulls casts and drives them until it is told to stop, or given up by the others. Answers with the code to leave with. */
export async function runWorker(request: WorkerOptions): Promise<Result<number>> {
  const { profile, pace = HEARTBEAT_TIMING, patienceMs = DATABASE_PATIENCE_MS } = request;
  const user = request.toolsUser === undefined ? ok(undefined) : await enableToolsUser(request.toolsUser);
  if (!user.ok) return user;
  const opened = await openCheckedDatabase(profile, patienceMs);
  if (!opened.ok) return opened;
  const parts = createWorkerParts(request, opened.value);
  const at = `fleet.profiles.${profile.name}.url`;
  const enrolled = await withDatabaseErrors(at, async () => ok(await openWorkerSession(opened.value, parts.me, pace)));
  if (enrolled.ok) return runEnrolledWorker(request, parts, enrolled.value);
  await parts.store.close();
  return enrolled;
}

/** What a worker is made of, before anybody knows of it. */
function createWorkerParts({ profile, queues, concurrency, folder: base }: WorkerOptions, database: Database) {
  const { pid, startedAt: started } = thisProcess();
  const workerId = createWorkerId(hostname(), pid, randomBytes(3).toString("hex"));
  const folder = join(base, workerId);
  createWorkerFolders(folder);
  const scratch = join(folder, "casts");
  const trees = createWorkerTrees(database, folder, profile);
  const troubled = new Set<CastId>();
  const onTrouble = (castId: CastId): void => void troubled.add(castId);
  const store = postgresStore({
    database,
    location: scratch,
    worker: {
      id: workerId,
      scratch,
      packFor: trees.packFor,
      checkpointPolicyFor: trees.checkpointPolicy,
      onDatabaseError: onTrouble,
    },
  });
  const me = { workerId, host: hostname(), pid, started, version: VERSION, queues, concurrency };
  const budgets = openNotifications(database, BUDGETS_CHANNEL);
  return { workerId, folder, me, database, trees, troubled, store, budgets };
}

async function runEnrolledWorker(
  request: WorkerOptions,
  { folder, me: _me, ...place }: ReturnType<typeof createWorkerParts>,
  session: WorkerSession,
): Promise<Result<number>> {
  const { profile, queues, concurrency, pace = HEARTBEAT_TIMING } = request;
  const { workerId, database, store } = place;
  const stopping = new AbortController();
  request.stopping.addEventListener("abort", () => stopping.abort());
  let wake = (): void => undefined;
  const driven = createDispatchRunner(
    { ...request, onDispatch: (leg) => (request.onDispatch?.(leg), wake()) },
    { profile, ...place, tellTurn: place.store.notifyTurn, stopping: stopping.signal },
  );
  const dispatcher = await openDispatcher({
    url: profile.url,
    database,
    workerId,
    queues,
    concurrency,
    drive: driven.drive,
    pollMs: pace.pollMs,
  });
  const leave = async (): Promise<void> => {
    await session.setState("gone").catch(() => undefined);
    await session.close();
    await place.budgets.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!dispatcher.ok) {
    await leave();
    return dispatcher;
  }
  request.onStarted?.(() => ({ workerId, running: [...driven.running], legs: driven.legs }));
  await removeOrphanedFolders(database, request.folder).catch(() => undefined);
  const code = await runHeartbeatLoop(request, {
    workerId,
    session,
    dispatcher: dispatcher.value,
    database,
    pace,
    // [B22] Where a leg has ended there may be a place under a limit.
    onReady: (waker) => (wake = waker),
  });
  // Given up it owns nothing any more; otherwise others go on where its visits end.
  if (code === EVICTED_EXIT_CODE) stopping.abort();
  else await session.setState("draining").catch(() => undefined);
  const drained = Promise.all([dispatcher.value.close(), driven.over()]);
  const isGone = await heartbeatWhileDraining(drained, { session, pace, stop: () => stopping.abort() });
  await leave();
  return ok(isGone ? EVICTED_EXIT_CODE : code);
}

/** [B11] A visit may take long: who drains is still heard of. Answers whether it was given up all the same. */
async function heartbeatWhileDraining(
  drained: Promise<unknown>,
  { session, pace, stop }: Pick<HeartbeatContext, "session" | "pace"> & { readonly stop: () => void },
): Promise<boolean> {
  const over = new AbortController();
  const done = drained.finally(() => over.abort());
  let isGone = false;
  while (!over.signal.aborted && !isGone) {
    await sleepUnlessAborted(pace.beatMs, over.signal);
    isGone = !over.signal.aborted && !(await session.heartbeat().catch(() => true));
  }
  if (isGone) stop();
  await done;
  return isGone;
}

interface DispatchRunner {
  readonly drive: (castId: string, leg: number) => Promise<void>;
  readonly running: ReadonlySet<string>;
  readonly legs: Readonly<Record<string, number>>;
  /** Resolves when none is driven any more, those that keep no place included. */
  readonly over: () => Promise<unknown>;
}

/** Legs as the queue hands them over; whatever happens in one, the next is taken. */
function createDispatchRunner(
  request: WorkerOptions,
  place: Omit<DispatchContext, "env" | "draining">,
): DispatchRunner {
  const running = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const legs: Record<string, number> = {};
  const drive = async (text: string, leg: number): Promise<void> => {
    const castId = parseCastId(text);
    if (castId === undefined) return;
    const begun = Date.now();
    running.add(castId);
    const parking = createParking(place.database, { castId, leg, workerId: place.workerId });
    const through = async (): Promise<void> => {
      const at = { ...place, env: request.env, draining: request.draining };
      const end = await runDispatchWithRetries(at, { castId, leg, parking });
      legs[end.how] = (legs[end.how] ?? 0) + 1;
      request.onDispatch?.({ castId, leg, ms: Date.now() - begun, ...end });
    };
    const driven = through().finally(() => underWay.delete(driven));
    underWay.add(driven);
    // [B12] Its place is for another from here on.
    await Promise.race([driven, parking.parked]);
    running.delete(castId);
  };
  return { drive, running, legs, over: () => Promise.allSettled(underWay) };
}

/** [B5] Where only the database stood in the way the leg is tried again here: nobody else is offered it. */
async function runDispatchWithRetries(place: DispatchContext, leg: AssignedDispatch): Promise<DispatchOutcome> {
  for (let isAgain = false; ; isAgain = true) {
    const end = await runDispatch(place, { ...leg, isRetry: isAgain }).catch((thrown: unknown): DispatchOutcome => ({
      how: "stopped",
      why: errorText(thrown),
      isTransient: true,
    }));
    if (!end.isTransient || place.stopping.aborted) return end;
    await sleepUnlessAborted(RETRY_MS, place.stopping);
  }
}

interface HeartbeatContext {
  readonly workerId: string;
  readonly session: WorkerSession;
  readonly dispatcher: Dispatcher;
  readonly database: Database;
  readonly pace: HeartbeatTiming;
  /** Given what makes it look before the next beat. */
  readonly onReady: (wake: () => void) => void;
}

/** [B14] Beat after beat: shows that it lives, looks after the others, and sends what is due. */
async function runHeartbeatLoop(request: WorkerOptions, beating: HeartbeatContext): Promise<number> {
  const { draining, stopping, queues, profile, onWaiting: tell = () => undefined } = request;
  const { session, dispatcher, database, pace, workerId } = beating;
  const tellWaiting = queueReporter({ database, profile, queues, againMs: pace.againMs, tell });
  const due = openNotifications(database, DUE_CHANNEL);
  let wake = (): void => undefined;
  const signals = [draining, stopping];
  for (const signal of signals) signal.addEventListener("abort", () => wake());
  due.on(undefined, () => wake());
  beating.onReady(() => wake());
  const sweep = async (): Promise<void> => {
    await session.runExclusively(async () => dispatcher.takeBack(await session.goneWithWork()));
    await dispatcher.takeBackLost();
    await requeueOrphanedParked(database);
    await requeueRejected(database, { workerId, queues, againMs: pace.againMs });
    await tellWaiting();
    await session.runExclusively(async () => {
      await deleteStaleWorkers(database);
      await dispatcher.deleteExpired(await expiredDispatches(database));
    });
  };
  try {
    for (let beats = 0, nextBeat = 0, nextLook = 0; ;) {
      if (signals.some(({ aborted }) => aborted)) return 0;
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        const isBeat = Date.now() >= nextBeat;
        if (isBeat) {
          nextBeat = Date.now() + pace.beatMs;
          if (!(await session.heartbeat())) return EVICTED_EXIT_CODE;
          await submitDueSchedules(database);
          beats += 1;
        }
        if (isBeat || Date.now() >= nextLook) {
          nextLook = nextBeat;
          const dead = await session.evictDead();
          if (dead.length > 0 || (isBeat && beats % HEARTBEATS_PER_SWEEP === 1)) await sweep();
          const verdict = await session.nextEvictionMs();
          if (verdict !== undefined) nextLook = Date.now() + Math.max(MIN_RECHECK_MS, verdict);
        }
        while ((await sendDueDispatches(database, dispatcher, queues)) > 0 && Date.now() < nextBeat);
      } catch {
        // The database is away; what this worker may still do, its claims decide.
      }
      const beat = new AbortController();
      await Promise.race([
        woken,
        sleepUnlessAborted(Math.max(1, Math.min(nextBeat, nextLook) - Date.now()), beat.signal),
      ]);
      beat.abort();
    }
  } finally {
    await due.close();
  }
}
