import { useSyncExternalStore } from "react";
import type { StreamState } from "./stream.ts";

/** Whether the page hears the server: the worst of all its streams. */
export interface Connection {
  readonly state: "live" | "connecting" | "lost" | "refused";
  /** When something was last heard, in milliseconds. */
  readonly heardAt: number;
}

const streams = new Map<symbol, StreamState>();
const listeners = new Set<() => void>();
let now: Connection = { state: "connecting", heardAt: Date.now() };

export function reportStream(stream: symbol, state: StreamState | null): void {
  if (state === null) streams.delete(stream);
  else streams.set(stream, state);
  const states = new Set(streams.values());
  const worst = states.has("refused") ? "refused" : states.has("lost") ? "lost" : "live";
  // While it tries again it is still lost: the word must not flicker.
  const next = worst === "live" && states.has("connecting") ? (now.state === "live" ? "live" : now.state) : worst;
  const heardAt = state === "open" ? Date.now() : now.heardAt;
  if (next === now.state && heardAt === now.heardAt) return;
  now = { state: next, heardAt };
  for (const listener of listeners) listener();
}

export function heard(): void {
  now = { ...now, heardAt: Date.now() };
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}
