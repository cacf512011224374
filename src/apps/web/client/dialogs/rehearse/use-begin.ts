import { useState } from "react";
import type { Issue } from "../../../../../core/model/issue.ts";
import type { RehearsalRequest } from "../../../../../core/wire/commands.ts";
import { sendWithTrust } from "../../data/trust.ts";
import { startRehearsal } from "../../net/api.ts";

/** Starts the rehearsal, or keeps why it was refused. */
export function useStartRehearsal(onBegun: (castId: string) => void): {
  readonly begin: (body: RehearsalRequest) => Promise<void>;
  readonly busy: boolean;
  readonly issues: readonly Issue[];
} {
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const begin = async (body: RehearsalRequest): Promise<void> => {
    setBusy(true);
    const answer = await sendWithTrust((trust) => startRehearsal({ ...body, ...(trust ? { trust } : {}) }));
    setBusy(false);
    if (answer.ok && "castId" in answer.value) onBegun(answer.value.castId);
    else setIssues(answer.ok ? [] : answer.issues);
  };
  return { begin, busy, issues };
}
