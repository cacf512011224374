import type { RunContext } from "../../context/run-context.ts";
import type { UsageMetrics } from "./health-server.ts";
import { startedEvent } from "../../../core/cast/next.ts";
import { totalsOf } from "../../../core/cast/state/usage.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { failWith, issuesText, type Issue, type Result } from "../../../core/model/issue.ts";
import { recordEvents } from "../../casting/record-events.ts";
import { resumeCast } from "../../casting/resume-cast.ts";
import type { AgentHost, SharedLimits } from "../../ports.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { sql, type Database } from "../../store/postgres/database.ts";
import type { Notifications } from "../../store/postgres/notifications.ts";
import {
  createPauseControl,
  type DispatchParking,
  beginDispatch,
  completeDispatch,
  MAX_DISPATCH_ATTEMPTS,
  requeue,
  requeueUnstarted,
  holdsLease,
  rejectDispatch,
  markSettingUp,
  wasReassigned,
  type WorkerDispatch,
} from "./dispatch-state.ts";
import { createFleetHooks } from "./remote-items.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { pushResultBranch } from "./push-result.ts";
import { openLiveTurnPublisher } from "./live-turn.ts";
import type { WorkerTrees } from "./worker-trees.ts";
import { diskProblem, openHostFor } from "./dispatch-needs.ts";
import type { DeliveryOutcome } from "../../../core/cast/summary.ts";

export type DispatchOutcome =
  | {
      readonly how: "completed";
      /** [B24] Present where the profile has results pushed. */
      readonly delivered?: DeliveryOutcome;
    }
  | { readonly how: "not_satisfied" | "aborted" | "waiting" | "handed back" | "over already" }
  | { readonly how: "failed" | "stopped"; readonly why: string }
  | { readonly how: "not begun"; readonly why?: string };

/** [B33] Or only the database was in the way: the dispatch is retried here. The outcome counts if the worker stops first. */
export type DispatchAttempt =
  | DispatchOutcome
  | { readonly how: "retry"; readonly outcome: DispatchOutcome }
  /** [B83] This machine cannot run it now; another may. */
  | { readonly how: "unable"; readonly why: string };

export interface DispatchContext {
  readonly profile: Pick<ResolvedFleetProfile, "deliver">;
  readonly workerId: string;
  readonly database: Database;
  readonly store: CastStore;
  readonly usage: UsageMetrics;
  readonly telemetry?: RunContext["telemetry"];
  readonly trees: WorkerTrees;
  /** Casts whose last write failed with a transient error of the database. */
  readonly unwritten: Set<CastId>;
  /** [B27] Notifies the followers of a cast that its agent wrote. */
  readonly notifyTurn: (castId: string) => void;
  /** [B31] Notifies of the usage of items that share a budget. */
  readonly budgets: Notifications;
  /** [Z16] Limits of providers that casts of this worker have met. */
  readonly limits: SharedLimits;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the worker drains: dispatches are requeued at the end of a visit. */
  readonly draining: AbortSignal;
  readonly stopping: AbortSignal;
}

export interface AssignedDispatch extends WorkerDispatch {
  readonly castId: CastId;
  readonly parking: DispatchParking;
  /** [B15] A retry in the same process counts as the same attempt. */
  readonly isRetry?: boolean;
}

/** [B47] Runs a cast from its present state, as the command line does, until it ends, waits or is requeued. */
export async function runDispatch(context: DispatchContext, dispatch: AssignedDispatch): Promise<DispatchAttempt> {
  const { castId, leg, parking, isRetry = false } = dispatch;
  const { database, store } = context;
  const row = await beginDispatch(database, dispatch, isRetry);
  if (!row)
    return (await isUndelivered(context, castId, leg)) ? deliverResult(context, castId) : { how: "over already" };
  if (row.refused) return { how: "not begun", ...(row.why === null ? {} : { why: row.why }) };
  const cast = await store.load(castId);
  if (!cast.ok) return notStarted(cast.issues);
  const finish = (attempt: DispatchAttempt) => finishDispatch(context, dispatch, attempt);
  if (row.tries > MAX_DISPATCH_ATTEMPTS) {
    const why = `${MAX_DISPATCH_ATTEMPTS} workers died over this cast without completing a visit`;
    return finish(await failCast(context, cast.value, why));
  }
  const host = await openHostFor(context, cast.value);
  if ("why" in host) return finish({ how: "unable", why: host.why });
  // [B49] A parked dispatch whose items are joined needs a slot again.
  const isJoined = parking.isParked() && cast.value.state.phase.kind !== "forked";
  const attempt = isJoined ? REQUEUED : await runClaimedCast(context, cast.value, { host, leg, parking });
  return finish(attempt);
}

