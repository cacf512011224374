import type { CastStep } from "../../../core/cast/step.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import {
  NO_LIVE_ITEMS,
  advanceLiveItem,
  removeEndedItem,
  liveItemLines,
  setLiveItemUsage,
  markLiveItemQueued,
  liveItemsUsage,
} from "../../../core/view/now/lanes.ts";
import { recordsUsage } from "../../../core/view/now/used.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { RunObserver } from "../drive/driver.ts";
import { NO_UNCOUNTED_USAGE, usageAfterProgress, estimateUsage, type UncountedUsage } from "./uncounted-use.ts";

type ItemObserver = Required<Pick<RunObserver, "onItemSteps" | "onItemProgress" | "onItemQueued">>;

/** [V15] The items of a parallel loop that are at work, as whoever follows their cast sees them. */
export interface LiveItemRows extends ItemObserver {
  /** One step of their parent. */
  readonly onParentStep: (step: CastStep) => void;
  /** What they have used between them that the journal of their parent does not know yet. */
  readonly usage: () => Usage;
  readonly lines: (now: number, width: number) => readonly Line[];
}

export function createItemRows(): LiveItemRows {
  let lanes = NO_LIVE_ITEMS;
  /** Of the turns in hand, by the casts of the items. */
  const turns = new Map<string, UncountedUsage>();
  return {
    onParentStep: (step) => {
      lanes = removeEndedItem(lanes, step);
    },
    usage: () => liveItemsUsage(lanes),
    lines: (now, width) => liveItemLines(lanes, now, width),
    onItemSteps: (steps) => {
      for (const step of steps) {
        lanes = advanceLiveItem(lanes, step);
        const { castId } = step.after;
        if (recordsUsage(step.event) || !lanes.has(castId)) turns.delete(castId);
      }
    },
    onItemProgress: (progress, state) => {
      const turn = usageAfterProgress(turns.get(state.castId) ?? NO_UNCOUNTED_USAGE, progress);
      turns.set(state.castId, turn);
      lanes = setLiveItemUsage(lanes, state, estimateUsage(turn));
    },
    onItemQueued: (state) => {
      lanes = markLiveItemQueued(lanes, state);
    },
  };
}
