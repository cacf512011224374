import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { error, type Issue } from "../../../core/model/issue.ts";
import type { FleetStatus } from "../../../core/view/progress/fleet-status.ts";
import { CastListResponse } from "../../../core/wire/casts.ts";
import { readStreamMessage, type AgentProgress, type SearchEnd, type SearchHit } from "../../../core/wire/stream.ts";
import { fetchJson, queryString } from "./request.ts";
import {
  followSharedStream,
  followWhileVisible,
  followStream,
  type ServerSentEvent,
  type StreamState,
} from "./stream.ts";
import { createStore, useStore } from "../browser/store.ts";

/** The handlers of a stream; a playback needs only events and issues. */
export interface CastListener {
  /** The number of the last received event. */
  readonly after: () => number;
  readonly onEvent: (event: CastEvent) => void;
  readonly onProgress?: (progress: AgentProgress) => void;
  readonly onLive?: (live: boolean) => void;
  readonly onItem?: (item: { readonly child: string; readonly socket: string }) => void;
  /** The journal was replaced: load everything again. */
  readonly onReset?: () => void;
  /** A message or the journal cannot be parsed. */
  readonly onIssue: (issue: Issue) => void;
  /** The stream is open, or open again. */
  readonly onOpen?: () => void;
  /** Whether this tab has the stream; other windows may have it instead. */
  readonly onActiveChange?: (isHeard: boolean) => void;
}

/** Follows the events of a cast after the last received one. Returns a stop function. */
export function followCast(id: string, listener: CastListener): () => void {
  const stream = Symbol(id);
  const hear = ({ event, data }: ServerSentEvent): void => {
    recordServerActivity();
    const message = readStreamMessage("cast", event, data);
    if (!message.ok) {
      // Events after a missing one make no sense; a progress note may be missed.
      if (event === "message") stop();
      return message.issues.forEach(listener.onIssue);
    }
    switch (message.value.kind) {
      case "message":
        return listener.onEvent(message.value.data);
      case "progress":
        return listener.onProgress?.(message.value.data);
      case "live":
        return listener.onLive?.(message.value.data.live);
      case "item":
        return listener.onItem?.(message.value.data);
      case "reset":
        return listener.onReset?.();
      case "damaged":
        // A retry would get the same answer.
        stop();
        return listener.onIssue(damagedJournalIssue(id, message.value.data.line));
    }
  };
  const unfollow = followWhileVisible(`/api/casts/${encodeURIComponent(id)}/events`, {
    after: listener.after,
    onMessage: hear,
    onState: (state) => {
      if (state === "open") listener.onOpen?.();
      reportStreamState(stream, state);
    },
    onActiveChange: (isHeard) => {
      if (!isHeard) reportStreamState(stream, null);
      listener.onActiveChange?.(isHeard);
    },
  });
  const stop = (): void => {
    unfollow();
    reportStreamState(stream, null);
  };
  return stop;
}

function damagedJournalIssue(id: string, line: number): Issue {
  const message = `line ${line} of the journal is damaged; later events cannot be shown`;
  return error("damaged_journal", `line ${line}`, message, `materia doctor ${id}`);
}

export interface CastsListener {
  readonly onCast: (cast: CastSummary) => void;
  readonly onGone: (castId: string) => void;
  readonly onReady: () => void;
  /** A configuration file changed. */
  readonly onConfig: () => void;
  readonly onIssue: (issue: Issue) => void;
}

