import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** Reports changes in a folder; waits for a folder that does not exist yet. */
export interface FolderWatcher {
  readonly onChange: (folder: string, listener: () => void) => () => void;
  readonly size: () => number;
}

/** What is used of Node's watch. The library publishes this type, and its users may lack the types of Node. */
interface SystemWatch {
  readonly on: (event: "error", listener: () => void) => unknown;
  readonly close: () => void;
}

export interface FolderWatcherPorts {
  readonly watch: (folder: string, options: { readonly persistent: false }, listener: () => void) => SystemWatch;
  readonly everySecond: (listener: () => void) => () => void;
}

/** Calls back each second, without keeping the process alive; the result stops it. */
export function everySecond(listener: () => void): () => void {
  const timer = setInterval(listener, 1_000);
  timer.unref();
  return () => clearInterval(timer);
}

interface WatchedFolder {
  readonly listeners: Set<() => void>;
  readonly stop: () => void;
}

/** One system watch per folder for all listeners. */
export function createFolderWatcher(ports: FolderWatcherPorts): FolderWatcher {
  const folders = new Map<string, WatchedFolder>();
  return {
    onChange: (folder, listener) => {
      const watched = folders.get(folder) ?? watchFolder(folder, ports);
      folders.set(folder, watched);
      watched.listeners.add(listener);
      return () => {
        watched.listeners.delete(listener);
        if (watched.listeners.size > 0) return;
        watched.stop();
        if (folders.get(folder) === watched) folders.delete(folder);
      };
    },
    size: () => folders.size,
  };
}

function watchFolder(folder: string, { watch, everySecond }: FolderWatcherPorts): WatchedFolder {
  const listeners = new Set<() => void>();
  let at: string | undefined;
  let stopWatch: (() => void) | undefined;
  const release = (): void => {
    stopWatch?.();
    stopWatch = undefined;
    at = undefined;
  };
  const changed = (): void => {
    arm();
    for (const listener of listeners) listener();
  };
  const lookEachSecond = (): void => {
    release();
    stopWatch = everySecond(changed);
  };
  const arm = (): void => {
    // Check again: it may have been created before its parent was watched.
    for (let wanted = nearestExistingFolder(folder); wanted !== at; wanted = nearestExistingFolder(folder)) {
      release();
      try {
        const watcher = watch(wanted, { persistent: false }, changed);
        watcher.on("error", lookEachSecond);
        stopWatch = () => watcher.close();
        at = wanted;
      } catch {
        // The system has no watches left, or the folder is gone: poll.
        return lookEachSecond();
      }
    }
    return undefined;
  };
  arm();
  return { listeners, stop: release };
}

function nearestExistingFolder(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
