import type { CastEvent } from "../../cast/state/event.ts";

/** [B28] A stretch of a cast that one worker drove: from which event, and whether another had it before. */
export interface WorkerStretch {
  readonly worker: string;
  readonly seq: number;
}

/** The workers that a cast went through, one after another; nothing of a cast that no fleet drives. */
export function workerStretches(events: readonly CastEvent[]): readonly WorkerStretch[] {
  const stretches: WorkerStretch[] = [];
  for (const event of events) {
    if ((event.type !== "cast_started" && event.type !== "cast_resumed") || event.worker === undefined) continue;
    if (stretches.at(-1)?.worker !== event.worker) stretches.push({ worker: event.worker, seq: event.seq });
  }
  return stretches;
}
