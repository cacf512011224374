import { itemResultOf } from "../../../core/cast/decide-items.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { type CastId, parallelRunNumber, parentCastId } from "../../../core/model/ids.ts";
import { type ParentCast, type FleetHooks, sleepUnlessAborted } from "../../run/run-context.ts";
import { createGitWorktrees, type GitWorktrees } from "../../git/worktrees/git-worktrees.ts";
import type { TreePosition } from "../../git/transfer/restore-tree.ts";
import { isItemFinished, itemCastFile, itemResumeEvents } from "../../items/item-runner.ts";
import type { ItemsFailure, ItemOutcome, ItemRequest, ItemRunner } from "../../ports.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { worktreePool } from "../../store/layout.ts";
import type { Database } from "../../store/postgres/database.ts";
import { errorText } from "../../system/system-error.ts";
import { writeSharedBudget, createAdmission } from "./remote-item-budget.ts";
import type { Notifications } from "../../store/postgres/notifications.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { REHEARSAL_FILE } from "../../workspace/agent-hosts.ts";
import { notStartedSummary } from "../../store/summary.ts";

/** What a worker gives to a cast whose items any worker may work on. */
export interface RemoteItemsContext {
  readonly database: Database;
  readonly store: CastStore;
  readonly workerId: string;
  readonly files: ItemFileTransfer;
  /** From here on the cast keeps no place of its worker. */
  readonly park: () => Promise<void>;
  /** Aborted when the worker must stop at once. */
  readonly stopping: AbortSignal;
}

/** How the files of items come into the tree of their parent. */
export interface ItemFileTransfer {
  readonly fetchItem: (child: CastId, parent: CastId) => Promise<TreePosition | string | undefined>;
  readonly chownTree: (castId: CastId) => void;
}

interface RemoteItemContext extends RemoteItemsContext {
  readonly file: CastFile;
  readonly trees: GitWorktrees;
}

/** [B12] The items of a parallel loop: each a cast that is queued like any other, and merged here in the order of the list. */
function createRemoteItems(place: RemoteItemsContext, { owned, file, cwd }: ParentCast): ItemRunner {
  const { castId } = file;
  const trees = createGitWorktrees({
    castId,
    cwd,
    artifacts: place.store.location,
    worktreesFolder: owned.worktreesFolder,
    pool: worktreePool(place.store.location),
    worktree: {},
    runSetup: async () => undefined,
  });
  const world: RemoteItemContext = { ...place, file, trees };
  const shared = new Map<number, Promise<void>>();
  const oneByOne = createSerialQueue();
  return {
    findBase: trees.findBase,
    run: (request) =>
      catchAsBroken(async () => {
        const sharing = shared.get(request.fork) ?? writeSharedBudget(place.database, castId, request);
        shared.set(request.fork, sharing);
        await sharing;
        if (request.signal.aborted) return { kind: "aborted" };
        // What is merged first is offered first: the others would wait for it.
        const isThere = await oneByOne(() =>
          submitItemCast(place.database, { ...place, parent: file, start: request.start }),
        );
        return isThere
          ? runRemoteItem(world, request)
          : brokenOutcome("another worker has taken this cast over meanwhile");
      }),
    merge: trees.merge,
    join: async (request) => {
      const joined = await trees.join(request);
      place.files.chownTree(castId);
      return joined;
    },
    abort: (children) => abortRemoteItems(world, children),
  };
}

/** Each begins when the one that was asked for before is over. */
function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** What the database throws breaks the leg, and the next one goes on. */
async function catchAsBroken(work: () => Promise<ItemOutcome>): Promise<ItemOutcome> {
  try {
    return await work();
  } catch (thrown) {
    return brokenOutcome(`its items cannot be followed: ${errorText(thrown)}`);
  }
}

async function runRemoteItem(world: RemoteItemContext, request: ItemRequest): Promise<ItemOutcome> {
  const { store, database } = world;
  const { signal, work } = request;
  const cast = await store.load(work.child);
  if (!cast.ok) return brokenByIssues(cast);
  if (cast.value.state.phase.kind === "ended") {
    if (isItemFinished(cast.value, request)) return remoteItemOutcome(world, request, cast.value);
    const problem = await resumeItemCast(database, request, cast.value.state);
    if (problem !== undefined) return brokenOutcome(problem);
  }
  await world.park();
  if (!(await waitForItemEnd(world, work.child, signal))) return { kind: "aborted" };
  const done = await store.load(work.child);
  return done.ok ? remoteItemOutcome(world, request, done.value) : brokenByIssues(done);
}

/** Its work is here before anybody hears that it is done. */
async function remoteItemOutcome(
  { files, trees, file }: RemoteItemContext,
  { work, start, title }: ItemRequest,
  { state, events }: LoadedCast,
): Promise<ItemOutcome> {
  const { phase } = state;
  if (phase.kind !== "ended") return brokenOutcome(`${work.child} has gone on meanwhile`);
  const by = lastWorkerOf(events);
  const isDone = phase.outcome === "completed" || phase.outcome === "not_satisfied";
  if (!isDone || !start.window) return { kind: "ended", end: { ...itemResultOf(state), ...by } };
  const stands = await files.fetchItem(work.child, file.castId);
  if (typeof stands === "string") return brokenOutcome(stands);
  if (!stands) return { kind: "ended", end: { ...itemResultOf(state), ...by } };
  const { base } = start.window;
  const { head, ckpt } = stands;
  const kept = await trees.saveTransferred(work.child, { base, head, ckpt, title });
  return kept.kind === "broken" ? kept : { kind: "ended", end: { ...itemResultOf(state, kept), ...by } };
}

