import { fetchAuthenticated } from "./authentication.ts";

/** One message of the server: its kind, its text and, for journal events, the number. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** `gone`: the followed thing no longer exists; the connection is fine. */
export type StreamState = "connecting" | "open" | "lost" | "refused" | "gone";

export interface StreamOptions {
  readonly onMessage: (message: ServerSentEvent) => void;
  readonly onState?: (state: StreamState) => void;
  /** The number of the last received event. */
  readonly after?: () => number;
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

/** Follows a stream until stopped; reconnects after the last event. Returns a stop function. */
export function followStream(path: string, { onMessage, onState = () => undefined, after }: StreamOptions): () => void {
  const control = new AbortController();
  const run = async (): Promise<void> => {
    let wait = FIRST_RETRY_MS;
    while (!control.signal.aborted) {
      onState("connecting");
      const ended = await readStream(path, {
        signal: control.signal,
        after,
        onMessage,
        onOpen: () => {
          wait = FIRST_RETRY_MS;
          onState("open");
        },
      });
      if (control.signal.aborted) return;
      onState(ended);
      if (ended !== "lost") return;
      await waitForRetry(wait, control.signal);
      wait = Math.min(wait * 2, MAX_RETRY_MS);
    }
  };
  void run();
  return () => control.abort();
}

interface ListenOptions {
  readonly signal: AbortSignal;
  readonly after: (() => number) | undefined;
  readonly onMessage: (message: ServerSentEvent) => void;
  readonly onOpen: () => void;
}

async function readStream(
  path: string,
  { signal, after, onMessage, onOpen }: ListenOptions,
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
    const parse = createEventParser(onMessage);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parse(piece.value);
    return "lost";
  } catch {
    return "lost";
  }
}

function createEventParser(onMessage: (message: ServerSentEvent) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const blocks = `${rest}${text}`.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const message = parseEvent(block);
      if (message) onMessage(message);
    }
  };
}

function parseEvent(block: string): ServerSentEvent | undefined {
  let [event, id]: [string, string | null] = ["message", null];
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
    if (name === "event") event = value;
    else if (name === "id") id = value;
    else if (name === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, id, data: data.join("\n") };
}

function waitForRetry(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    // Retry when the person returns or the network is back.
    window.addEventListener("online", () => resolve(), { once: true, signal });
  });
}
