import { error, type Issue } from "../../../core/model/issue.ts";
import { CastListResponse } from "../../../core/wire/casts.ts";
import { readStreamMessage, type StreamMessage, type StreamName } from "../../../core/wire/stream.ts";
import { fetchJson, queryString } from "./request.ts";
import {
  followSharedStream,
  followWhileVisible,
  followStream,
  type ServerSentEvent,
  type StreamState,
} from "./stream.ts";
import { createStore, useStore } from "../browser/store.ts";

/** A handler for each message of a stream, by its name, and one for messages that cannot be parsed. */
type StreamListener<N extends StreamName> = {
  readonly [M in StreamMessage<N> as M["kind"]]: (data: M["data"]) => void;
} & { readonly onIssue: (issue: Issue) => void };

function hear<N extends StreamName>(name: N, { event, data }: ServerSentEvent, listener: StreamListener<N>): boolean {
  recordServerActivity();
  const message = readStreamMessage(name, event, data);
  if (message.ok) (listener as Readonly<Record<string, (data: unknown) => void>>)[event]?.(message.value.data);
  else message.issues.forEach(listener.onIssue);
  return message.ok;
}

export interface CastListener extends Omit<StreamListener<"cast">, "damaged"> {
  readonly onOpen: () => void;
  /** Whether this tab has the stream; other windows may have it instead. */
  readonly onActiveChange: (isHeard: boolean) => void;
}

/** Follows the events of a cast after the last received one. Returns a stop function. */
export function followCast(id: string, after: () => number, listener: CastListener): () => void {
  const stream = Symbol(id);
  const damaged = ({ line }: { readonly line: number }): void => {
    // A retry would get the same answer.
    stop();
    const message = `line ${line} of the journal is damaged; later events cannot be shown`;
    listener.onIssue(error("damaged_journal", `line ${line}`, message, `materia doctor ${id}`));
  };
  const unfollow = followWhileVisible(`/api/casts/${encodeURIComponent(id)}/events`, {
    after,
    onMessages: (messages) => {
      for (const message of messages)
        // Events after a missing one make no sense; a progress note may be missed.
        if (!hear("cast", message, { ...listener, damaged }) && message.event === "message") return stop();
    },
    onState: (state) => {
      if (state === "open") listener.onOpen();
      reportStreamState(stream, state);
    },
    onActiveChange: (isHeard) => {
      if (!isHeard) reportStreamState(stream, null);
      listener.onActiveChange(isHeard);
    },
  });
  const stop = (): void => {
    unfollow();
    reportStreamState(stream, null);
  };
  return stop;
}

/** [W38] Follows all casts while the page is open. */
export function followCasts(listener: StreamListener<"casts">): void {
  const stream = Symbol("casts");
  const since = new Set<string>();
  const noting: typeof listener = {
    ...listener,
    cast: (cast) => {
      since.add(cast.castId);
      listener.cast(cast);
    },
    gone: (cast) => {
      since.add(cast.castId);
      listener.gone(cast);
    },
  };
  followSharedStream("/api/casts/stream", {
    onState: (state) => reportStreamState(stream, state),
    onMessages: (messages) => messages.forEach((message) => hear("casts", message, noting)),
    onJoin: () => void join(),
  });
  const join = async (): Promise<void> => {
    const answer = await fetchJson("/api/casts", CastListResponse);
    if (!answer.ok) {
      reportStreamState(stream, answer.status === 401 ? "refused" : "lost");
      return answer.status === 200 ? answer.issues.forEach(listener.onIssue) : undefined;
    }
    // Messages since the request are newer than its response.
    for (const cast of answer.value) if (!since.has(cast.castId)) listener.cast(cast);
    reportStreamState(stream, "open");
    return listener.ready({});
  };
}

/** Searches one cast or, with null, all casts. Returns a stop function. */
export function searchCastTexts(
  { needle, castId }: { readonly needle: string; readonly castId: string | null },
  listener: StreamListener<"search">,
): () => void {
  const where = castId === null ? "/api/search" : `/api/casts/${encodeURIComponent(castId)}/search`;
  const over: typeof listener.over = (end) => {
    // A reconnect would start the search again.
    stop();
    listener.over(end);
  };
  const stop = followWithStatus("search", `${where}${queryString({ q: needle })}`, { ...listener, over });
  return stop;
}

/** [B29] Follows workers and queue of the fleet. Returns a stop function. */
export function followFleet(listener: StreamListener<"fleet">): () => void {
  return followWithStatus("fleet", "/api/fleet/stream", listener);
}

function followWithStatus<N extends StreamName>(name: N, path: string, listener: StreamListener<N>): () => void {
  const stream = Symbol(path);
  const stop = followStream(path, {
    onState: (state) => reportStreamState(stream, state),
    onMessages: (messages) => messages.forEach((message) => hear(name, message, listener)),
  });
  return () => {
    stop();
    reportStreamState(stream, null);
  };
}

const streamStates = new Map<symbol, StreamState>();
/** The time of the last message, in milliseconds. A change of it alone does not draw the page again. */
let lastHeardAt = Date.now();
/** The worst state of all streams. */
const connection = createStore<{ readonly state: "live" | "connecting" | "lost" | "refused"; readonly at: number }>({
  state: "connecting",
  at: lastHeardAt,
});

function reportStreamState(stream: symbol, state: StreamState | null): void {
  if (state === null || state === "gone") streamStates.delete(stream);
  else streamStates.set(stream, state);
  if (state === "open") recordServerActivity();
  const now = connection.get();
  const states = new Set(streamStates.values());
  const worst = states.has("refused") ? "refused" : states.has("lost") ? "lost" : "live";
  // Stay "lost" while reconnecting: the word must not flicker.
  const next = worst === "live" && states.has("connecting") ? now.state : worst;
  if (next !== now.state || lastHeardAt !== now.at) connection.set({ state: next, at: lastHeardAt });
  if (next === "live" && now.state === "lost") for (const listener of reconnectListeners) listener();
}

const reconnectListeners = new Set<() => void>();

/** Repeats failed requests when the server is reachable again. */
export function onReconnect(listener: () => void): void {
  reconnectListeners.add(listener);
}

function recordServerActivity(): void {
  lastHeardAt = Date.now();
}

export function useConnection() {
  return { state: useStore(connection).state, lastHeardAt };
}
