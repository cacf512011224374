import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import type { FleetClient } from "../../shell/workspace/workspace.ts";
import { type EventFeed, changeFlag, encodeMessage } from "./event-stream.ts";
import type { LiveSources } from "./served-project.ts";
import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { dirname } from "node:path";
import type { FolderWatcher } from "../../shell/system/folder-watcher.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** Older casts are listed but not watched. */
const MAX_WATCHED = 2_000;
/** A longer list is sent in parts: its first rows are drawn early, and other requests are answered between them. */
const CASTS_IN_PART = 100;

/** [N10] Every cast, newest first, then every new, changed or removed one. */
export function openCastListFeed(
  store: CastStore,
  live: LiveSources,
  wake: () => void,
  mark: (cast: CastSummary) => Promise<CastSummary>,
): EventFeed {
  const lastSent = new Map<CastId, string>();
  const changes = trackCastChanges(store, live, wake);
  let isReady = false;
  const goneCasts = async (): Promise<string> => {
    if (!changes.isListNew()) return "";
    const listed = await store.listIds();
    const ids = listed.ok ? listed.value : [];
    const there = new Set(ids);
    for (const castId of ids) if (!lastSent.has(castId)) changes.watch(castId);
    const gone = [...lastSent.keys()].filter((castId) => !there.has(castId));
    for (const castId of gone) {
      changes.forget(castId);
      lastSent.delete(castId);
    }
    return encodeGone(gone);
  };
  const newsOf = async (castId: CastId): Promise<string> => {
    const summary = await store.summary(castId);
    if (!summary) return "";
    changes.pulse(castId, summary.status === "running" && !live.runs.isRunningHere(castId));
    return encodeChanged(lastSent, [await mark(summary)]);
  };
  return {
    next: async () => {
      // The parts of a long list must not hold up other requests.
      await nextTurn();
      const gone = await goneCasts();
      if (gone !== "") return gone;
      const part: string[] = [];
      for (const castId of changes.take()) {
        const news = await newsOf(castId);
        if (news !== "") part.push(news);
        if (part.length === CASTS_IN_PART) break;
      }
      if (part.length > 0) return part.join("");
      if (isReady) return undefined;
      isReady = true;
      return encodeMessage({ kind: "ready", data: {} });
    },
    close: changes.close,
  };
}

function encodeChanged(said: Map<string, string>, casts: readonly CastSummary[]): string {
  return casts
    .map((cast) => {
      const message = encodeMessage({ kind: "cast", data: cast });
      if (said.get(cast.castId) === message) return "";
      said.set(cast.castId, message);
      return message;
    })
    .join("");
}

function encodeGone(casts: readonly string[]): string {
  return casts.map((castId) => encodeMessage({ kind: "gone", data: { castId } })).join("");
}

/** The casts that may have changed; several changes of one cast count once. */
function trackCastChanges(store: CastStore, live: LiveSources, wake: () => void) {
  const watched = new Map<CastId, () => void>();
  const changed = new Set<CastId>();
  const list = changeFlag(wake);
  const touch = (castId: CastId): void => {
    changed.add(castId);
    wake();
  };
  const pulse = pollForeignRuns(live, touch);
  const stopList = store.onListChange(list.set);
  return {
    /** Whether casts may have appeared or disappeared since the last call. */
    isListNew: list.take,
    *take(): Generator<CastId> {
      for (const castId of changed) {
        changed.delete(castId);
        yield castId;
      }
    },
    watch: (castId: CastId): void => {
      if (watched.has(castId)) return;
      changed.add(castId);
      if (watched.size >= MAX_WATCHED) return;
      const stop = store.onCastChange(castId, () => touch(castId));
      watched.set(castId, stop);
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
  let lastStamps = fileStamps(files);
  const touched = changeFlag(wake, false);
  const stops = [...new Set(files.map((file) => dirname(file)))].map((folder) => watch.onChange(folder, touched.set));
  return {
    next: async () => {
      if (!touched.take()) return undefined;
      const now = fileStamps(files);
      // The folder contains other files too.
      if (now === lastStamps) return undefined;
      lastStamps = now;
      return encodeMessage({ kind: "config", data: {} });
    },
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

/** [B26] The newest casts of a fleet, then every new or changed one. Only casts that the database reports are read again. */
export function openFleetCastListFeed(store: CastStore, fleet: FleetClient, wake: () => void): EventFeed {
  const lastSent = new Map<string, string>();
  const changed = new Set<string>();
  let isListOld = true;
  let isReady = false;
  const stop = store.onListChange((castId) => {
    // No name means that the connection was lost: any cast may have changed.
    if (castId === undefined) isListOld = true;
    else changed.add(castId);
    wake();
  });
  const newest = async (): Promise<string> => {
    const listed = await store.list();
    // A lost database calls back when it is reachable again.
    if (!listed.ok) return "";
    isListOld = false;
    const unlisted = new Set(lastSent.keys());
    for (const { castId } of listed.value) unlisted.delete(castId);
    return encodeChanged(lastSent, listed.value) + (await sayChanged([...unlisted]));
  };
  const sayChanged = async (casts: readonly string[]): Promise<string> => {
    if (casts.length === 0) return "";
    const found = await fleet.summariesOf(casts);
    if (!found) {
      isListOld = true;
      return "";
    }
    const there = new Set(found.map(({ castId }) => castId));
    const gone = casts.filter((castId) => !there.has(castId) && lastSent.delete(castId));
    return encodeChanged(lastSent, found) + encodeGone(gone);
  };
  return {
    next: async () => {
      const listed = isListOld ? await newest() : "";
      const casts = [...changed];
      changed.clear();
      const news = listed + (await sayChanged(casts));
      if (news !== "") return news;
      if (isReady || isListOld) return undefined;
      isReady = true;
      return encodeMessage({ kind: "ready", data: {} });
    },
    close: stop,
  };
}

/**
 * [B29] Workers and the head of the queue, once a second while a listener is connected: workers send a heartbeat each
 * second. Finished casts are never read.
 */
export function openFleetStatusFeed(fleet: FleetClient, { everySecond }: LiveSources, wake: () => void): EventFeed {
  const old = changeFlag(wake);
  return {
    next: async () => {
      const standing = old.take() ? await fleet.status() : undefined;
      return standing?.ok ? encodeMessage({ kind: "fleet", data: standing.value }) : undefined;
    },
    close: everySecond(old.set),
  };
}

export function joinFeeds(first: EventFeed, second: EventFeed): EventFeed {
  return {
    next: async () => (await first.next()) ?? second.next(),
    close: () => {
      first.close();
      second.close();
    },
  };
}
