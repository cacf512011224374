/** The dispatches that this process runs, and the slots that they hold. */
export interface DispatchTracker {
  /** Resolves when no dispatch of this process runs. */
  readonly drained: () => Promise<void>;
  readonly run: (castId: string, leg: number) => Promise<void>;
  /** Holds a slot of a queue until the work is over. */
  readonly withSlot: (request: SlotRequest, work: () => Promise<void>) => Promise<void>;
  readonly isKnown: (dispatchId: string) => boolean;
  /** Slots held for other queues than this one. */
  readonly slotsOutside: (queue: string) => number;
}

interface SlotRequest {
  readonly dispatchId: string;
  readonly queue: string | undefined;
}

/** DBOS may mark the last dispatch as over this long after it has ended. */
const COMPLETION_WRITE_MS = 5_000;

/** Tracks dispatches here because DBOS also waits for those that were reassigned, as long as their new worker takes. */
export function createDispatchTracker(run: DispatchTracker["run"]): DispatchTracker {
  const running = new Set<Promise<void>>();
  const slots = new Map<string | undefined, number>();
  const dispatchIds = new Map<string, number>();
  return {
    drained: async () => {
      do {
        await Promise.allSettled(running);
        await new Promise<void>((resolve) => setTimeout(resolve, COMPLETION_WRITE_MS).unref());
      } while (running.size > 0);
    },
    run: (castId, leg) => {
      const dispatch = run(castId, leg).finally(() => running.delete(dispatch));
      running.add(dispatch);
      return dispatch;
    },
    withSlot: async ({ dispatchId, queue }, work) => {
      addTo(slots, queue, 1);
      addTo(dispatchIds, dispatchId, 1);
      try {
        await work();
      } finally {
        addTo(slots, queue, -1);
        addTo(dispatchIds, dispatchId, -1);
      }
    },
    isKnown: (dispatchId) => dispatchIds.has(dispatchId),
    slotsOutside: (queue) =>
      Array.from(slots.values()).reduce((sum, count) => sum + count, 0) - (slots.get(queue) ?? 0),
  };
}

function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