const REQUEUED: DispatchOutcome = { how: "handed back" };

async function finishDispatch(
  context: DispatchContext,
  dispatch: AssignedDispatch,
  attempt: DispatchAttempt,
): Promise<DispatchAttempt> {
  const { database, draining, profile } = context;
  const { castId, leg } = dispatch;
  switch (attempt.how) {
    case "unable":
      await rejectDispatch(database, dispatch, attempt.why);
      return { how: "not begun", why: attempt.why };
    case "stopped":
      return handleStopped(context, dispatch, attempt);
    case "over already":
    case "not begun":
      return attempt;
    case "retry":
      if (!draining.aborted) return attempt;
      // A draining worker does not wait until another one releases the cast.
      await requeueUnstarted(database, castId, leg);
      return attempt.outcome;
    default:
      await completeDispatch(database, dispatch);
  }
  if (attempt.how === "handed back") await requeue(database, dispatch);
  const isDelivered = attempt.how === "completed" && profile.deliver && parentCastId(castId) === undefined;
  return isDelivered ? deliverResult(context, castId) : attempt;
}

/** [B63] Another worker may have died between the end of the cast and the push. */
async function isUndelivered({ profile, database }: DispatchContext, castId: CastId, leg: number): Promise<boolean> {
  if (!profile.deliver || parentCastId(castId) !== undefined) return false;
  const ended = sql`select from materia.casts where cast_id = ${castId} and leg = ${leg} and status = 'completed' and not summary ? 'delivered'`;
  return (await database.query(ended)).length > 0;
}

async function deliverResult({ database, trees, env }: DispatchContext, castId: CastId): Promise<DispatchOutcome> {
  const tree = await trees.fetchCleanTree(castId);
  const delivered = tree.ok
    ? await pushResultBranch({ castId, ...tree.value, env })
    : { problem: issuesText(tree.issues) };
  trees.remove(castId);
  await database.query(sql`with c as (
      update materia.casts set summary = summary || jsonb_build_object('delivered', ${JSON.stringify(delivered)}::jsonb)
      where cast_id = ${castId} returning notice)
    select pg_notify('materia', notice::text) from c`);
  return { how: "completed", delivered };
}

/** [B33] Retries after a transient error of the database. After any other problem another worker may succeed. */
async function handleStopped(
  context: DispatchContext,
  dispatch: AssignedDispatch,
  outcome: Extract<DispatchOutcome, { how: "stopped" | "failed" }>,
): Promise<DispatchAttempt> {
  const { database, unwritten, store } = context;
  if (!unwritten.delete(dispatch.castId)) {
    const why = diskProblem(store.location, outcome.why);
    if (why !== undefined) return finishDispatch(context, dispatch, { how: "unable", why });
    await requeue(database, dispatch);
    return outcome;
  }
  const isOwned = await holdsLease(database, dispatch).catch(() => true);
  return isOwned ? { how: "retry", outcome } : outcome;
}

/** [B57] An evicted worker must not fail a cast: its own folder may be removed. */
async function wasEvicted({ database, workerId }: DispatchContext): Promise<boolean> {
  const alive = sql`select from materia.workers where worker_id = ${workerId} and state <> 'gone'`;
  return (await database.query(alive)).length === 0;
}

/** Fetches the files after the claim: nobody else can change them then. */
function claimWithTree(context: DispatchContext, { castId, file }: LoadedCast, leg: number) {
  const { store, trees, database, workerId, stopping, draining } = context;
  let missing: string | undefined;
  let isReassigned = false;
  let isLeaving = false;
  const fetchTree = async (signal: AbortSignal): Promise<Result<unknown>> => {
    isReassigned = await wasReassigned(database, castId, leg);
    return isReassigned
      ? failWith("cast_reassigned", castId, "the cast was dispatched to another worker")
      : trees.fetchTree(file, { signal, onSetup: () => markSettingUp(database, castId, workerId) });
  };
  const claim: CastStore["claim"] = async (id, options) => {
    const owned = await store.claim(id, options);
    if (!owned.ok) return owned;
    const abort = new AbortController();
    const stopListening = owned.value.onAbortRequest(() => abort.abort());
    // [B53] A setup may take long, and no visit runs that would have to end first.
    const leaving = AbortSignal.any([stopping, draining]);
    const tree = await fetchTree(AbortSignal.any([leaving, abort.signal]))
      .catch(async (thrown: unknown) => {
        // The claim would block the next attempt of this worker.
        await owned.value.release();
        throw thrown;
      })
      .finally(stopListening);
    if (tree.ok && !abort.signal.aborted) return owned;
    await owned.value.release();
    // [B20] A cast that is to be aborted ends the same way with or without its files.
    if (tree.ok || abort.signal.aborted) return store.claim(id, options);
    missing = issuesText(tree.issues);
    isLeaving = leaving.aborted;
    return tree;
  };
  return { claim, result: () => ({ isReassigned, missing, isLeaving }) };
}

