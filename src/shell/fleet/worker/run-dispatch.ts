import { startedEvent } from "../../../core/cast/next.ts";
import { totalsOf } from "../../../core/cast/state/usage.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { error, fail, isError, type Issue, type Result } from "../../../core/model/issue.ts";
import { recordEvents } from "../../casting/record-events.ts";
import { originalAgentChoice, resumeCast } from "../../casting/resume-cast.ts";
import { agentNeeds, openPiHost } from "../../workspace/agent-hosts.ts";
import type { AgentHost } from "../../ports.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import type { Database } from "../../store/postgres/database.ts";
import type { Notifications } from "../../store/postgres/notifications.ts";
import {
  createPauseControl,
  type DispatchParking,
  beginDispatch,
  requeue,
  requeueUnstarted,
  holdsLease,
  rejectDispatch,
  markSettingUp,
  wasReassigned,
} from "./dispatch-state.ts";
import { createFleetHooks } from "./remote-items.ts";
import type { ResolvedFleetProfile } from "../open-fleet.ts";
import { pushResultBranch } from "./push-result.ts";
import { openLiveTurnPublisher } from "./live-turn.ts";
import type { WorkerTrees } from "./worker-trees.ts";
import type { DeliveryOutcome } from "../../../core/cast/summary.ts";

/** How a leg came to its end. */
export interface DispatchOutcome {
  readonly how:
    | "completed"
    | "not_satisfied"
    | "failed"
    | "aborted"
    | "waiting"
    | "handed back"
    | "not begun"
    | "stopped"
    | "over already";
  readonly why?: string;
  /** [B24] Where its result was to be pushed. */
  readonly delivered?: DeliveryOutcome;
  /** [B5] Set where only the database stood in the way: the same leg is tried again. */
  readonly isTransient?: true;
}

export interface DispatchContext {
  readonly profile: Pick<ResolvedFleetProfile, "deliver">;
  readonly workerId: string;
  readonly database: Database;
  readonly store: CastStore;
  readonly trees: WorkerTrees;
  /** Casts that the database alone kept from being written. */
  readonly troubled: Set<CastId>;
  /** [B27] Tells those who follow a cast that its agent does something. */
  readonly tellTurn: (castId: string) => void;
  /** [B31] Told what items have used of the budget that they share. */
  readonly budgets: Notifications;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the worker is to hand back what it drives, at the end of a visit. */
  readonly draining: AbortSignal;
  /** Aborted when it must stop at once. */
  readonly stopping: AbortSignal;
}

/** [B15] Deaths without a completed visit between them, after which a cast is to blame. */
const MAX_ATTEMPTS = 3;

/** [B11] Drives a cast from where it stands, as the command line does, until it ends, waits or is handed back. */
export async function runDispatch(place: DispatchContext, taken: AssignedDispatch): Promise<DispatchOutcome> {
  const { castId, leg, parking, isRetry: isAgain = false } = taken;
  const { database, store } = place;
  const row = await beginDispatch(database, { castId, leg, workerId: place.workerId }, isAgain);
  if (!row) return (await isUndelivered(place, castId, leg)) ? deliverResult(place, castId) : { how: "over already" };
  if (row.refused) return { how: "not begun", ...(row.why === null ? {} : { why: row.why }) };
  const cast = await store.load(castId);
  if (!cast.ok) return notStartedOutcome(cast.issues);
  if (row.tries > MAX_ATTEMPTS)
    return failCast(place, cast.value, `${MAX_ATTEMPTS} workers died over this cast without completing a visit`);
  const host = await openHostFor(store, cast.value);
  if ("issues" in host) return rejectCast(place, castId, host.issues);
  // [B12] Begun again behind its items it needs a place.
  const isBehind = parking.isParked() && cast.value.state.phase.kind !== "forked";
  const end = isBehind ? REQUEUED : await runClaimedCast(place, cast.value, { host, leg, parking });
  if (end.how === "stopped") return handleStopped(place, castId, { leg, end });
  if (end.how === "over already") return end;
  // Who leaves does not wait for the one that owns the cast.
  if (end.how === "not begun" && end.isTransient && place.draining.aborted) {
    await requeueUnstarted(database, castId, leg);
    return { how: end.how, ...(end.why === undefined ? {} : { why: end.why }) };
  }
  if (end.how !== "not begun")
    await database.query({ text: "update materia.casts set tries = 0 where cast_id = $1", values: [castId] });
  if (end.how === "handed back") await requeue(database, castId, leg);
  const isDelivered = end.how === "completed" && place.profile.deliver && parentCastId(castId) === undefined;
  return isDelivered ? deliverResult(place, castId) : end;
}

