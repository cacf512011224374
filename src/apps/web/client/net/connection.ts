import { openStore, useStore } from "../browser/store.ts";
import type { StreamState } from "./stream.ts";

/** Whether the page hears the server: the worst of all its streams. */
export interface Connection {
  readonly state: "live" | "connecting" | "lost" | "refused";
  /** When something was last heard, in milliseconds. */
  readonly heardAt: number;
}

const streams = new Map<symbol, StreamState>();
const connection = openStore<Connection>({ state: "connecting", heardAt: Date.now() });
let heardAt = Date.now();

export function reportStream(stream: symbol, state: StreamState | null): void {
  if (state === null || state === "gone") streams.delete(stream);
  else streams.set(stream, state);
  if (state === "open") serverAnswered();
  const now = connection.get();
  const states = new Set(streams.values());
  const worst = states.has("refused") ? "refused" : states.has("lost") ? "lost" : "live";
  // While it tries again it is still lost: the word must not flicker.
  const next = worst === "live" && states.has("connecting") ? now.state : worst;
  if (next !== now.state || heardAt !== now.heardAt) connection.set({ state: next, heardAt });
  if (next === "live" && now.state === "lost") for (const listener of backs) listener();
}

const backs = new Set<() => void>();

/** Called when the server answers again: what was asked for meanwhile is asked for anew. */
export function onServerBack(listener: () => void): void {
  backs.add(listener);
}

/** Every message counts, and none of them is worth drawing the page anew. */
export function serverAnswered(): void {
  heardAt = Date.now();
}

export function useConnection(): Connection {
  return { ...useStore(connection), heardAt };
}
