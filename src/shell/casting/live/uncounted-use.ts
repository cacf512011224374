import type { CastEvent } from "../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { countsUse } from "../../../core/view/now/used.ts";
import type { TurnProgress } from "../../ports.ts";

/** What the turn in hand has used that the journal does not know yet. */
export interface UncountedUse {
  /** As the model tells it, at the end of a reply. */
  readonly used: Usage;
  /** Characters of the reply that is being written. */
  readonly written: number;
}

export const UNUSED: UncountedUse = { used: NO_USAGE, written: 0 };

export function turnAfter(turn: UncountedUse, event: CastEvent): UncountedUse {
  return countsUse(event) ? UNUSED : turn;
}

export function turnHeard({ used, written }: UncountedUse, progress: TurnProgress): UncountedUse {
  if (progress.kind === "used") return { used: progress.usage, written: 0 };
  if (progress.kind !== "text" && progress.kind !== "thinking") return { used, written };
  return { used, written: written + progress.delta.length };
}

/** A token is about four characters of English; of a reply that is not whole nobody knows more. */
export function usageSoFar({ used, written }: UncountedUse): Usage {
  return { ...used, output: used.output + Math.ceil(written / 4) };
}
