import type { CastEvent } from "../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { recordsUsage } from "../../../core/view/now/used.ts";
import type { TurnProgress } from "../../ports.ts";

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
