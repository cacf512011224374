import { itemRunAt } from "../../../core/cast/items/runs.ts";
import { type CastState, initialState } from "../../../core/cast/state/state.ts";
import { replaySteps } from "../../../core/cast/step.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { AgentProgress } from "../../../core/wire/stream.ts";
import { followItemJournals } from "../../items/follow.ts";
import { castStartOf } from "../../store/cast-file.ts";
import type { CastStore, Subscription } from "../../store/cast-store.ts";
import type { RunObserver } from "../drive/driver.ts";
import { belongsToVisit, turnProgressFrom } from "./notes.ts";

/** Follows what the agent of a cast does, where that can be heard. */
export type SubscribeToTurn = (castId: CastId, wake: () => void) => Subscription<readonly AgentProgress[]>;

interface WatchItemsOptions extends Pick<RunObserver, "onItemSteps" | "onItemProgress" | "onItemQueued"> {
  readonly isQueued?: (castId: CastId) => Promise<boolean>;
  readonly store: CastStore;
  readonly wake: () => void;
  readonly followTurn: SubscribeToTurn | undefined;
}

export interface ItemWatcher {
  /** Their parent has come so far: who is at work now is followed, and of the others the last is told. */
  readonly onParentState: (parent: CastState) => Promise<void>;
  /** Tells what is new of those at work. */
  readonly read: () => Promise<void>;
  readonly close: () => void;
}

/** One item as it is known here; its turn is followed from its first event on. */
interface WatchedItem {
  readonly state: CastState;
  readonly turn: Subscription<readonly AgentProgress[]> | undefined;
}

/** [V15] Items that are at work in other processes, told as the process that drives them tells them. */
export function watchItems(listened: WatchItemsOptions): ItemWatcher {
  const { store, wake, followTurn, isQueued, onItemSteps, onItemProgress, onItemQueued } = listened;
  const items = followItemJournals({ store, wake });
  const known = new Map<CastId, WatchedItem>();
  const begin = async (child: CastId): Promise<WatchedItem | undefined> => {
    const file = await store.readCastFile(child);
    return file.ok ? { state: initialState(castStartOf(file.value)), turn: followTurn?.(child, wake) } : undefined;
  };
  const tell = async (child: CastId): Promise<void> => {
    const events = await items.read(child);
    const item = known.get(child) ?? (events && events.length > 0 ? await begin(child) : undefined);
    if (!item) return;
    const steps = [...replaySteps(item.state, events ?? [])];
    const state = steps.at(-1)?.after ?? item.state;
    // A worker that dies or leaves writes nothing more: who comes late finds its name, too.
    const mayBeLeft = events && (events.length === 0 || !known.has(child));
    known.set(child, { ...item, state });
    if (steps.length > 0) onItemSteps?.(steps);
    if (mayBeLeft && (await isQueued?.(child))) onItemQueued?.(state);
    for (const note of (await item.turn?.next()) ?? [])
      if (belongsToVisit(note, state)) onItemProgress?.(turnProgressFrom(note), state);
  };
  const leave = (child: CastId): void => {
    items.unfollow(child);
    known.get(child)?.turn?.close();
    known.delete(child);
  };
  return {
    onParentState: async (parent) => {
      const now = runningItems(parent);
      for (const child of items.children()) {
        if (now.includes(child)) continue;
        await tell(child);
        leave(child);
      }
      for (const child of now) items.follow(child);
    },
    read: async () => {
      for (const child of items.children()) await tell(child);
    },
    close: () => {
      for (const child of items.children()) leave(child);
    },
  };
}

function runningItems({ phase }: CastState): readonly CastId[] {
  if (phase.kind !== "forked") return [];
  return phase.fork.running.flatMap((index) => itemRunAt(phase.fork, index)?.child ?? []);
}
