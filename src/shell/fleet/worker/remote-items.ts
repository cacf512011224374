import { withoutUndefined } from "../../../core/model/json.ts";
import { workerStretches } from "../../../core/view/progress/timeline-rows.ts";
import { itemResultOf } from "../../../core/cast/decide-items.ts";
import { issuesText } from "../../../core/model/issue.ts";
import { type CastId, parallelRunNumber, parentCastId } from "../../../core/model/ids.ts";
import { type ParentCast, type FleetHooks, sleepUnlessAborted } from "../../context/run-context.ts";
import { createGitWorktrees, type GitWorktrees } from "../../git/worktrees/git-worktrees.ts";
import type { WorkerTrees } from "./worker-trees.ts";
import { isItemFinished, itemCastFile, itemResumeEvents } from "../../items/item-runner.ts";
import type { ItemsFailure, ItemOutcome, ItemRequest, ItemRunner } from "../../item-ports.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { REHEARSAL_FILE, worktreePool } from "../../store/layout.ts";
import { isTransientError, sql, type Database } from "../../store/postgres/database.ts";
import type { Notifications } from "../../store/postgres/notifications.ts";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { errorText } from "../../system/files.ts";
import { writeSharedBudget, createAdmission } from "./remote-item-budget.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { notStartedSummary } from "../../store/summary.ts";

export interface RemoteItemsContext {
  readonly database: Database;
  readonly store: CastStore;
  readonly workerId: string;
  readonly files: Pick<WorkerTrees, "fetchItem">;
  readonly park: () => Promise<void>;
  readonly stopping: AbortSignal;
}

interface RemoteItemContext extends RemoteItemsContext {
  readonly file: CastFile;
  readonly trees: GitWorktrees;
}

/** [B12, B49] Runs the items of a parallel loop as queued casts, and merges them here in the order of the list. */
function createRemoteItems(context: RemoteItemsContext, { owned, file, cwd }: ParentCast): ItemRunner {
  const { castId } = file;
  const trees = createGitWorktrees({
    castId,
    cwd,
    artifacts: context.store.location,
    worktreesFolder: owned.worktreesFolder,
    pool: worktreePool(context.store.location),
    worktree: {},
    runSetup: async () => undefined,
  });
  const itemContext: RemoteItemContext = { ...context, file, trees };
  const shared = new Map<number, Promise<void>>();
  const oneByOne = createSerialQueue();
  return {
    findBase: trees.findBase,
    run: async (request) => {
      try {
        const sharing = shared.get(request.fork) ?? writeSharedBudget(context.database, castId, request);
        shared.set(request.fork, sharing);
        await sharing;
        if (request.signal.aborted) return { kind: "aborted" };
        // The first to be merged is submitted first: all others wait for it.
        const isSubmitted = await oneByOne(castId, () =>
          submitItemCast(context.database, { ...context, parent: file, start: request.start }),
        );
        if (!isSubmitted) return brokenOutcome("another worker owns this cast now");
        return await runRemoteItem(itemContext, request);
      } catch (thrown) {
        // An error of the database breaks the dispatch, and the next dispatch continues.
        return brokenOutcome(`cannot follow the items: ${errorText(thrown)}`);
      }
    },
    merge: trees.merge,
    join: trees.join,
    abort: (children) => abortRemoteItems(itemContext, children),
  };
}

async function runRemoteItem(context: RemoteItemContext, request: ItemRequest): Promise<ItemOutcome> {
  const { store, database } = context;
  const { signal, work } = request;
  const cast = await store.load(work.child);
  if (!cast.ok) return brokenOutcome(issuesText(cast.issues));
  if (cast.value.state.phase.kind === "ended") {
    if (isItemFinished(cast.value, request)) return remoteItemOutcome(context, request, cast.value);
    const problem = await resumeItemCast(database, request, cast.value.state);
    if (problem !== undefined) return brokenOutcome(problem);
  }
  await context.park();
  if (!(await waitForItemEnd(context, work.child, signal))) return { kind: "aborted" };
  const done = await store.load(work.child);
  return done.ok ? remoteItemOutcome(context, request, done.value) : brokenOutcome(issuesText(done.issues));
}

/** Fetches the commits before the end is reported: a merge follows at once. */
async function remoteItemOutcome(
  { files, trees, file }: RemoteItemContext,
  { work, start, title }: ItemRequest,
  { state, events }: LoadedCast,
): Promise<ItemOutcome> {
  const { phase } = state;
  if (phase.kind !== "ended") return brokenOutcome(`${work.child} continues on a worker`);
  const by = withoutUndefined({ worker: workerStretches(events).at(-1)?.worker });
  const isDone = phase.outcome === "completed" || phase.outcome === "not_satisfied";
  if (!isDone || !start.window) return { kind: "ended", end: { ...itemResultOf(state), ...by } };
  const position = await files.fetchItem(work.child, file.castId);
  if (typeof position === "string") return brokenOutcome(position);
  if (!position) return { kind: "ended", end: { ...itemResultOf(state), ...by } };
  const { head, ckpt } = position;
  const kept = await trees.saveTransferred(work.child, start.window, { head, ckpt, title });
  return kept.kind === "broken" ? kept : { kind: "ended", end: { ...itemResultOf(state, kept), ...by } };
}

