import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import { type EventFeed, encodeMessage } from "./event-stream.ts";
import type { LiveSources } from "./served-project.ts";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { FolderWatcher } from "../../shell/system/folder-watcher.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** Older casts are listed but not watched. */
const MAX_WATCHED = 2_000;

/** [N10] Every cast, newest first, then every new, changed or removed one. */
export function openCastListFeed(
  store: CastStore,
  live: LiveSources,
  wake: () => void,
  mark: (cast: CastSummary) => Promise<CastSummary>,
): EventFeed {
  const said = new Map<CastId, string>();
  const changes = trackCastChanges(store, live, wake);
  let isReady = false;
  const goneCasts = async (): Promise<string | undefined> => {
    if (!changes.takeList()) return undefined;
    const listed = await store.listIds();
    const ids = listed.ok ? listed.value : [];
    const there = new Set(ids);
    for (const castId of ids) if (!said.has(castId)) changes.watch(castId);
    const gone = [...said.keys()].filter((castId) => !there.has(castId));
    for (const castId of gone) {
      changes.forget(castId);
      said.delete(castId);
    }
    return gone.length === 0
      ? undefined
      : gone.map((castId) => encodeMessage({ kind: "gone", data: { castId } })).join("");
  };
  const newsOf = async (castId: CastId): Promise<string | undefined> => {
    const summary = await store.summary(castId);
    if (!summary) return undefined;
    changes.pulse(castId, summary.status === "running" && !live.runs.isRunningHere(castId));
    const message = encodeMessage({ kind: "cast", data: await mark(summary) });
    if (said.get(castId) === message) return undefined;
    said.set(castId, message);
    return message;
  };
  return {
    next: async () => {
      const gone = await goneCasts();
      if (gone !== undefined) return gone;
      for (const castId of changes.take()) {
        const news = await newsOf(castId);
        if (news !== undefined) return news;
      }
      if (isReady) return undefined;
      isReady = true;
      return encodeMessage({ kind: "ready", data: {} });
    },
    isOver: () => false,
    close: changes.close,
  };
}

/** The casts that may have changed; several changes of one cast count once. */
function trackCastChanges(store: CastStore, live: LiveSources, wake: () => void) {
  const watched = new Map<CastId, () => void>();
  const changed = new Set<CastId>();
  let isListNew = true;
  const touch = (castId: CastId): void => {
    changed.add(castId);
    wake();
  };
  const pulse = pollForeignRuns(live, touch);
  const stopList = store.onListChange(() => {
    isListNew = true;
    wake();
  });
  return {
    /** Whether casts may have appeared or disappeared since the last call. */
    takeList: (): boolean => {
      const wasNew = isListNew;
      isListNew = false;
      return wasNew;
    },
    *take(): Generator<CastId> {
      for (const castId of changed) {
        changed.delete(castId);
        yield castId;
      }
    },
    watch: (castId: CastId): void => {
      if (watched.has(castId)) return;
      changed.add(castId);
      if (watched.size < MAX_WATCHED)
        watched.set(
          castId,
          store.onCastChange(castId, () => touch(castId)),
        );
    },
    forget: (castId: CastId): void => {
      watched.get(castId)?.();
      watched.delete(castId);
      changed.delete(castId);
      pulse.set(castId, false);
    },
    pulse: pulse.set,
    close: (): void => {
      stopList();
      pulse.close();
      for (const stop of watched.values()) stop();
    },
  };
}

/** A killed process leaves no trace: check running casts of other processes each second. */
function pollForeignRuns(live: LiveSources, look: (castId: CastId) => void) {
  const running = new Set<CastId>();
  let stop: (() => void) | undefined;
  const close = (): void => {
    stop?.();
    stop = undefined;
  };
  return {
    set: (castId: CastId, runs: boolean): void => {
      if (runs) running.add(castId);
      else running.delete(castId);
      if (running.size === 0) return close();
      stop ??= live.everySecond(() => running.forEach((each) => look(each)));
      return undefined;
    },
    close,
  };
}

/** [N10] Announces every change of a configuration file. */
export function openConfigFeed(files: readonly string[], watch: FolderWatcher, wake: () => void): EventFeed {
  let known = fileStamps(files);
  let isTouched = false;
  const stops = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
    watch.onChange(folder, () => {
      isTouched = true;
      wake();
    }),
  );
  return {
    next: () => {
      if (!isTouched) return Promise.resolve(undefined);
      isTouched = false;
      const now = fileStamps(files);
      // The folder contains other files too.
      if (now === known) return Promise.resolve(undefined);
      known = now;
      return Promise.resolve(encodeMessage({ kind: "config", data: {} }));
    },
    isOver: () => false,
    close: () => stops.forEach((stop) => stop()),
  };
}

function fileStamps(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "none";
    })
    .join("\n");
}

/** Merges two feeds; the first has priority. */
export function joinFeeds(first: EventFeed, second: EventFeed): EventFeed {
  return {
    next: async () => (await first.next()) ?? second.next(),
    isOver: () => first.isOver() && second.isOver(),
    close: () => {
      first.close();
      second.close();
    },
  };
}
