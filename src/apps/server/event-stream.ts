import type { Context } from "hono";
import type { StreamMessage } from "../../core/wire/stream.ts";

/** The pieces of one stream, read only when the connection has room: a slow listener buffers nothing. */
export interface EventFeed {
  /** The next piece; undefined if there is none yet. */
  readonly next: () => Promise<string | undefined>;
  readonly isOver?: () => boolean;
  readonly close: () => void;
}

export function changeFlag(wake: () => void, isSet = true) {
  return {
    set: (): void => {
      isSet = true;
      wake();
    },
    take: (): boolean => {
      const was = isSet;
      isSet = false;
      return was;
    },
  };
}

/** [N25] Server-sent events. `wake` announces more pieces; a closed connection releases everything. */
export function streamFeed(c: Context, open: (wake: () => void) => EventFeed): Response {
  const listener = createFeedReader(open);
  const { signal } = c.req.raw;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        signal.addEventListener("abort", listener.close, { once: true });
        // The connection may already be closed.
        const piece = signal.aborted ? undefined : await listener.piece();
        if (piece !== undefined) return controller.enqueue(ENCODER.encode(piece));
        listener.close();
        return controller.close();
      },
      cancel: listener.close,
    },
    // Open and read only on demand: a `HEAD` request never reads.
    { highWaterMark: 0 },
  );
  return c.body(body, 200, { "content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked" });
}

const ENCODER = new TextEncoder();

function createFeedReader(open: (wake: () => void) => EventFeed) {
  const state: { feed?: EventFeed; isClosed: boolean; resume?: () => void } = { isClosed: false };
  const wake = (): void => state.resume?.();
  const next = async (): Promise<string | undefined> => {
    if (!state.feed) {
      state.feed = open(wake);
      return "retry: 1000\n\n";
    }
    while (!state.isClosed) {
      // Create the promise before the look: a wake-up in between must not be missed.
      const { promise, resolve } = Promise.withResolvers<void>();
      state.resume = resolve;
      const piece = await state.feed.next();
      if (piece !== undefined) return piece;
      if (state.feed.isOver?.()) return undefined;
      await promise;
    }
    return undefined;
  };
  const close = (): void => {
    if (state.isClosed) return;
    state.isClosed = true;
    state.feed?.close();
    wake();
  };
  return {
    piece: async () => {
      try {
        return await next();
      } catch (thrown) {
        close();
        throw thrown;
      }
    },
    close,
  };
}

export function sseFrame({ event, id, data }: { event?: string; id?: number; data: string }): string {
  return `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

export function encodeMessage({ kind, data }: Exclude<StreamMessage, { kind: "message" }>): string {
  return sseFrame({ event: kind, data: JSON.stringify(data) });
}