/** [V14] Aborts all at once. The parent frees its slot first, so that a worker can run them to their end. */
async function abortRemoteItems(context: RemoteItemContext, children: readonly CastId[]): Promise<void> {
  try {
    await context.park();
    // Its present or next worker ends it.
    for (const child of children) await context.database.query(sql`select materia.ask_abort(${child})`);
    await Promise.all(children.map((child) => waitForItemEnd(context, child, context.stopping)));
  } catch (thrown) {
    // The next worker of this cast aborts them again.
    if (!isTransientError(thrown)) throw thrown;
  }
}

function brokenOutcome(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}

/** [B12] Items run on any free worker. The database holds their shared budget. */
export function createFleetHooks(
  context: RemoteItemsContext & { readonly budgets: Notifications },
  castId: CastId,
): FleetHooks {
  const { database, budgets, workerId } = context;
  const [parent, fork] = [parentCastId(castId), parallelRunNumber(castId)];
  return parent === undefined || fork === undefined
    ? { workerId, items: (of) => createRemoteItems(context, of) }
    : { workerId, admit: createAdmission({ database, budgets, castId, parent, fork }) };
}

/** With the project, person, queue and priority of the parent. Its files start from the packs of the parent. */
const INSERT_ITEM = `
with c as (
  insert into materia.casts
    (cast_id, project, parent, submitted_by, queue, priority, file, brings, source, status, leg, summary, providers)
  select $1, p.project, p.cast_id, p.submitted_by, p.queue, p.priority, $3, p.brings,
    (p.source - 'follows') || '{"branch": null}', 'queued', 1, $4, p.providers
  from materia.casts p where p.cast_id = $2 and p.owner = $5
  on conflict do nothing returning notice
)
select pg_notify('materia', notice::text), pg_notify('materia_due', '') from c`;

/** [B12] Submits the cast of an item. False if it does not exist afterwards. */
async function submitItemCast(
  database: Database,
  { parent, workerId, start }: Pick<ItemRequest, "start"> & { readonly parent: CastFile; readonly workerId: string },
): Promise<boolean> {
  const { castId } = start;
  // Every cast that uses replies of a rehearsal gets its own copy.
  const isBrought = parent.rehearsal === `${parent.castId}/${REHEARSAL_FILE}`;
  const own = isBrought ? { ...parent, rehearsal: `${castId}/${REHEARSAL_FILE}` } : parent;
  const file = itemCastFile(own, start, parent.cwd);
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const summary = JSON.stringify(notStartedSummary(file, false));
  const values = [castId, parent.castId, text, summary, workerId];
  if ((await database.query({ text: INSERT_ITEM, values })).length > 0) return true;
  const there = sql`select from materia.casts where cast_id = ${castId} and parent = ${parent.castId}`;
  return (await database.query(there)).length > 0;
}

/** [V12] Queues the stopped cast of an item again. Returns a problem if that fails. */
async function resumeItemCast(
  database: Database,
  request: Pick<ItemRequest, "start" | "resume">,
  state: CastState,
): Promise<string | undefined> {
  const at = new Date().toISOString();
  const events = itemResumeEvents(state, request);
  const texts = events.map((body, index) => JSON.stringify({ seq: state.seq + 1 + index, at, ...body }));
  const query = sql`select materia.tell_cast(${state.castId}, ${state.seq}, ${texts}, true) as said`;
  const [row] = await database.query<{ said: string }>(query);
  const answer = row?.said ?? "unknown";
  // A former worker of the parent may have queued it already.
  return answer === "unknown" || answer === "refused" ? `${state.castId} cannot continue: ${answer}` : undefined;
}

/** A notification is lost when its worker dies. */
const ITEM_POLL_MS = 5_000;

/** False if the signal came first. */
async function waitForItemEnd(
  { database, store }: { readonly database: Database; readonly store: CastStore },
  child: CastId,
  signal: AbortSignal,
): Promise<boolean> {
  const text =
    "select from materia.casts where cast_id = $1 and status not in ('completed', 'not_satisfied', 'failed', 'aborted')";
  const runs = { name: "item_at_work", text, values: [child] };
  let wake = (): void => undefined;
  const stop = store.onCastChange(child, () => wake());
  try {
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      // A removed cast counts as ended.
      if ((await database.query(runs)).length === 0) return true;
      await sleepUnlessAborted(ITEM_POLL_MS, AbortSignal.any([signal, woken.signal]));
    }
    return false;
  } finally {
    stop();
  }
}
