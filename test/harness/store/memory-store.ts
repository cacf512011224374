import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import { parseCastId, type CastId } from "../../../src/core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../src/core/model/issue.ts";
import { thisProcess } from "../../../src/shell/process/process-identity.ts";
import type {
  CastStore,
  EventUpdate,
  Subscription,
  TranscriptUpdate,
  VisitRef,
} from "../../../src/shell/store/cast-store.ts";
import { followTranscriptTurn } from "../../../src/shell/store/files/file-store.ts";
import { startedSummary, notStartedSummary } from "../../../src/shell/store/summary.ts";
import { keptCast, loaded, nameOf, ownedOf, type Kept } from "./memory-cast.ts";
import type { CastSummary } from "../../../src/core/cast/summary.ts";

export interface MemoryStore {
  readonly store: CastStore;
  readonly giveUp: (castId: CastId) => void;
  /** How often all events of a cast were read. */
  readonly readsOf: (castId: CastId) => number;
}

/** Casts in the memory of this process: what a store does, without any disk. */
export function memoryStore(): MemoryStore {
  const casts = new Map<string, Kept>();
  const listListeners = new Set<() => void>();
  const changed = (): void => listListeners.forEach((listener) => listener());
  const gone = (castId: CastId): void => {
    casts.get(castId)?.listeners.forEach((listener) => listener());
    casts.delete(castId);
    changed();
  };
  const found = (text: string): Result<Kept> => {
    const kept = casts.get(text);
    return kept ? ok(kept) : fail(error("unknown_cast", text, `there is no cast "${text}"`));
  };
  const ids = (): readonly CastId[] =>
    [...casts.values()]
      .map(({ file }) => file.castId)
      .toSorted()
      .toReversed();
  const summary = async (castId: CastId): Promise<CastSummary | undefined> => {
    const kept = casts.get(castId);
    if (!kept) return undefined;
    const [first] = kept.events;
    const isOwned = kept.owner !== undefined;
    if (!first) return notStartedSummary(kept.file, isOwned);
    return startedSummary(castId, { first, last: kept.events, unread: 0 }, async () => isOwned);
  };
  const store: CastStore = {
    location: "memory",
    locationOf: (castId) => `memory of ${castId}`,
    find: async (text) => {
      const castId = parseCastId(text);
      if (castId === undefined) return fail(error("bad_cast_id", text, `"${text}" is not a cast id`));
      const kept = found(castId);
      return kept.ok ? ok(castId) : kept;
    },
    listIds: async () => ok(ids()),
    summary,
    list: async () => ok((await Promise.all(ids().map(summary))).filter((each) => each !== undefined)),
    stamp: async (castId) => (casts.has(castId) ? castId : undefined),
    owner: async (castId) => (casts.get(castId)?.owner === undefined ? undefined : thisProcess()),
    readCastFile: async (castId) => mapped(found(castId), ({ file }) => file),
    current: async (castId) => mapped(found(castId), loaded),
    load: async (castId) => mapped(found(castId), loaded),
    fold: async (castId, { begin, step }) =>
      mapped(found(castId), (kept) => {
        const { file, events } = kept;
        kept.reads += 1;
        const value = events.reduce(step, begin(file));
        return { castId, file, value, tornBytes: 0, stamp: String(events.length) };
      }),
    readEnds: async (castId, enough) => {
      const events = casts.get(castId)?.events ?? [];
      const [first] = events;
      const from = events.findLastIndex((_event, at) => enough(events.slice(at)));
      return { ...(first ? { first } : {}), last: events.slice(Math.max(0, from)), unread: 0 };
    },
    readArtifact: async (castId, place, { from = 0, maxBytes: most = Infinity } = {}) => {
      const bytes = casts.get(castId)?.artifacts.get(nameOf(place));
      return bytes && { bytes: bytes.subarray(from, from + most), size: bytes.length, changedAt: 0 };
    },
    // Values stand where they are used.
    readValue: async () => undefined,
    readAttachment: async (castId, name) => casts.get(castId)?.brings[name],
    lastVisit: async (castId, socket) => {
      const names = [...(casts.get(castId)?.artifacts.keys() ?? [])].map((name) => name.split("/"));
      return Math.max(0, ...names.flatMap(([of, visit]) => (of === socket ? [Number(visit)] : [])));
    },
    create: async ({ file, attachments: brings = {}, writePast }, how) => {
      if (casts.has(file.castId)) return fail(error("write_failed", "artifactDir", "it is there already"));
      const kept = keptCast(file, brings);
      const owned = ownedOf(kept, how, { load: () => found(file.castId).ok, discard: () => gone(file.castId) });
      const problem = writePast && (await writePast(owned));
      if (problem !== undefined) return fail(error("write_failed", file.castId, problem));
      casts.set(file.castId, kept);
      changed();
      return ok(owned);
    },
    claim: async (castId, how) => {
      const kept = found(castId);
      if (!kept.ok) return kept;
      if (kept.value.owner !== undefined)
        return fail(error("cast_owned", castId, `process ${process.pid} runs this cast`));
      return ok(ownedOf(kept.value, how, { load: () => found(castId).ok, discard: () => gone(castId) }));
    },
    requestAbort: async (castId) => casts.get(castId)?.abortListeners.forEach((listener) => listener()),
    remove: async (named) => {
      const free = ids().filter((castId) => named.includes(castId) && casts.get(castId)?.owner === undefined);
      free.forEach(gone);
      return ok(free);
    },
    followEvents: (castId, after, wake) => followed(() => casts.get(castId), after, wake),
    followTranscript: (castId, visit, wake) => followedLines(() => casts.get(castId), visit, wake),
    followTurn: (castId, visit, wake) =>
      followTranscriptTurn(
        visit,
        followedLines(() => casts.get(castId), visit, wake),
      ),
    onListChange: (listener) => listening(listListeners, listener),
    onCastChange: (castId, listener) => listening(casts.get(castId)?.listeners, listener),
    onOwnerChange: (castId, listener) => listening(casts.get(castId)?.listeners, listener),
  };
  return {
    store,
    readsOf: (castId) => casts.get(castId)?.reads ?? 0,
    giveUp: (castId) => {
      const kept = casts.get(castId);
      if (kept) kept.owner = undefined;
    },
  };
}

