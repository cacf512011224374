import { type CastStep, recordsUsage } from "../../core/cast/timeline.ts";
import { type Usage, NO_USAGE } from "../../core/cast/state/usage.ts";
import {
  NO_LIVE_ITEMS,
  advanceLiveItem,
  removeEndedItem,
  liveItemLines,
  updateLiveItem,
  liveItemsUsage,
} from "../../core/view/progress/live-items.ts";
import type { RunObserver } from "../context/run-context.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { TurnProgress } from "../ports.ts";

type ItemObserver = Required<Pick<RunObserver, "onItemSteps" | "onItemProgress" | "onItemQueued">>;

/** [V15] The running items of a parallel loop, for a follower of their parent. */
export function createItemRows() {
  let items = NO_LIVE_ITEMS;
  const turns = new Map<string, UncountedUsage>();
  const observer: ItemObserver = {
    onItemSteps: (steps) => {
      for (const step of steps) {
        items = advanceLiveItem(items, step);
        const { castId } = step.after;
        if (recordsUsage(step.event) || !items.has(castId)) turns.delete(castId);
      }
    },
    onItemProgress: (progress, state) => {
      const turn = usageAfterProgress(turns.get(state.castId) ?? NO_UNCOUNTED_USAGE, progress);
      turns.set(state.castId, turn);
      items = updateLiveItem(items, state, { used: estimateUsage(turn) });
    },
    onItemQueued: (state) => {
      items = updateLiveItem(items, state, { isQueued: true });
    },
  };
  return {
    ...observer,
    onParentStep: (step: CastStep): void => {
      items = removeEndedItem(items, step);
    },
    usage: () => liveItemsUsage(items),
    lines: (now: number, width: number) => liveItemLines(items, now, width),
  };
}

interface UncountedUsage {
  readonly used: Usage;
  /** Characters of the unfinished reply. */
  readonly written: number;
}

export const NO_UNCOUNTED_USAGE: UncountedUsage = { used: NO_USAGE, written: 0 };

export function usageAfterEvent(turn: UncountedUsage, event: CastEvent): UncountedUsage {
  return recordsUsage(event) ? NO_UNCOUNTED_USAGE : turn;
}

export function usageAfterProgress({ used, written }: UncountedUsage, progress: TurnProgress): UncountedUsage {
  if (progress.kind === "used") return { used: progress.usage, written: 0 };
  if (progress.kind !== "text" && progress.kind !== "thinking") return { used, written };
  return { used, written: written + progress.delta.length };
}

/** A token is about four characters of English: an estimate for an unfinished reply. */
export function estimateUsage({ used, written }: UncountedUsage): Usage {
  return { ...used, output: used.output + Math.ceil(written / 4) };
}
