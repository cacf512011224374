import { setTimeout as sleep } from "node:timers/promises";

/** So long, or until the signal is aborted; never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
