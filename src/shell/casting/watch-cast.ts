import { appendAll } from "../../core/model/lists.ts";
import { suggest, typed, error, fail, ok, type Result } from "../../core/model/issue.ts";
import { replaySteps } from "../../core/cast/timeline.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { RunObserver, RunOutcome } from "../context/run-context.ts";
import { turnProgressFrom } from "./live-progress.ts";
import type { CastStore, EventUpdate, LoadedCast, Subscription, VisitRef } from "../store/cast-store.ts";
import { itemRunAt } from "../../core/cast/item-runs.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { AgentProgress } from "../../core/wire/stream.ts";
import { castStartOf } from "../store/cast-file.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

/** The signal stops the watching, not the cast. */
interface WatchOptions extends RunObserver {
  /** Whether a cast waits for a worker: no event says so. */
  readonly isQueued?: (castId: CastId) => Promise<boolean>;
  /** Whether a process will run the cast, when its owner alone does not tell. */
  readonly isExpected?: () => Promise<boolean>;
}

const OWNER_CHECK_MS = 1_000;

/** [C33] Follows a cast that another process runs, until it ends, waits, or has no process. */
export async function watchCast(
  store: CastStore,
  cast: LoadedCast,
  watching: WatchOptions,
): Promise<Result<RunOutcome>> {
  const { castId } = cast;
  const { signal, onSteps, onProgress } = watching;
  const isDriven = watching.isExpected ?? (async () => (await store.owner(castId)) !== undefined);
  let { state } = cast;
  let awake = Promise.withResolvers<void>();
  const wake = (): void => awake.resolve();
  // A killed owner leaves no trace: poll. The timer also keeps a watching process alive.
  const pulse = watching.isExpected ? undefined : setInterval(wake, OWNER_CHECK_MS);
  const journal = store.followEvents(castId, state.seq, wake);
  const turn = onProgress && createTurnFollower(store, castId, wake);
  const items = watching.onItemSteps && watchItems(watching, { store, wake });
  const stops = [() => journal.close(), store.onOwnerChange(castId, wake), () => turn?.close(), () => items?.close()];
  signal.addEventListener("abort", wake);
  try {
    await items?.onParentState(state);
    for (;;) {
      awake = Promise.withResolvers();
      // Ask before reading the journal: an owner that has left has written its last line by then.
      const driven = await isDriven();
      const news = await journal.next();
      if (news.kind === "lost" || news.kind === "damaged") return fail(journalIssue(castId, news));
      if (news.kind === "events") {
        const steps = [...replaySteps(state, news.events)];
        state = steps.at(-1)?.after ?? state;
        for (const { after } of steps) await items?.onParentState(after);
        onSteps?.(steps);
        continue;
      }
      if (state.phase.kind === "ended") return ok({ kind: "ended", state });
      if (!driven) return ok({ kind: stoppedKind(state), state });
      if (signal.aborted) return ok({ kind: "paused", state });
      await items?.read();
      turn?.followVisit(currentVisit(state));
      for (const note of (await turn?.next()) ?? []) onProgress?.(turnProgressFrom(note), state);
      await awake.promise;
    }
  } finally {
    clearInterval(pulse);
    signal.removeEventListener("abort", wake);
    for (const stop of stops) stop();
  }
}

function stoppedKind({ phase }: CastState): "waiting" | "asleep" | "paused" {
  return phase.kind === "waiting" ? "waiting" : phase.kind === "sleeping" ? "asleep" : "paused";
}

function journalIssue(castId: string, news: Extract<EventUpdate, { kind: "lost" | "damaged" }>) {
  if (news.kind === "lost") return error("unknown_cast", castId, "the cast is gone");
  const hint = suggest`look at it with ${typed`doctor ${castId}`}`;
  return error("damaged_journal", castId, `line ${news.line} of the journal is damaged`, hint);
}

export function createTurnFollower(store: CastStore, castId: CastId, wake: () => void) {
  let visit: VisitRef | undefined;
  let turn: Subscription<readonly AgentProgress[]> | undefined;
  const followVisit = (next: VisitRef | undefined): void => {
    if (next && next.socket === visit?.socket && next.visit === visit.visit) return;
    turn?.close();
    turn = undefined;
    visit = next;
  };
  return {
    followVisit,
    next: async (): Promise<readonly AgentProgress[]> => {
      if (!visit) return [];
      // Subscribe on demand: of all visits of a long journal only the last is read.
      turn ??= store.followTurn(castId, visit, wake);
      return turn.next();
    },
    close: () => followVisit(undefined),
  };
}

function currentVisit({ phase }: CastState): VisitRef | undefined {
  return phase.kind === "visiting" ? { socket: phase.visit.socket, visit: phase.visit.number } : undefined;
}

