import { itemEnd } from "../../../core/cast/items/result.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { ItemsParent } from "../../casting/drive/driver.ts";
import { openGitTrees, type GitTrees } from "../../git/items/git-trees.ts";
import type { Stand } from "../../git/packs/travelling-tree.ts";
import { isResult } from "../../items/items.ts";
import type { Broken, ItemOutcome, ItemRequest, Items } from "../../ports.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";
import { treePool } from "../../store/layout.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { problemText } from "../../system/problem.ts";
import { shareBudget } from "./budget.ts";
import { askItemToEnd, setItemGoing, submitItem, untilItemIsOver } from "./child.ts";

/** What a worker gives to a cast whose items any worker may work on. */
export interface ElsewherePlace {
  readonly database: Database;
  readonly store: CastStore;
  readonly workerId: string;
  readonly files: ItemFiles;
  /** From here on the cast keeps no place of its worker. */
  readonly park: () => Promise<void>;
  /** Aborted when the worker must stop at once. */
  readonly stopping: AbortSignal;
}

/** How the files of items come into the tree of their parent. */
export interface ItemFiles {
  readonly fetchItem: (child: CastId, parent: CastId) => Promise<Stand | string | undefined>;
  readonly giveBack: (castId: CastId) => void;
}

interface World extends ElsewherePlace {
  readonly file: CastFile;
  readonly trees: GitTrees;
}

/** [B12] The items of a parallel loop: each a cast that is queued like any other, and merged here in the order of the list. */
export function itemsElsewhere(place: ElsewherePlace, { owned, file, cwd }: ItemsParent): Items {
  const { castId } = file;
  const trees = openGitTrees({
    castId,
    cwd,
    artifacts: place.store.place,
    trees: owned.trees,
    pool: treePool(place.store.place),
    worktree: {},
    setUp: async () => undefined,
  });
  const world: World = { ...place, file, trees };
  const shared = new Map<number, Promise<void>>();
  const oneByOne = openOrder();
  return {
    fork: trees.fork,
    run: (request) =>
      guarded(async () => {
        const sharing = shared.get(request.fork) ?? shareBudget(place.database, castId, request);
        shared.set(request.fork, sharing);
        await sharing;
        if (request.signal.aborted) return { kind: "aborted" };
        // What is merged first is offered first: the others would wait for it.
        const isThere = await oneByOne(() =>
          submitItem(place.database, { ...place, parent: file, start: request.start }),
        );
        return isThere ? runItem(world, request) : broken("another worker has taken this cast over meanwhile");
      }),
    merge: trees.merge,
    join: async (request) => {
      const joined = await trees.join(request);
      place.files.giveBack(castId);
      return joined;
    },
    abort: (children) => endItems(world, children),
  };
}

/** Each begins when the one that was asked for before is over. */
function openOrder() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** What the database throws breaks the leg, and the next one goes on. */
async function guarded(work: () => Promise<ItemOutcome>): Promise<ItemOutcome> {
  try {
    return await work();
  } catch (thrown) {
    return broken(`its items cannot be followed: ${problemText(thrown)}`);
  }
}

async function runItem(world: World, request: ItemRequest): Promise<ItemOutcome> {
  const { store, database } = world;
  const { signal, work } = request;
  const cast = await store.load(work.child);
  if (!cast.ok) return brokenBy(cast);
  if (cast.value.state.phase.kind === "ended") {
    if (isResult(cast.value, request)) return ended(world, request, cast.value);
    const problem = await setItemGoing(database, request, cast.value.state);
    if (problem !== undefined) return broken(problem);
  }
  await world.park();
  if (!(await untilItemIsOver(world, work.child, signal))) return { kind: "aborted" };
  const done = await store.load(work.child);
  return done.ok ? ended(world, request, done.value) : brokenBy(done);
}

/** Its work is here before anybody hears that it is done. */
async function ended(
  { files, trees, file }: World,
  { work, start, title }: ItemRequest,
  { state, events }: LoadedCast,
): Promise<ItemOutcome> {
  const { phase } = state;
  if (phase.kind !== "ended") return broken(`${work.child} has gone on meanwhile`);
  const by = driverOf(events);
  const isDone = phase.outcome === "completed" || phase.outcome === "not_satisfied";
  if (!isDone || !start.window) return { kind: "ended", end: { ...itemEnd(state), ...by } };
  const stands = await files.fetchItem(work.child, file.castId);
  if (typeof stands === "string") return broken(stands);
  if (!stands) return { kind: "ended", end: { ...itemEnd(state), ...by } };
  const { base } = start.window;
  const { head, ckpt } = stands;
  const kept = await trees.keepTravelled(work.child, { base, head, ckpt, title });
  return kept.kind === "broken" ? kept : { kind: "ended", end: { ...itemEnd(state, kept), ...by } };
}

/** [B28] The last worker that had it. */
function driverOf(events: readonly CastEvent[]): { readonly worker?: string } {
  const last = events.findLast(
    (event) => (event.type === "cast_started" || event.type === "cast_resumed") && event.worker !== undefined,
  );
  return last && "worker" in last && last.worker !== undefined ? { worker: last.worker } : {};
}

/** [V14] All at once, and nobody is kept from ending them: this cast gives its place back first. */
async function endItems(world: World, children: readonly CastId[]): Promise<void> {
  try {
    await world.park();
    for (const child of children) await askItemToEnd(world.database, child);
    await Promise.all(children.map((child) => untilItemIsOver(world, child, world.stopping)));
  } catch {
    // The database is away: they were asked, or are asked by whoever takes this cast up next.
  }
}

function brokenBy({ issues }: { readonly issues: readonly { readonly message: string }[] }): Broken {
  return broken(issues.map(({ message }) => message).join("; "));
}

function broken(problem: string): Broken {
  return { kind: "broken", problem };
}
