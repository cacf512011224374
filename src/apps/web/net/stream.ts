import { fetchAuthenticated } from "./request.ts";

export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** `gone`: the followed thing no longer exists; the connection is fine. */
export type StreamState = "connecting" | "open" | "lost" | "refused" | "gone";

interface StreamOptions {
  /** The messages of one piece that arrived. */
  readonly onMessages: (messages: readonly ServerSentEvent[]) => void;
  readonly onState: (state: StreamState) => void;
  readonly after?: () => number;
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/** Follows a stream until stopped; reconnects after the last event. Returns a stop function. */
export function followStream(path: string, options: StreamOptions): () => void {
  const { onState } = options;
  const control = new AbortController();
  const { signal } = control;
  const run = async (): Promise<void> => {
    let wait = FIRST_RETRY_MS;
    const onOpen = (): void => {
      wait = FIRST_RETRY_MS;
      onState("open");
    };
    while (!signal.aborted) {
      onState("connecting");
      const ended = await readStream(path, options, { signal, onOpen });
      if (signal.aborted) return;
      onState(ended);
      if (ended !== "lost") return;
      // Retry at once when the network is back.
      await nextEvent(window, "online", AbortSignal.any([signal, AbortSignal.timeout(wait)]));
      wait = Math.min(wait * 2, MAX_RETRY_MS);
    }
  };
  void run();
  return () => control.abort();
}

async function readStream(
  path: string,
  { after, onMessages }: StreamOptions,
  { signal, onOpen }: { readonly signal: AbortSignal; readonly onOpen: () => void },
): Promise<"lost" | "refused" | "gone"> {
  try {
    const response = await fetchAuthenticated(path, {
      signal,
      headers: { accept: "text/event-stream", ...(after ? { "last-event-id": `${after()}` } : {}) },
    });
    if (response.status === 401) return "refused";
    if (response.status === 404) return "gone";
    // Retry: a broken configuration can be fixed without a restart.
    if (!response.ok || !response.body) return "lost";
    onOpen();
    const parse = createEventParser(onMessages);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parse(piece.value);
    return "lost";
  } catch {
    return "lost";
  }
}

function createEventParser(onMessages: StreamOptions["onMessages"]): (text: string) => void {
  let rest = "";
  return (text) => {
    const blocks = `${rest}${text}`.split("\n\n");
    rest = blocks.pop() ?? "";
    const messages = blocks.flatMap((block) => parseEvent(block) ?? []);
    if (messages.length > 0) onMessages(messages);
  };
}

function parseEvent(block: string): ServerSentEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}

/**
 * [W38] A browser opens six connections to a server for all its tabs, and every open stream holds one.
 * So all tabs share one stream of the list of casts, and only visible tabs follow their cast.
 */

/**
 * Follows a stream that all tabs share: one tab has it and forwards the messages; when it closes, another takes over.
 * `onJoin` is called when another tab has it already: fetch the earlier state.
 */
export function followSharedStream(
  path: string,
  { onMessages, onState, onJoin }: StreamOptions & { readonly onJoin: () => void },
): void {
  type TabMessage = { readonly messages: readonly ServerSentEvent[] } | { readonly state: StreamState };
  const channel = new BroadcastChannel(`materia ${path}`);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches only its own origin
  const tell = (told: TabMessage): void => channel.postMessage(told);
  let isLeading = false;
  const lead = (): Promise<void> =>
    new Promise((resolve) => {
      isLeading = true;
      followStream(path, {
        onMessages: (messages) => {
          tell({ messages });
          onMessages(messages);
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
    else onMessages(data.messages);
  });
  void navigator.locks.request(`materia ${path}`, { ifAvailable: true }, async (lock) => {
    if (lock) return lead();
    onJoin();
    void navigator.locks.request(`materia ${path}`, lead);
  });
}

/** With the list of casts this makes four of six connections: two stay free for requests. */
const STREAM_SLOTS = ["materia stream 1", "materia stream 2", "materia stream 3"];

/**
 * Follows a stream while this tab is visible; continues after the last event. Returns a stop function.
 * `onActiveChange` gets false while the tab is hidden, or after three other windows were used.
 */
export function followWhileVisible(
  path: string,
  { onActiveChange, ...options }: StreamOptions & { readonly onActiveChange: (isHeard: boolean) => void },
): () => void {
  const control = new AbortController();
  const { signal } = control;
  const hear = async (robbed: AbortSignal): Promise<void> => {
    const over = AbortSignal.any([signal, robbed]);
    onActiveChange(true);
    const stop = followStream(path, options);
    while (!over.aborted && !document.hidden) await nextEvent(document, "visibilitychange", over);
    stop();
    if (!signal.aborted) onActiveChange(false);
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