/** A leg as its queue gave it. */
export interface AssignedDispatch {
  readonly castId: CastId;
  readonly leg: number;
  readonly parking: DispatchParking;
  /** Set where it was begun here before: nobody has died over it since. */
  readonly isRetry?: boolean;
}

const REQUEUED: DispatchOutcome = { how: "handed back" };

/** [B24] Another worker may have died between the end of the cast and the push. */
async function isUndelivered({ profile, database }: DispatchContext, castId: CastId, leg: number): Promise<boolean> {
  if (!profile.deliver || parentCastId(castId) !== undefined) return false;
  const text = `select from materia.casts where cast_id = $1 and leg = $2 and status = 'completed' and not summary ? 'delivered'`;
  return (await database.query({ text, values: [castId, leg] })).length > 0;
}

async function deliverResult({ database, trees, env }: DispatchContext, castId: CastId): Promise<DispatchOutcome> {
  const tree = await trees.fetchCleanTree(castId);
  const delivered = tree.ok
    ? await pushResultBranch({ castId, ...tree.value, env })
    : { problem: tree.issues.map(({ message }) => message).join("; ") };
  trees.remove(castId);
  await database.query({
    text: `with c as (update materia.casts set summary = summary || jsonb_build_object('delivered', $2::jsonb)
        where cast_id = $1 returning cast_id) select pg_notify('materia', cast_id) from c`,
    values: [castId, JSON.stringify(delivered)],
  });
  return { how: "completed", delivered };
}

/** [B5] The database is waited for; whatever else is in the way here may not be elsewhere. */
async function handleStopped(
  place: DispatchContext,
  castId: CastId,
  { leg, end }: { readonly leg: number; readonly end: DispatchOutcome },
): Promise<DispatchOutcome> {
  const { database, workerId, troubled } = place;
  if (!troubled.delete(castId)) {
    await requeue(database, castId, leg);
    return end;
  }
  const isMine = await holdsLease(database, { castId, leg, workerId }).catch(() => true);
  return isMine ? { ...end, isTransient: true } : end;
}

/** [B14] Whoever was given up says nothing about a cast: its own folder may be going away. */
async function wasEvicted({ database, workerId }: DispatchContext): Promise<boolean> {
  const text = "select from materia.workers where worker_id = $1 and state <> 'gone'";
  return (await database.query({ text, values: [workerId] })).length === 0;
}

/** The files are brought when nobody else can change them any more. */
function claimWithTree(place: DispatchContext, { castId, file }: LoadedCast, leg: number) {
  const { store, trees, database, workerId, stopping, draining } = place;
  let missing: string | undefined;
  let isHandedOn = false;
  let isLeaving = false;
  const bring = async (signal: AbortSignal): Promise<Result<unknown>> => {
    isHandedOn = await wasReassigned(database, castId, leg);
    return isHandedOn
      ? fail(error("cast_reassigned", castId, "another leg of it was sent meanwhile"))
      : trees.bring(file, { signal, onSetup: () => markSettingUp(database, castId, workerId) });
  };
  const claim: CastStore["claim"] = async (id, how) => {
    const owned = await store.claim(id, how);
    if (!owned.ok) return owned;
    const abort = new AbortController();
    const stopListening = owned.value.onAbortRequest(() => abort.abort());
    // [B12] A setup may take long, and no visit is under way that would have to end first.
    const leaving = AbortSignal.any([stopping, draining]);
    const tree = await bring(AbortSignal.any([leaving, abort.signal]))
      .catch(async (thrown: unknown) => {
        // Kept, the claim would stand in the way of this worker's own next try.
        await owned.value.release();
        throw thrown;
      })
      .finally(stopListening);
    if (tree.ok && !abort.signal.aborted) return owned;
    await owned.value.release();
    // [B20] Claimed as one that is to be aborted it ends like any other, set up or not.
    if (tree.ok || abort.signal.aborted) return store.claim(id, how);
    missing = tree.issues.map(({ message }) => message).join("; ");
    isLeaving = leaving.aborted;
    return tree;
  };
  return { claim, found: () => ({ isHandedOn, missing, isLeaving }) };
}

