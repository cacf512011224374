import type { CastStep } from "../../../core/cast/step.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import {
  NO_LANES,
  followLane,
  followParent,
  laneLines,
  laneUses,
  laneWaits,
  lanesUsage,
} from "../../../core/view/now/lanes.ts";
import { countsUse } from "../../../core/view/now/used.ts";
import type { Line } from "../../../core/view/text/line.ts";
import type { Listening } from "../drive/driver.ts";
import { UNUSED, turnHeard, usageSoFar, type UncountedUse } from "./uncounted-use.ts";

type Heard = Required<Pick<Listening, "onItemSteps" | "onItemProgress" | "onItemQueued">>;

/** [V15] The items of a parallel loop that are at work, as whoever follows their cast sees them. */
export interface LiveItemRows extends Heard {
  /** One step of their parent. */
  readonly follow: (step: CastStep) => void;
  /** What they have used between them that the journal of their parent does not know yet. */
  readonly usage: () => Usage;
  readonly lines: (now: number, width: number) => readonly Line[];
}

export function openItemRows(): LiveItemRows {
  let lanes = NO_LANES;
  /** Of the turns in hand, by the casts of the items. */
  const turns = new Map<string, UncountedUse>();
  return {
    follow: (step) => {
      lanes = followParent(lanes, step);
    },
    usage: () => lanesUsage(lanes),
    lines: (now, width) => laneLines(lanes, now, width),
    onItemSteps: (steps) => {
      for (const step of steps) {
        lanes = followLane(lanes, step);
        const { castId } = step.after;
        if (countsUse(step.event) || !lanes.has(castId)) turns.delete(castId);
      }
    },
    onItemProgress: (progress, state) => {
      const turn = turnHeard(turns.get(state.castId) ?? UNUSED, progress);
      turns.set(state.castId, turn);
      lanes = laneUses(lanes, state, usageSoFar(turn));
    },
    onItemQueued: (state) => {
      lanes = laneWaits(lanes, state);
    },
  };
}