async function runClaimedCast(
  context: DispatchContext,
  cast: LoadedCast,
  { host, leg, parking }: Pick<AssignedDispatch, "leg" | "parking"> & { readonly host: AgentHost },
): Promise<DispatchAttempt> {
  const { store, trees, env, workerId, database, notifyTurn } = context;
  const { castId } = cast;
  const countSteps = context.usage.counterOf((await store.summary(castId)) ?? {});
  const live = openLiveTurnPublisher({ database, castId, workerId, env, notify: notifyTurn });
  const pause = createPauseControl(context, parking);
  const { claim, result } = claimWithTree(context, cast, leg);
  try {
    const plan = { cast, how: { kind: "recast" as const }, by: `worker ${workerId}` };
    const resumed = await resumeCast(plan, {
      store: { ...store, claim },
      host,
      cwd: await trees.cwdOf(castId),
      env,
      limits: context.limits,
      signal: pause.signal,
      fleetHooks: createFleetHooks({ ...context, files: trees, park: parking.park }, castId),
      onProgress: live.onProgress,
      telemetry: context.telemetry,
      onSteps: (steps) => [countSteps, pause.onSteps].forEach((each) => each(steps)),
    });
    const { isReassigned, missing, isLeaving } = result();
    if (isReassigned) return { how: "over already" };
    // [B16] No other worker could fetch the files either: a person has to act.
    if (missing !== undefined)
      return isLeaving || (await wasEvicted(context)) ? REQUEUED : await failUnlessDisk(context, cast, missing);
    if (!resumed.ok) return notStarted(resumed.issues);
    const { kind, state } = resumed.value;
    const checkpointProblem = trees.checkpointProblem(castId);
    // [B36] No other worker could store the files either.
    if (kind === "broken" && checkpointProblem !== undefined)
      return await failUnlessDisk(context, { castId, state }, `its files cannot be kept: ${checkpointProblem}`);
    if (kind === "broken") return { how: "stopped", why: resumed.value.problem };
    if (kind === "paused") return REQUEUED;
    if (kind === "waiting" || state.phase.kind !== "ended") return { how: "waiting" };
    const { phase } = state;
    return phase.outcome === "failed" ? { how: "failed", why: phase.reason } : { how: phase.outcome };
  } finally {
    pause.close();
    trees.remove(castId);
    await live.close();
  }
}

/** [B83] Fails a cast, unless only the disk of this machine stands in its way. */
async function failUnlessDisk(
  context: DispatchContext,
  cast: Pick<LoadedCast, "castId" | "state">,
  failure: string,
): Promise<DispatchAttempt> {
  const why = diskProblem(context.store.location, failure);
  return why === undefined ? failCast(context, cast, failure) : { how: "unable", why };
}

/** [B15] Fails a cast that no worker can run. */
async function failCast(
  { store, unwritten }: DispatchContext,
  { castId, state }: Pick<LoadedCast, "castId" | "state">,
  why: string,
): Promise<DispatchAttempt> {
  const started = state.phase.kind === "unstarted" ? [startedEvent(state)] : [];
  const recorded = await recordEvents(store, castId, [
    ...started,
    { type: "cast_ended", outcome: "failed", reason: why, totals: totalsOf(state) },
  ]);
  if (recorded.ok) return { how: "failed", why };
  return notStarted(recorded.issues, unwritten.delete(castId));
}

/** [B58] The owner of a cast that was dispatched to this worker is about to release it. */
const TRANSIENT_CODES: readonly string[] = ["database_unreachable", "database_full", "cast_owned"];

function notStarted(issues: readonly Issue[], isUnwritten = false): DispatchAttempt {
  const why = issuesText(issues);
  const isTransient = isUnwritten || issues.some(({ code }) => TRANSIENT_CODES.includes(code));
  if (isTransient) return { how: "retry", outcome: { how: "not begun", why } };
  return issues.some(({ code }) => code === "write_failed") ? { how: "unable", why } : { how: "not begun", why };
}
