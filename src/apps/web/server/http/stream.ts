/** What one listener is sent, taken when there is room for it: a slow one holds nothing but its place. */
export interface Feed {
  /** The next piece; nothing where there is none yet. */
  readonly next: () => string | undefined;
  readonly isOver: () => boolean;
  readonly close: () => void;
}

/** [N20] Server-sent events. `wake` says that there may be more; after the connection is gone nothing is kept for it. */
export function streamOf(open: (wake: () => void) => Feed): Response {
  const encoder = new TextEncoder();
  let woken = (): void => undefined;
  let isOpen = true;
  const feed = open(() => woken());
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    feed.close();
    woken();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode("retry: 1000\n\n")),
      pull: async (controller) => {
        while (isOpen) {
          // Made before looking: what comes in between must not be slept through.
          const more = new Promise<void>((resolve) => {
            woken = resolve;
          });
          const piece = feed.next();
          if (piece !== undefined) return controller.enqueue(encoder.encode(piece));
          if (feed.isOver()) {
            close();
            return controller.close();
          }
          await more;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

export function frame({ event, id, data }: { event?: string; id?: number; data: string }): string {
  return `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}
