import { existsSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { dirname } from "node:path";

/** Says when something in a folder changes; a folder that is not there yet is waited for. */
export interface FolderWatch {
  readonly on: (folder: string, listener: () => void) => () => void;
  /** How many folders are watched. */
  readonly size: () => number;
}

interface Watched {
  readonly listeners: Set<() => void>;
  readonly stop: () => void;
}

/** One system watch per folder, however many listen. */
export function folderWatch(): FolderWatch {
  const folders = new Map<string, Watched>();
  return {
    on: (folder, listener) => {
      const watched = folders.get(folder) ?? watchFolder(folder);
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

function watchFolder(folder: string): Watched {
  const listeners = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let at = "";
  let isOpen = true;
  const changed = (): void => {
    arm();
    for (const listener of listeners) listener();
  };
  const arm = (): void => {
    const wanted = nearest(folder);
    if (!isOpen || (wanted === at && watcher)) return;
    watcher?.close();
    at = wanted;
    try {
      watcher = watch(wanted, { persistent: false }, changed);
      watcher.on("error", () => {
        watcher?.close();
        watcher = undefined;
        at = "";
      });
    } catch {
      // Gone between the look and the watch, or no watches left: what can still be read is read at the next call.
      watcher = undefined;
    }
    // It may have come into being while its parent was being watched.
    if (nearest(folder) !== at && watcher) arm();
  };
  arm();
  return {
    listeners,
    stop: () => {
      isOpen = false;
      watcher?.close();
    },
  };
}

function nearest(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
