import { endProcesses } from "./process-group.ts";
import { processesWithVariable } from "./process-table.ts";
import { VISIT_VARIABLE } from "./visit-secret.ts";

/** [D24] Ends whatever was started for a visit, also what left its process group and its parent; nothing where it has no secret. */
export async function endVisitProcesses(secret: string | undefined, graceMs: number): Promise<void> {
  if (secret !== undefined) await endProcesses(() => processesWithVariable([`${VISIT_VARIABLE}=${secret}`]), graceMs);
}