function mapped<T, U>(result: Result<T>, map: (value: T) => U): Result<U> {
  return result.ok ? ok(map(result.value)) : result;
}

function listening(listeners: Set<() => void> | undefined, listener: () => void): () => void {
  listeners?.add(listener);
  return () => void listeners?.delete(listener);
}

function followed(kept: () => Kept | undefined, after: number, wake: () => void): Subscription<EventUpdate> {
  const close = listening(kept()?.listeners, wake);
  let seen = after;
  return {
    next: async () => {
      const events: readonly CastEvent[] | undefined = kept()?.events;
      if (!events || events.length < seen) return { kind: "lost" };
      if (events.length === seen) return { kind: "nothing" };
      const news = events.slice(seen);
      seen = events.length;
      return { kind: "events", events: news };
    },
    close,
  };
}

function followedLines(
  kept: () => Kept | undefined,
  visit: VisitRef,
  wake: () => void,
): Subscription<TranscriptUpdate> {
  const close = listening(kept()?.listeners, wake);
  let seen = 0;
  return {
    next: async () => {
      const bytes = kept()?.artifacts.get(nameOf({ ...visit, name: "transcript.jsonl" }));
      if (!bytes) return { kind: "nothing" };
      if (bytes.length < seen) {
        seen = 0;
        return { kind: "restarted" };
      }
      const text = bytes.subarray(seen).toString("utf8");
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      if (whole === "") return { kind: "nothing" };
      seen += Buffer.byteLength(whole);
      return { kind: "lines", lines: whole.split("\n").slice(0, -1) };
    },
    close,
  };
}
