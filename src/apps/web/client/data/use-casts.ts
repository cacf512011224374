import { useEffect } from "react";
import type { Issue } from "../../../../core/model/issue.ts";
import type { CastSummary } from "../../../../core/view/casts.ts";
import { openStore, useStore } from "../browser/store.ts";
import { followCasts } from "../net/api.ts";
import { readCatalog } from "./use-catalog.ts";

export interface Casts {
  /** Newest first. */
  readonly casts: readonly CastSummary[];
  /** Whether the list is known; until then it is empty for want of an answer. */
  readonly isReady: boolean;
  /** What the server said of them that could not be read. */
  readonly issues: readonly Issue[];
}

const known = new Map<string, CastSummary>();
const list = openStore<Casts>({ casts: [], isReady: false, issues: [] });
let isReady = false;
let issues: readonly Issue[] = [];
let isFollowed = false;
let waits = false;

/** One list for the whole page, kept by the server's stream. */
export function useCasts(): Casts {
  useEffect(followOnce, []);
  return useStore(list);
}

function followOnce(): void {
  if (isFollowed) return;
  isFollowed = true;
  followCasts({
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
    onConfig: () => void readCatalog(),
    onIssue: (issue) => {
      // The same fault in every cast is one problem to a person.
      if (!issues.some(({ message }) => message === issue.message)) issues = [...issues, issue];
      publish();
    },
  });
}

/** Many casts arrive at once at first: the list is sorted once for all of them. */
function publish(): void {
  if (waits) return;
  waits = true;
  queueMicrotask(() => {
    waits = false;
    const casts = [...known.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
    list.set({ casts, isReady, issues });
  });
}
