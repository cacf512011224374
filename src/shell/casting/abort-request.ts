import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDiskProblem } from "../system/problem.ts";

const LOOK_MS = 100;

/** Asks the owner, as often as it is called; on a full disk it cannot be heard. */
export function requestAbort(runDir: string): void {
  try {
    writeFileSync(requestFile(runDir), "");
  } catch (thrown) {
    if (!isDiskProblem(thrown)) throw thrown;
  }
}

/**
 * Calls `abort` when anyone asks for it. The owner may be Pi itself, so a signal to its process will not do;
 * and not every file system tells of a new file, so the owner looks.
 */
export function onAbortRequest(runDir: string, abort: () => void): () => void {
  const file = requestFile(runDir);
  // A request that an earlier owner has obeyed means nothing to this one.
  rmSync(file, { force: true });
  const timer = setInterval(() => {
    if (existsSync(file)) abort();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function requestFile(runDir: string): string {
  return join(runDir, "owner", "abort-requested");
}
