import { waitGroupText, groupByWaitReason, type WaitGroup } from "../../../core/view/now/fleet.ts";
import type { ConnectedFleet } from "../open/fleet.ts";
import { readFleetStatus } from "./workers.ts";

export interface QueueReporterOptions extends Pick<ConnectedFleet, "database" | "profile"> {
  readonly queues: readonly string[];
  /** What was not seen for so long is told as if it were new. */
  readonly againMs: number;
  readonly tell: (waiting: readonly WaitGroup[]) => void;
}

/** [B29] Looks why casts of these queues wait, and tells a reason when it comes up, not for as long as it lasts. */
export function queueReporter({ queues, againMs, tell, ...fleet }: QueueReporterOptions): () => Promise<void> {
  const seen = new Map<string, number>();
  return async () => {
    // Most of the time nobody waits.
    const text = "select from materia.casts where status = 'queued' and queue = any($1) limit 1";
    if ((await fleet.database.query({ text, values: [queues] })).length === 0) return;
    const standing = await readFleetStatus(fleet);
    if (!standing.ok) return;
    const now = Date.now();
    for (const [reason, at] of seen) if (now - at >= againMs) seen.delete(reason);
    const groups = groupByWaitReason(standing.value.queue.filter(({ queue }) => queues.includes(queue)));
    const fresh = groups.filter((group) => !seen.has(waitReasonKey(group)));
    for (const group of groups) seen.set(waitReasonKey(group), now);
    if (fresh.length > 0) tell(fresh);
  };
}

/** However many wait for it. */
function waitReasonKey(group: WaitGroup): string {
  return waitGroupText({ ...group, casts: 1 });
}