/** [B28] The last worker that had it. */
function lastWorkerOf(events: readonly CastEvent[]): { readonly worker?: string } {
  const last = events.findLast(
    (event) => (event.type === "cast_started" || event.type === "cast_resumed") && event.worker !== undefined,
  );
  return last && "worker" in last && last.worker !== undefined ? { worker: last.worker } : {};
}

/** [V14] All at once, and nobody is kept from ending them: this cast gives its place back first. */
async function abortRemoteItems(world: RemoteItemContext, children: readonly CastId[]): Promise<void> {
  try {
    await world.park();
    for (const child of children) await requestItemAbort(world.database, child);
    await Promise.all(children.map((child) => waitForItemEnd(world, child, world.stopping)));
  } catch {
    // The database is away: they were asked, or are asked by whoever takes this cast up next.
  }
}

function brokenByIssues({ issues }: { readonly issues: readonly { readonly message: string }[] }): ItemsFailure {
  return brokenOutcome(issues.map(({ message }) => message).join("; "));
}

function brokenOutcome(problem: string): ItemsFailure {
  return { kind: "broken", problem };
}

/** [B12] Items go to whatever worker is free; what they share is kept in the database. */
export function createFleetHooks(
  place: RemoteItemsContext & { readonly budgets: Notifications },
  castId: CastId,
): FleetHooks {
  const { database, budgets } = place;
  const [parent, fork] = [parentCastId(castId), parallelRunNumber(castId)];
  return parent === undefined || fork === undefined
    ? { items: (of) => createRemoteItems(place, of) }
    : { admit: createAdmission({ database, budgets, castId, parent, fork }) };
}

const END_STATUSES = "('completed', 'not_satisfied', 'failed', 'aborted')";

/** Of the same project, person, queue and priority; its files begin from what the packs of its parent hold. */
const INSERT_ITEM = `
with c as (
  insert into materia.casts
    (cast_id, project, parent, submitted_by, queue, priority, file, brings, source, status, leg, summary, providers)
  select $1, p.project, p.cast_id, p.submitted_by, p.queue, p.priority, $3, p.brings,
    (p.source - 'follows') || '{"branch": null}', 'queued', 1, $4, p.providers
  from materia.casts p where p.cast_id = $2 and p.owner = $5
  on conflict do nothing returning cast_id
)
select pg_notify('materia', cast_id), pg_notify('materia_due', '') from c`;

/** [B12] The cast of an item, for whatever worker its queue gives it to. False where it is not there afterwards. */
async function submitItemCast(
  database: Database,
  { parent, workerId, start }: Pick<ItemRequest, "start"> & { readonly parent: CastFile; readonly workerId: string },
): Promise<boolean> {
  const { castId } = start;
  const file = itemCastFile(withRehearsalOf(parent, castId), start, parent.cwd);
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const summary = JSON.stringify(notStartedSummary(file, false));
  const values = [castId, parent.castId, text, summary, workerId];
  if ((await database.query({ text: INSERT_ITEM, values })).length > 0) return true;
  const there = "select from materia.casts where cast_id = $1 and parent = $2";
  return (await database.query({ text: there, values: [castId, parent.castId] })).length > 0;
}

/** They come along with every cast that plays them. */
function withRehearsalOf(parent: CastFile, castId: CastId): CastFile {
  const { rehearsal } = parent;
  const isBrought = rehearsal?.endsWith(`${parent.castId}/${REHEARSAL_FILE}`) === true;
  return isBrought ? { ...parent, rehearsal: `${castId}/${REHEARSAL_FILE}` } : parent;
}

/** [V12] Goes on with the cast of an item that stopped. The answer is a sentence where it cannot. */
async function resumeItemCast(
  database: Database,
  request: Pick<ItemRequest, "start" | "resume">,
  state: CastState,
): Promise<string | undefined> {
  const at = new Date().toISOString();
  const events = itemResumeEvents(state, request).map((body, index): CastEvent => ({
    seq: state.seq + 1 + index,
    at,
    ...body,
  }));
  const [row] = await database.query<{ said: string }>({
    text: "select materia.tell_cast($1, $2, $3, null, true) as said",
    values: [state.castId, state.seq, events.map((event) => JSON.stringify(event))],
  });
  const said = row?.said ?? "unknown";
  // Whoever had its parent before has set it going already.
  return said === "unknown" || said === "refused" ? `${state.castId} cannot go on: ${said}` : undefined;
}

/** [V14] Whoever drives it, or takes it up next, ends it. */
async function requestItemAbort(database: Database, child: CastId): Promise<void> {
  await database.query({ text: "select materia.ask_abort($1)", values: [child] });
}

/** A notice may be lost with the worker that was to tell it. */
const ITEM_POLL_MS = 5_000;

/** False where the signal came first. */
async function waitForItemEnd(
  { database, store }: { readonly database: Database; readonly store: CastStore },
  child: CastId,
  signal: AbortSignal,
): Promise<boolean> {
  let wake = (): void => undefined;
  const stop = store.onCastChange(child, () => wake());
  try {
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      if (await hasItemEnded(database, child)) return true;
      await sleepUnlessAborted(ITEM_POLL_MS, AbortSignal.any([signal, woken.signal]));
    }
    return false;
  } finally {
    stop();
  }
}

/** One that was removed is waited for by nobody. */
async function hasItemEnded(database: Database, child: CastId): Promise<boolean> {
  const text = `select from materia.casts where cast_id = $1 and status not in ${END_STATUSES}`;
  return (await database.query({ name: "item_at_work", text, values: [child] })).length === 0;
}
