import { existsSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";

const REQUEST = "abort-requested";

export function requestAbort(runDir: string): void {
  writeFileSync(join(runDir, "owner", REQUEST), "");
}

/** Calls `abort` when anyone asks for it. The owner may be Pi itself, so a signal to its process will not do. */
export function onAbortRequest(runDir: string, abort: () => void): () => void {
  const folder = join(runDir, "owner");
  // A request that an earlier owner has obeyed means nothing to this one.
  rmSync(join(folder, REQUEST), { force: true });
  try {
    const watcher = watch(folder, { persistent: false }, () => {
      if (existsSync(join(folder, REQUEST))) abort();
    });
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
