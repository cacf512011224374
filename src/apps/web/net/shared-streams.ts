/**
 * [W38] A browser opens six connections to a server for all its tabs, and every open stream holds one.
 * So all tabs share one stream of the list of casts, and only visible tabs follow their cast.
 */
import { followStream, type ServerSentEvent, type StreamOptions, type StreamState } from "./stream.ts";

/** Messages from the tab that has the stream to the other tabs. */
type TabMessage = { readonly message: ServerSentEvent } | { readonly state: StreamState };

/**
 * Follows a stream that all tabs share: one tab has it and forwards the messages; when it closes, another takes over.
 * `onJoin` is called when another tab has it already: fetch the earlier state.
 */
export function followSharedStream(path: string, { onMessage, onState, onJoin }: SharedStreamOptions): void {
  const channel = new BroadcastChannel(`materia ${path}`);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches only its own origin
  const tell = (told: TabMessage): void => channel.postMessage(told);
  let isLeading = false;
  const lead = (): Promise<void> =>
    new Promise((resolve) => {
      isLeading = true;
      followStream(path, {
        onMessage: (message) => {
          tell({ message });
          onMessage(message);
        },
        onState: (state) => {
          onState(state);
          // A tab without access reports that only here, and leaves the stream to another tab.
          if (state === "refused" || state === "gone") resolve();
          else tell({ state });
        },
      });
    });
  channel.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    if (isLeading) return;
    if ("state" in data) onState(data.state);
    else onMessage(data.message);
  });
  void navigator.locks.request(`materia ${path}`, { ifAvailable: true }, async (lock) => {
    if (lock) return lead();
    onJoin();
    void navigator.locks.request(`materia ${path}`, lead);
  });
}

interface SharedStreamOptions {
  readonly onMessage: (message: ServerSentEvent) => void;
  readonly onState: (state: StreamState) => void;
  readonly onJoin: () => void;
}

/** With the list of casts this makes four of six connections: two stay free for requests. */
const STREAM_SLOTS = ["materia stream 1", "materia stream 2", "materia stream 3"];

export interface VisibleStreamOptions extends StreamOptions {
  /** False while the tab is hidden, or after three other windows were used. */
  readonly onActiveChange: (isHeard: boolean) => void;
}

/** Follows a stream while this tab is visible; continues after the last event. Returns a stop function. */
export function followWhileVisible(
  path: string,
  { onActiveChange: onHeard, ...options }: VisibleStreamOptions,
): () => void {
  const control = new AbortController();
  const { signal } = control;
  const hear = async (robbed: AbortSignal): Promise<void> => {
    const over = AbortSignal.any([signal, robbed]);
    onHeard(true);
    const stop = followStream(path, options);
    while (!over.aborted && !document.hidden) await nextEvent(document, "visibilitychange", over);
    stop();
    if (!signal.aborted) onHeard(false);
  };
  const run = async (): Promise<void> => {
    // The window that was used last takes a connection from another.
    let mayTake = true;
    while (!signal.aborted) {
      if (document.hidden) {
        await nextEvent(document, "visibilitychange", signal);
        mayTake = true;
        continue;
      }
      const held = await withStreamSlot(mayTake, hear);
      if (held === "robbed") mayTake = false;
      if (held === "taken") mayTake = await waitForFocusOrSlot(signal);
    }
  };
  void run();
  return () => control.abort();
}

type SlotOutcome = "over" | "robbed" | "taken";

async function withStreamSlot(mayTake: boolean, hear: (robbed: AbortSignal) => Promise<void>): Promise<SlotOutcome> {
  for (const place of STREAM_SLOTS) {
    const held = await holdSlot(place, { ifAvailable: true }, hear);
    if (held !== "taken") return held;
  }
  const any = STREAM_SLOTS[Math.floor(Math.random() * STREAM_SLOTS.length)] ?? "";
  return mayTake ? holdSlot(any, { steal: true }, hear) : "taken";
}

async function holdSlot(
  place: string,
  options: LockOptions,
  hear: (robbed: AbortSignal) => Promise<void>,
): Promise<SlotOutcome> {
  const robbed = new AbortController();
  try {
    return await navigator.locks.request(place, options, async (lock): Promise<SlotOutcome> => {
      if (!lock) return "taken";
      await hear(robbed.signal);
      return "over";
    });
  } catch {
    // A lock is lost only when another window steals it.
    robbed.abort();
    return "robbed";
  }
}

/** Waits until this window is focused (true) or a connection is free. */
async function waitForFocusOrSlot(signal: AbortSignal): Promise<boolean> {
  const settled = new AbortController();
  const over = AbortSignal.any([signal, settled.signal]);
  const looked = nextEvent(window, "focus", over).then(() => true);
  const shown = nextEvent(document, "visibilitychange", over).then(() => true);
  const free = Promise.any(
    STREAM_SLOTS.map((place) => navigator.locks.request(place, { signal: over }, () => false)),
  ).catch(() => false);
  const isLooked = await Promise.race([looked, shown, free]);
  settled.abort();
  return isLooked;
}

function nextEvent(target: EventTarget, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    target.addEventListener(event, () => resolve(), { once: true, signal });
    return undefined;
  });
}
