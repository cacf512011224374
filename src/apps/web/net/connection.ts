import { createStore, useStore } from "../browser/store.ts";
import type { StreamState } from "./stream.ts";

/** The worst state of all streams. */
export interface ServerConnection {
  readonly state: "live" | "connecting" | "lost" | "refused";
  /** The time of the last message, in milliseconds. */
  readonly lastHeardAt: number;
}

const streamStates = new Map<symbol, StreamState>();
const connection = createStore<ServerConnection>({ state: "connecting", lastHeardAt: Date.now() });
let lastHeardAt = Date.now();

export function reportStreamState(stream: symbol, state: StreamState | null): void {
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
export function recordServerActivity(): void {
  lastHeardAt = Date.now();
}

export function useConnection(): ServerConnection {
  return { ...useStore(connection), lastHeardAt };
}
