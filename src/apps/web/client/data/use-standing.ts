import { useEffect, useState } from "react";
import type { Issue } from "../../../../core/model/issue.ts";
import type { FleetStatus } from "../../../../core/view/now/fleet.ts";
import { followFleet } from "../net/api.ts";

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
