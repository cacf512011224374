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
  /** False until the first list has arrived. */
  readonly isReady: boolean;
  /** Issues of messages that could not be parsed. */
  readonly issues: readonly Issue[];
}

const castsById = new Map<string, CastSummary>();
const castsStore = createStore<CastsState>({ casts: [], isReady: false, issues: [] });
let isReady = false;
let issues: readonly Issue[] = [];
let isFollowing = false;
let isPublishPending = false;

/** One list for the whole page, updated by the stream of the server. */
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
      // Report an issue once, even if every cast has it.
      if (!issues.some(({ message }) => message === issue.message)) issues = [...issues, issue];
      publishCasts();
    },
  });
}

/** Sort once for the many casts of the first load. */
function publishCasts(): void {
  if (isPublishPending) return;
  isPublishPending = true;
  queueMicrotask(() => {
    isPublishPending = false;
    const casts = [...castsById.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
    castsStore.set({ casts, isReady, issues });
  });
}

/** [B29] Workers and queue of the fleet; followed only while `isWanted`. */
export function useFleetStatus(isWanted: boolean) {
  const [standing, setStanding] = useState<FleetStatus | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  useEffect(
    () => (isWanted ? followFleet({ onStanding: setStanding, onIssue: (issue) => setIssues([issue]) }) : undefined),
    [isWanted],
  );
  return { status: standing, issues };
}
