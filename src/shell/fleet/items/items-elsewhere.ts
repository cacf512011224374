import { itemResultOf } from "../../../core/cast/items/result.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { ParentCast } from "../../casting/drive/driver.ts";
import { createGitWorktrees, type GitWorktrees } from "../../git/items/git-trees.ts";
import type { TreePosition } from "../../git/packs/travelling-tree.ts";
import { isItemFinished } from "../../items/items.ts";
import type { ItemsFailure, ItemOutcome, ItemRequest, ItemRunner } from "../../ports.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { worktreePool } from "../../store/layout.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { errorText } from "../../system/problem.ts";
import { writeSharedBudget } from "./budget.ts";
import { requestItemAbort, resumeItemCast, submitItemCast, waitForItemEnd } from "./child.ts";

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
export function createRemoteItems(place: RemoteItemsContext, { owned, file, cwd }: ParentCast): ItemRunner {
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
        return isThere ? runRemoteItem(world, request) : brokenOutcome("another worker has taken this cast over meanwhile");
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
