import { useEffect, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import { createStore, useStore } from "../browser/store.ts";
import { followCasts, followFleet } from "../net/follow.ts";
import { loadCatalog } from "./use-catalog.ts";
import type { FleetStatus } from "../../../core/view/progress/fleet-status.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

export interface CastsState {
  /** Newest first. */
  readonly casts: readonly CastSummary[];
  /** Whether the list is known; until then it is empty for want of an answer. */
  readonly isReady: boolean;
  /** What the server said of them that could not be read. */
  readonly issues: readonly Issue[];
}

const castsById = new Map<string, CastSummary>();
const castsStore = createStore<CastsState>({ casts: [], isReady: false, issues: [] });
let isReady = false;
let issues: readonly Issue[] = [];
let isFollowing = false;
let isPublishPending = false;

/** One list for the whole page, kept by the server's stream. */
export function useCasts(): CastsState {
  useEffect(followCastsOnce, []);
  return useStore(castsStore);
}

function followCastsOnce(): void {
  if (isFollowing) return;
  isFollowing = true;
  followCasts({
    onCast: (cast) => {
      castsById.set(cast.castId, cast);
      publishCasts();
    },
    onGone: (castId) => {
      castsById.delete(castId);
      publishCasts();
    },
    onReady: () => {
      isReady = true;
      publishCasts();
    },
    onConfig: () => void loadCatalog(),
    onIssue: (issue) => {
      // The same fault in every cast is one problem to a person.
      if (!issues.some(({ message }) => message === issue.message)) issues = [...issues, issue];
      publishCasts();
    },
  });
}

/** Many casts arrive at once at first: the list is sorted once for all of them. */
function publishCasts(): void {
  if (isPublishPending) return;
  isPublishPending = true;
  queueMicrotask(() => {
    isPublishPending = false;
    const casts = [...castsById.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
    castsStore.set({ casts, isReady, issues });
  });
}

interface FleetStatusAnswer {
  readonly status: FleetStatus | null;
  readonly issues: readonly Issue[];
}

/** [B29] Who works on what, and what waits for whom; asked only while somebody wants to know. */
export function useFleetStatus(isWanted: boolean): FleetStatusAnswer {
  const [standing, setStanding] = useState<FleetStatus | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  useEffect(
    () => (isWanted ? followFleet({ onStanding: setStanding, onIssue: (issue) => setIssues([issue]) }) : undefined),
    [isWanted],
  );
  return { status: standing, issues };
}
