import { useEffect, useState } from "react";
import type { Issue } from "../../../../core/model/issue.ts";
import type { FleetStanding } from "../../../../core/view/now/fleet.ts";
import { followFleet } from "../net/api.ts";

interface StandingAnswer {
  readonly standing: FleetStanding | null;
  readonly issues: readonly Issue[];
}

/** [B29] Who works on what, and what waits for whom; asked only while somebody wants to know. */
export function useStanding(isWanted: boolean): StandingAnswer {
  const [standing, setStanding] = useState<FleetStanding | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  useEffect(
    () => (isWanted ? followFleet({ onStanding: setStanding, onIssue: (issue) => setIssues([issue]) }) : undefined),
    [isWanted],
  );
  return { standing, issues };
}
