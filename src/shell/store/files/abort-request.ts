import { existsSync, rmSync, writeFileSync } from "node:fs";

const POLL_MS = 100;

/** Asks the owner, as often as it is called; on a full disk it cannot be heard. */
export function requestAbort(file: string): void {
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    return undefined;
  }
}

/**
 * Calls `abort` when anyone asks for it. The owner may be Pi itself, so a signal to its process will not do;
 * and not every file system tells of a new file, so the owner looks.
 */
export function onAbortRequest(file: string, abort: () => void): () => void {
  // A request that an earlier owner has obeyed means nothing to this one.
  rmSync(file, { force: true });
  const timer = setInterval(() => {
    if (existsSync(file)) abort();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
