import { basename } from "node:path";
import { castStatus, type CastStatus } from "../../core/cast/summary.ts";
import { totalsOf } from "../../core/cast/state/usage.ts";
import { nextClockTime, type QueueRun } from "../../core/command/queue-command.ts";
import type { Options } from "../../core/command/options.ts";
import { fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import type { PreparedCast } from "../casting/prepared-cast.ts";
import type { RunObserver } from "../context/run-context.ts";
import {
  claimQueue,
  finishInQueue,
  listQueue,
  markBegun,
  unmarkBegun,
  type QueuedRequest,
} from "../store/files/queue.ts";
import { sharedWatcher } from "../store/files/file-store.ts";
import { queueFolder } from "../store/layout.ts";
import { castTelemetry } from "../workspace/telemetry-target.ts";
import { trustIssue, type Workspace } from "../workspace/workspace.ts";
import { prepareCommand, prepareStoppedCast, type CommandCaller } from "./prepare.ts";
import { foreignRequestIssue, queueRoot, queueRunningIssue, queueWriteIssue } from "./queue.ts";

export interface QueueRunRow {
  readonly request: string;
  readonly castId?: string;
  /** The status of its cast, or `refused`. */
  readonly status: CastStatus | "refused";
  readonly cost: number;
  readonly issues?: readonly Issue[];
}

export interface QueueRunResult {
  readonly casts: readonly QueueRunRow[];
  readonly cost: number;
  readonly left: number;
  readonly stopped: "end" | "until" | "cost" | "limit" | "interrupted";
}

interface QueueObserver extends Pick<RunObserver, "signal" | "onSteps"> {
  readonly onBegin: (castId: string, request: string) => void;
  readonly onEnd: (row: QueueRunRow) => void;
}

/** [YQ5] Casts the queued requests, each in a separate working tree. */
export async function runQueuedCasts(
  command: QueueRun,
  asker: CommandCaller,
  observer: QueueObserver,
): Promise<Result<QueueRunResult>> {
  const { workspace } = asker;
  const untrusted = trustIssue(workspace);
  if (untrusted) return fail(untrusted);
  const claim = takeQueue(workspace);
  if (!claim.ok) return claim;
  try {
    const done = await castAll(command, asker, observer);
    await notifyQueueDone(workspace, done);
    return ok(done);
  } finally {
    claim.value.release();
  }
}

function takeQueue(workspace: Workspace) {
  try {
    const claim = claimQueue(queueRoot(workspace));
    return "owner" in claim ? fail(queueRunningIssue(claim.owner)) : ok(claim);
  } catch (thrown) {
    return fail(queueWriteIssue(thrown));
  }
}

/** [YN5] */
async function notifyQueueDone({ catalog, place }: Workspace, done: QueueRunResult): Promise<void> {
  const { notify } = castTelemetry(catalog, place.env);
  if (notify.length === 0 || done.casts.length === 0) return;
  const { sendQueueNotice } = await import("../casting/notices.ts");
  const { casts, cost, left } = done;
  await sendQueueNotice(notify, { project: basename(place.cwd), casts: casts.length, cost, left });
}

async function castAll(command: QueueRun, asker: CommandCaller, observer: QueueObserver): Promise<QueueRunResult> {
  const { until, costUsd, atOnce } = command;
  const root = queueRoot(asker.workspace);
  const end = until === undefined ? undefined : nextClockTime(until, new Date());
  const release = new AbortController();
  const timer = end && setTimeout(() => release.abort(), end.getTime() - Date.now());
  timer?.unref();
  const rows: QueueRunRow[] = [];
  const tried = new Set<string>();
  /** What each running cast may still spend. */
  const reserved = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  // [YQ7] A request that is added now takes a free place now.
  let changed = Promise.withResolvers<void>();
  const unwatch = sharedWatcher.onChange(queueFolder(root), () => changed.resolve());
  const stopReason = (): QueueRunResult["stopped"] | undefined => {
    if (observer.signal.aborted) return "interrupted";
    if (end && Date.now() >= end.getTime()) return "until";
    if (costUsd !== undefined && spentOf(rows) >= costUsd) return "cost";
    // Each further request would only begin a cast that is paused too.
    return rows.some(({ status }) => status === "paused") ? "limit" : undefined;
  };
  for (;;) {
    const entry = stopReason() ? undefined : listQueue(root).find(({ id }) => !tried.has(id));
    if (!entry || running.size >= atOnce) {
      if (running.size === 0) break;
      await Promise.race([...running.values(), changed.promise]);
      changed = Promise.withResolvers();
      continue;
    }
    tried.add(entry.id);
    const held = [...reserved.values()].reduce((sum, each) => sum + each, 0);
    const share = costUsd === undefined ? undefined : (costUsd - spentOf(rows) - held) / (atOnce - running.size);
    if (share !== undefined) reserved.set(entry.id, share);
    // [YQ5] Nothing that happens to one request stops the others.
    const work = castEntry(entry, { asker, observer, share, released: release.signal }).catch((thrown: unknown) =>
      refusedRow(entry, [queueWriteIssue(thrown)]),
    );
    const settle = async (): Promise<void> => {
      const row = await work;
      running.delete(entry.id);
      reserved.delete(entry.id);
      if (!row) return;
      rows.push(row);
      observer.onEnd(row);
    };
    running.set(entry.id, settle());
  }
  clearTimeout(timer);
  unwatch();
  const left = listQueue(root).length;
  return { casts: rows, cost: spentOf(rows), left, stopped: stopReason() ?? "end" };
}

function spentOf(rows: readonly QueueRunRow[]): number {
  return rows.reduce((sum, { cost }) => sum + cost, 0);
}

interface QueuedCastContext {
  readonly asker: CommandCaller;
  readonly observer: QueueObserver;
  readonly share: number | undefined;
  readonly released: AbortSignal;
}

function refusedRow({ request }: QueuedRequest, issues: readonly Issue[]): QueueRunRow {
  return { request, status: "refused", cost: 0, issues };
}

async function castEntry(entry: QueuedRequest, context: QueuedCastContext): Promise<QueueRunRow | undefined> {
  const { asker, observer, released } = context;
  const { fleet } = asker.workspace;
  const root = queueRoot(asker.workspace);
  const { request } = entry;
  const foreign = asker.options.trust ? undefined : foreignRequestIssue(asker.workspace, entry);
  if (foreign) return refusedRow(entry, [foreign]);
  const found = await prepareEntry(entry, context);
  if (found === "settled") return undefined;
  if (!found.ok) return refusedRow(entry, found.issues);
  const prepared = found.value;
  const { castId } = prepared;
  if (entry.castId !== castId) markBegun(root, entry, { castId, ...(fleet ? { fleet: fleet.name } : {}) });
  observer.onBegin(castId, request);
  const before = totalsOf(prepared.timeline().state).cost;
  const end = await prepared.run({
    ...withoutUndefined({ onSteps: observer.onSteps }),
    signal: observer.signal,
    released,
  });
  if (!end.ok) {
    if (entry.castId !== castId) unmarkBegun(root, entry);
    return refusedRow(entry, end.issues);
  }
  const { state, kind } = end.value;
  if (kind === "ended" || kind === "waiting") finishInQueue(root, entry);
  return { request, castId, status: castStatus(state, false), cost: totalsOf(state).cost - before };
}

/** [YQ6] A new cast, or the one that an earlier process began and did not finish. */
async function prepareEntry(
  entry: QueuedRequest,
  { asker, share }: QueuedCastContext,
): Promise<Result<PreparedCast> | "settled"> {
  const { store, fleet } = asker.workspace;
  const root = queueRoot(asker.workspace);
  const { castId, request, loadout, model, budget } = entry;
  const { detach: _background, ...given } = asker.options;
  const options: Options = { ...given, ...(fleet ? {} : { worktree: true }), ...withoutUndefined({ model }) };
  const caller = { ...asker, options };
  // Elsewhere nobody here can see what became of it.
  if (castId && entry.fleet !== fleet?.name) return "settled";
  const summary = castId && (await store.summary(castId));
  if (castId && summary) {
    const { status } = summary;
    if (status === "running" || status === "sleeping" || status === "queued") return "settled";
    if (status === "interrupted" || status === "paused") return prepareStoppedCast(castId, { kind: "recast" }, caller);
    finishInQueue(root, entry);
    return "settled";
  }
  // The process was killed before the cast existed.
  if (castId) unmarkBegun(root, entry);
  const command = { kind: "cast" as const, prompt: request, literal: true as const };
  return prepareCommand({ ...command, ...withoutUndefined({ loadout, budget, costUsd: share }) }, caller);
}