interface WatchedItem {
  readonly state: CastState;
  readonly turn: ReturnType<typeof createTurnFollower> | undefined;
}

/** [V15] Reports items that run in other processes, as the process that runs them does. */
function watchItems(watching: WatchOptions, source: ItemSource) {
  const { store, wake } = source;
  const { isQueued, onItemSteps, onItemProgress, onItemQueued } = watching;
  const items = followItemJournals(source);
  const watched = new Map<CastId, WatchedItem>();
  const begin = async (child: CastId): Promise<WatchedItem | undefined> => {
    const file = await store.readCastFile(child);
    return file.ok
      ? { state: initialState(castStartOf(file.value)), turn: onItemProgress && createTurnFollower(store, child, wake) }
      : undefined;
  };
  const tell = async (child: CastId): Promise<void> => {
    const events = await items.read(child);
    const item = watched.get(child) ?? (events && events.length > 0 ? await begin(child) : undefined);
    if (!item) return;
    const steps = [...replaySteps(item.state, events ?? [])];
    const state = steps.at(-1)?.after ?? item.state;
    // A worker that dies or leaves writes no event, and a late follower still finds its name.
    const mayBeLeft = events && (events.length === 0 || !watched.has(child));
    watched.set(child, { ...item, state });
    if (steps.length > 0) onItemSteps?.(steps);
    if (mayBeLeft && (await isQueued?.(child))) onItemQueued?.(state);
    item.turn?.followVisit(currentVisit(state));
    for (const note of (await item.turn?.next()) ?? []) onItemProgress?.(turnProgressFrom(note), state);
  };
  const leave = (child: CastId): void => {
    items.unfollow(child);
    watched.get(child)?.turn?.close();
    watched.delete(child);
  };
  return {
    /** Follows the items that run in this state of the parent, and reports the last events of the others. */
    onParentState: async (parent: CastState): Promise<void> => {
      const now = runningItems(parent);
      for (const child of items.children()) {
        if (now.includes(child)) continue;
        await tell(child);
        leave(child);
      }
      for (const child of now) items.follow(child);
    },
    read: async (): Promise<void> => {
      for (const child of items.children()) await tell(child);
    },
    close: (): void => {
      for (const child of items.children()) leave(child);
    },
  };
}

function runningItems({ phase }: CastState): readonly CastId[] {
  if (phase.kind !== "forked") return [];
  return phase.fork.running.flatMap((index) => itemRunAt(phase.fork, index)?.child ?? []);
}

interface ItemSource {
  readonly store: CastStore;
  readonly wake: () => void;
}

interface FollowedItem {
  following: Subscription<EventUpdate> | undefined;
  isStale: boolean;
  /** Stops waiting for a journal that does not exist yet. */
  readonly stopWaiting: () => void;
}

/** [V15, V25] Follows the journals of items that another process runs: only the running ones, never all past ones. */
export function followItemJournals({ store, wake }: ItemSource) {
  const items = new Map<CastId, FollowedItem>();
  const leave = (child: CastId): void => {
    const item = items.get(child);
    items.delete(child);
    item?.stopWaiting();
    item?.following?.close();
  };
  const mark = (child: CastId) => (): void => {
    const item = items.get(child);
    if (item) item.isStale = true;
    wake();
  };
  const open = async (child: CastId, item: FollowedItem): Promise<Subscription<EventUpdate> | undefined> => {
    if (item.following) return item.following;
    if (!(await store.find(child)).ok || items.get(child) !== item) return undefined;
    item.following = store.followEvents(child, 0, mark(child));
    item.stopWaiting();
    return item.following;
  };
  return {
    follow: (child: CastId): void => {
      if (items.has(child)) return;
      items.set(child, { following: undefined, isStale: true, stopWaiting: store.onCastChange(child, mark(child)) });
    },
    unfollow: leave,
    children: (): readonly CastId[] => [...items.keys()],
    /** New events of one item, from its first event on; undefined when nothing can have changed. */
    read: async (child: CastId): Promise<readonly CastEvent[] | undefined> => {
      const item = items.get(child);
      if (!item?.isStale) return undefined;
      item.isStale = false;
      const following = await open(child, item);
      return following ? readAllEvents(following) : [];
    },
    close: (): void => {
      for (const child of items.keys()) leave(child);
    },
  };
}

async function readAllEvents(following: Subscription<EventUpdate>): Promise<readonly CastEvent[]> {
  const events: CastEvent[] = [];
  for (let news = await following.next(); news.kind === "events"; news = await following.next())
    appendAll(events, news.events);
  return events;
}
