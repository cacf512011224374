import { useSyncExternalStore } from "react";
import type { CastSummary } from "../../../../core/view/casts.ts";
import { followCasts } from "../net/api.ts";

export interface Casts {
  /** Newest first. */
  readonly casts: readonly CastSummary[];
  /** Whether the list is known; until then it is empty for want of an answer. */
  readonly isReady: boolean;
}

const known = new Map<string, CastSummary>();
const listeners = new Set<() => void>();
let now: Casts = { casts: [], isReady: false };
let isReady = false;
let stop: (() => void) | undefined;
let waits = false;

/** One list for the whole page, kept by the server's stream. */
export function useCasts(): Casts {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  stop ??= followCasts({
    onCast: (cast) => {
      known.set(cast.castId, cast);
      publish();
    },
    onGone: (castId) => {
      known.delete(castId);
      publish();
    },
    onReady: () => {
      isReady = true;
      publish();
    },
  });
  return () => {
    listeners.delete(listener);
  };
}

/** Many casts arrive at once at first: the list is sorted once for all of them. */
function publish(): void {
  if (waits) return;
  waits = true;
  queueMicrotask(() => {
    waits = false;
    const casts = [...known.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
    now = { casts, isReady };
    for (const listener of listeners) listener();
  });
}