async function runClaimedCast(
  place: DispatchContext,
  cast: LoadedCast,
  { host, leg, parking }: Pick<AssignedDispatch, "leg" | "parking"> & { readonly host: AgentHost },
): Promise<DispatchOutcome> {
  const { store, trees, env, workerId, database, tellTurn } = place;
  const { castId, file } = cast;
  const live = openLiveTurnPublisher({ database, castId, workerId, env, notify: tellTurn });
  const pause = createPauseControl(place, parking);
  const { claim, found } = claimWithTree(place, cast, leg);
  try {
    const plan = {
      cast,
      how: { kind: "recast" as const },
      by: `worker ${workerId}`,
      worker: workerId,
      cwd: await trees.cwdOf(castId),
      ...(file.model === null ? {} : { model: file.model }),
      notes: [],
    };
    const end = await resumeCast({ ...store, claim }, plan, {
      host,
      env,
      signal: pause.signal,
      fleetHooks: createFleetHooks({ ...place, files: trees, park: parking.park }, castId),
      onProgress: live.onProgress,
      onSteps: pause.onSteps,
    });
    const { isHandedOn, missing, isLeaving } = found();
    if (isHandedOn) return { how: "over already" };
    // [B16] Nobody else could bring them either: a person has to look.
    if (missing !== undefined)
      return isLeaving || (await wasEvicted(place)) ? REQUEUED : await failCast(place, cast, missing);
    if (!end.ok) return notStartedOutcome(end.issues);
    const { kind, state } = end.value;
    const unkept = trees.checkpointProblem(castId);
    // [B8] Nor could another worker keep them.
    if (kind === "broken" && unkept !== undefined)
      return await failCast(place, { castId, state }, `its files cannot be kept: ${unkept}`);
    if (kind === "broken") return { how: "stopped", why: end.value.problem };
    if (kind === "paused") return { how: "handed back" };
    if (kind === "waiting" || state.phase.kind !== "ended") return { how: "waiting" };
    return { how: state.phase.outcome, ...(state.phase.outcome === "failed" ? { why: state.phase.reason } : {}) };
  } finally {
    pause.close();
    trees.remove(castId);
    await live.close();
  }
}

/** [B15] What kills every worker that takes it up fails, so that it kills no more of them. */
async function failCast(
  { store }: DispatchContext,
  { castId, state }: Pick<LoadedCast, "castId" | "state">,
  why: string,
): Promise<DispatchOutcome> {
  const begun = state.phase.kind === "unstarted" ? [startedEvent(state)] : [];
  const ended = await recordEvents(store, castId, [
    ...begun,
    { type: "cast_ended", outcome: "failed", reason: why, totals: totalsOf(state) },
  ]);
  if (ended.ok) return { how: "failed", why };
  const end = notStartedOutcome(ended.issues);
  return ended.issues.some(({ code }) => code === "write_failed") ? { ...end, isTransient: true } : end;
}

async function rejectCast(
  { database, workerId }: DispatchContext,
  castId: string,
  issues: readonly Issue[],
): Promise<DispatchOutcome> {
  const why = issues.map(({ message }) => message).join("; ");
  await rejectDispatch(database, { castId, workerId, why });
  return { how: "not begun", why };
}

async function openHostFor(
  store: CastStore,
  { file }: LoadedCast,
): Promise<AgentHost | { readonly issues: readonly Issue[] }> {
  const choice = await originalAgentChoice(store, file);
  if (!choice.ok) return { issues: choice.issues };
  const { rehearsal } = choice.value;
  if (typeof rehearsal === "object")
    return (await import("../../agents/rehearsal-host.ts")).createRehearsalHost(rehearsal, {});
  const host = await openPiHost(choice.value, {});
  const issues = (await host.preflight(agentNeeds(file.graph, choice.value.model))).filter(isError);
  return issues.length > 0 ? { issues } : host;
}

/** [B32] Who owns a cast whose leg was given to this worker is about to let it go. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(["database_unreachable", "database_full", "cast_owned"]);

function notStartedOutcome(issues: readonly Issue[]): DispatchOutcome {
  const isPassing = issues.some(({ code }) => TRANSIENT_CODES.has(code));
  return {
    how: "not begun",
    why: issues.map(({ message }) => message).join("; "),
    ...(isPassing ? { isTransient: isPassing } : {}),
  };
}
