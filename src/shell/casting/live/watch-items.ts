import { runAt } from "../../../core/cast/items/runs.ts";
import { type CastState, startState } from "../../../core/cast/state/state.ts";
import { stepsFrom } from "../../../core/cast/step.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Progress } from "../../../core/wire/stream.ts";
import { followItems } from "../../items/follow.ts";
import { startOf } from "../../store/cast-file.ts";
import type { CastStore, Following } from "../../store/cast-store.ts";
import type { Listening } from "../drive/driver.ts";
import { isOfVisit, progressOf } from "./notes.ts";

/** Follows what the agent of a cast does, where that can be heard. */
export type FollowTurn = (castId: CastId, wake: () => void) => Following<readonly Progress[]>;

interface ListenedItems extends Pick<Listening, "onItemSteps" | "onItemProgress" | "onItemQueued"> {
  readonly isQueued?: (castId: CastId) => Promise<boolean>;
  readonly store: CastStore;
  readonly wake: () => void;
  readonly followTurn: FollowTurn | undefined;
}

export interface WatchedItems {
  /** Their parent has come so far: who is at work now is followed, and of the others the last is told. */
  readonly hear: (parent: CastState) => Promise<void>;
  /** Tells what is new of those at work. */
  readonly read: () => Promise<void>;
  readonly close: () => void;
}

/** One item as it is known here; its turn is followed from its first event on. */
interface Known {
  readonly state: CastState;
  readonly turn: Following<readonly Progress[]> | undefined;
}

/** [V15] Items that are at work in other processes, told as the process that drives them tells them. */
export function watchItems(listened: ListenedItems): WatchedItems {
  const { store, wake, followTurn, isQueued, onItemSteps, onItemProgress, onItemQueued } = listened;
  const items = followItems({ store, wake });
  const known = new Map<CastId, Known>();
  const begin = async (child: CastId): Promise<Known | undefined> => {
    const file = await store.describe(child);
    return file.ok ? { state: startState(startOf(file.value)), turn: followTurn?.(child, wake) } : undefined;
  };
  const tell = async (child: CastId): Promise<void> => {
    const events = await items.read(child);
    const item = known.get(child) ?? (events && events.length > 0 ? await begin(child) : undefined);
    if (!item) return;
    const steps = [...stepsFrom(item.state, events ?? [])];
    const state = steps.at(-1)?.after ?? item.state;
    // A worker that dies or leaves writes nothing more: who comes late finds its name, too.
    const mayBeLeft = events && (events.length === 0 || !known.has(child));
    known.set(child, { ...item, state });
    if (steps.length > 0) onItemSteps?.(steps);
    if (mayBeLeft && (await isQueued?.(child))) onItemQueued?.(state);
    for (const note of (await item.turn?.next()) ?? [])
      if (isOfVisit(note, state)) onItemProgress?.(progressOf(note), state);
  };
  const leave = (child: CastId): void => {
    items.leave(child);
    known.get(child)?.turn?.close();
    known.delete(child);
  };
  return {
    hear: async (parent) => {
      const now = atWork(parent);
      for (const child of items.children()) {
        if (now.includes(child)) continue;
        await tell(child);
        leave(child);
      }
      for (const child of now) items.enter(child);
    },
    read: async () => {
      for (const child of items.children()) await tell(child);
    },
    close: () => {
      for (const child of items.children()) leave(child);
    },
  };
}

function atWork({ phase }: CastState): readonly CastId[] {
  if (phase.kind !== "forked") return [];
  return phase.fork.running.flatMap((index) => runAt(phase.fork, index)?.child ?? []);
}
