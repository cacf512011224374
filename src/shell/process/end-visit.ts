import { endAll } from "./process-group.ts";
import { startedWith } from "./process-table.ts";
import { VISIT_VARIABLE } from "./visit-secret.ts";

/** [D24] Ends whatever was started for a visit, also what left its process group and its parent; nothing where it has no secret. */
export async function endStarted(secret: string | undefined, graceMs: number): Promise<void> {
  if (secret !== undefined) await endAll(() => startedWith([`${VISIT_VARIABLE}=${secret}`]), graceMs);
}
