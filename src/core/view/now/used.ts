import type { CastEvent } from "../../cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../cast/state/usage.ts";

/** What the turn in hand has used, after an event: nothing more once the journal has counted it. */
export function pendingUsageAfter(used: Usage, event: CastEvent): Usage {
  return recordsUsage(event) ? NO_USAGE : used;
}

/** Whether with this event the journal has counted what was used before it. */
export function recordsUsage(event: CastEvent): boolean {
  return "usage" in event || event.type === "visit_started";
}
