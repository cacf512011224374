import type { CastStep } from "../../core/cast/cast-step.ts";
import { type Usage, NO_USAGE } from "../../core/cast/state/usage.ts";
import {
  NO_LIVE_ITEMS,
  advanceLiveItem,
  removeEndedItem,
  liveItemLines,
  setLiveItemUsage,
  markLiveItemQueued,
  liveItemsUsage,
} from "../../core/view/progress/live-items.ts";
import { recordsUsage } from "../../core/cast/timeline.ts";
import type { Line } from "../../core/view/line.ts";
import type { RunObserver } from "../context/run-context.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { TurnProgress } from "../ports.ts";

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

/** What the turn in hand has used that the journal does not know yet. */
export interface UncountedUsage {
  /** As the model tells it, at the end of a reply. */
  readonly used: Usage;
  /** Characters of the reply that is being written. */
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

/** A token is about four characters of English; of a reply that is not whole nobody knows more. */
export function estimateUsage({ used, written }: UncountedUsage): Usage {
  return { ...used, output: used.output + Math.ceil(written / 4) };
}