/** [W38] Follows all casts while the page is open. */
export function followCasts({ onCast, onGone, onReady, onConfig, onIssue }: CastsListener): void {
  const stream = Symbol("casts");
  const since = new Set<string>();
  followSharedStream("/api/casts/stream", {
    onState: (state) => reportStreamState(stream, state),
    onMessage: ({ event, data }) => {
      recordServerActivity();
      const message = readStreamMessage("casts", event, data);
      if (!message.ok) return message.issues.forEach(onIssue);
      switch (message.value.kind) {
        case "cast":
          since.add(message.value.data.castId);
          return onCast(message.value.data);
        case "gone":
          since.add(message.value.data.castId);
          return onGone(message.value.data.castId);
        case "ready":
          return onReady();
        case "config":
          return onConfig();
      }
    },
    onJoin: () => void join(),
  });
  const join = async (): Promise<void> => {
    const answer = await fetchJson("/api/casts", CastListResponse);
    if (!answer.ok) {
      reportStreamState(stream, answer.status === 401 ? "refused" : "lost");
      return answer.status === 200 ? answer.issues.forEach(onIssue) : undefined;
    }
    // Messages since the request are newer than its response.
    for (const cast of answer.value) if (!since.has(cast.castId)) onCast(cast);
    reportStreamState(stream, "open");
    return onReady();
  };
}

export interface SearchListener {
  readonly onFound: (found: SearchHit) => void;
  readonly onDone: (over: SearchEnd) => void;
  readonly onIssue: (issue: Issue) => void;
}

/** Searches one cast or, with null, all casts. Returns a stop function. */
export function searchCastTexts(
  { needle, castId }: { readonly needle: string; readonly castId: string | null },
  { onFound, onDone: onOver, onIssue }: SearchListener,
): () => void {
  const where = castId === null ? "/api/search" : `/api/casts/${encodeURIComponent(castId)}/search`;
  const stop = followWithStatus(`${where}${queryString({ q: needle })}`, ({ event, data }) => {
    const message = readStreamMessage("search", event, data);
    if (!message.ok) return message.issues.forEach(onIssue);
    if (message.value.kind === "found") return onFound(message.value.data);
    // A reconnect would start the search again.
    stop();
    return onOver(message.value.data);
  });
  return stop;
}

/** [B29] Follows workers and queue of the fleet. Returns a stop function. */
export function followFleet(listener: {
  readonly onStanding: (standing: FleetStatus) => void;
  readonly onIssue: (issue: Issue) => void;
}): () => void {
  return followWithStatus("/api/fleet/stream", ({ event, data }) => {
    const message = readStreamMessage("fleet", event, data);
    if (message.ok) listener.onStanding(message.value.data);
    else message.issues.forEach(listener.onIssue);
  });
}

function followWithStatus(path: string, onMessage: (message: ServerSentEvent) => void): () => void {
  const stream = Symbol(path);
  const stop = followStream(path, {
    onState: (state) => reportStreamState(stream, state),
    onMessage: (message) => {
      recordServerActivity();
      onMessage(message);
    },
  });
  return () => {
    stop();
    reportStreamState(stream, null);
  };
}

/** The worst state of all streams. */
export interface ServerConnection {
  readonly state: "live" | "connecting" | "lost" | "refused";
  /** The time of the last message, in milliseconds. */
  readonly lastHeardAt: number;
}

const streamStates = new Map<symbol, StreamState>();
const connection = createStore<ServerConnection>({ state: "connecting", lastHeardAt: Date.now() });
let lastHeardAt = Date.now();

function reportStreamState(stream: symbol, state: StreamState | null): void {
  if (state === null || state === "gone") streamStates.delete(stream);
  else streamStates.set(stream, state);
  if (state === "open") recordServerActivity();
  const now = connection.get();
  const states = new Set(streamStates.values());
  const worst = states.has("refused") ? "refused" : states.has("lost") ? "lost" : "live";
  // Stay "lost" while reconnecting: the word must not flicker.
  const next = worst === "live" && states.has("connecting") ? now.state : worst;
  if (next !== now.state || lastHeardAt !== now.lastHeardAt) connection.set({ state: next, lastHeardAt });
  if (next === "live" && now.state === "lost") for (const listener of reconnectListeners) listener();
}

const reconnectListeners = new Set<() => void>();

/** Called when the server is reachable again, to repeat failed requests. */
export function onReconnect(listener: () => void): void {
  reconnectListeners.add(listener);
}

/** Records a message without a redraw of the page. */
function recordServerActivity(): void {
  lastHeardAt = Date.now();
}

export function useConnection(): ServerConnection {
  return { ...useStore(connection), lastHeardAt };
}
