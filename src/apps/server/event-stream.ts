import type { Context } from "hono";
import type { StreamMessage } from "../../core/wire/stream.ts";

/** What one listener is sent, taken when there is room for it: a slow one holds nothing but its place. */
export interface EventFeed {
  /** The next piece; nothing where there is none yet. */
  readonly next: () => Promise<string | undefined>;
  readonly isOver: () => boolean;
  readonly close: () => void;
}

/** [N25] Server-sent events. `wake` says that there may be more; when the connection is gone nothing is kept for it. */
export function streamFeed(c: Context, open: (wake: () => void) => EventFeed): Response {
  const listener = createFeedReader(open);
  const { signal } = c.req.raw;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        signal.addEventListener("abort", listener.close, { once: true });
        // The connection may have gone before anybody could say so.
        const piece = signal.aborted ? undefined : await listener.piece();
        if (piece !== undefined) return controller.enqueue(ENCODER.encode(piece));
        listener.close();
        return controller.close();
      },
      cancel: listener.close,
    },
    // Nothing is opened and nothing is read before somebody takes it: a `HEAD` never does.
    { highWaterMark: 0 },
  );
  return c.body(body, 200, { "content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked" });
}

const ENCODER = new TextEncoder();

interface FeedReader {
  /** The next piece, as soon as there is one; nothing when it is over. */
  readonly piece: () => Promise<string | undefined>;
  readonly close: () => void;
}

function createFeedReader(open: (wake: () => void) => EventFeed): FeedReader {
  const state: { feed?: EventFeed; isClosed: boolean; resume?: () => void } = { isClosed: false };
  const wake = (): void => state.resume?.();
  const next = async (): Promise<string | undefined> => {
    if (!state.feed) {
      state.feed = open(wake);
      return "retry: 1000\n\n";
    }
    while (!state.isClosed) {
      // Made before looking: what comes in between must not be slept through.
      const { promise, resolve } = Promise.withResolvers<void>();
      state.resume = resolve;
      const piece = await state.feed.next();
      if (piece !== undefined) return piece;
      if (state.feed.isOver()) return undefined;
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

function sseFrame({ event, id, data }: { event?: string; id?: number; data: string }): string {
  return `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

/** A message of a stream as it goes over the wire. */
export function encodeMessage({ kind, data }: Exclude<StreamMessage, { kind: "message" }>): string {
  return sseFrame({ event: kind, data: JSON.stringify(data) });
}

/** A line of the journal as it stands in the file: it has been read as an event, and is not written anew. */
export function encodeJournalLine(seq: number, line: string): string {
  return sseFrame({ id: seq, data: line });
}
