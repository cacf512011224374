import { useEffect, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import { createStore, useStore } from "../browser/store.ts";
import { firstView } from "../browser/first-view.ts";
import { followCasts, followFleet } from "../net/follow.ts";
import { loadCatalog } from "./use-catalog.ts";
import type { FleetStatus } from "../../../core/view/progress/fleet-status.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

const castsById = new Map<string, CastSummary>();
let isReady = false;
/** Of messages that could not be parsed. */
let issues: readonly Issue[] = [];
const castsStore = createStore({ casts: newestFirst(), isReady, issues });
let isFollowing = false;
let isPublishPending = false;

/** One list for the whole page, updated by the stream of the server. */
export function useCasts() {
  useEffect(() => void firstView.then(followCastsOnce), []);
  return useStore(castsStore);
}

/** Of the list itself, which is the first view. */
export function followCastsOnce(): void {
  if (isFollowing) return;
  isFollowing = true;
  followCasts({
    cast: (cast) => {
      castsById.set(cast.castId, cast);
      publishCasts();
    },
    gone: ({ castId }) => {
      castsById.delete(castId);
      publishCasts();
    },
    ready: () => {
      isReady = true;
      publishCasts();
    },
    config: () => void loadCatalog(),
    onIssue: (issue) => {
      issues = withIssue(issues, issue);
      publishCasts();
    },
  });
}

/** Reports an issue once, even if every cast has it. */
export function withIssue(issues: readonly Issue[], issue: Issue): readonly Issue[] {
  return issues.some(({ message }) => message === issue.message) ? issues : [...issues, issue];
}

/** The first rows of a long list are drawn at once, and then the whole of it. */
function publishCasts(): void {
  if (isPublishPending || (!isReady && castsStore.get().casts.length > 0)) return;
  isPublishPending = true;
  // Sort once for the many casts of one message.
  queueMicrotask(() => {
    isPublishPending = false;
    castsStore.set({ casts: newestFirst(), isReady, issues });
  });
}

function newestFirst(): readonly CastSummary[] {
  return [...castsById.values()].toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

/** [B29] Workers and queue of the fleet; followed only while `isWanted`. */
export function useFleetStatus(isWanted: boolean) {
  const [status, setStatus] = useState<FleetStatus | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  useEffect(
    () => (isWanted ? followFleet({ fleet: setStatus, onIssue: (issue) => setIssues([issue]) }) : undefined),
    [isWanted],
  );
  return { status, issues };
}
