import { createHmac } from "node:crypto";
import { realpathSync } from "node:fs";
import { endProcesses, processesWithVariable } from "./processes.ts";

/** [D24] What every program of a visit is started with. */
export const VISIT_VARIABLE = "MATERIA_VISIT";

/** [U42] What tells a repeat of a visit from a new one. */
const IDEMPOTENCY_VARIABLE = "MATERIA_IDEMPOTENCY_KEY";

/** What programs and commands of a visit are started with. */
export function visitEnvironment({ secret, idempotencyKey }: VisitTokens): Readonly<Record<string, string>> {
  return {
    ...(secret === undefined ? {} : { [VISIT_VARIABLE]: secret }),
    ...(idempotencyKey === undefined ? {} : { [IDEMPOTENCY_VARIABLE]: idempotencyKey }),
  };
}

/** [U42] A visit that is tried again, in this process or another, has the same one. */
export function idempotencyKeyOf(castId: string, socket: string, visit: number): string {
  return `${castId}/${socket}/${visit}`;
}

interface VisitTokens {
  readonly secret?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

interface VisitLocation {
  readonly runDir: string;
  readonly socket: string;
  readonly visit: number;
}

/**
 * [D24] A text that only what was started for this visit has in its environment. Made with the user's own key, so that nothing
 * in a project can name it; of the folder as well, so that a copy of a cast does not take the programs of the original for its own.
 */
export function deriveVisitSecret(key: string, { runDir, socket, visit }: VisitLocation): string {
  return createHmac("sha256", key)
    .update(`visit\0${realPathOrSame(runDir)}\0${socket}\0${visit}`)
    .digest("hex")
    .slice(0, 32);
}

function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** [D24, D37] Ends whatever was started for a visit, also what left its process group and its parent; nothing where it has no secret. */
export async function endVisitProcesses(secret: string | undefined, graceMs: number): Promise<void> {
  if (secret !== undefined) await endProcesses(() => processesWithVariable([`${VISIT_VARIABLE}=${secret}`]), graceMs);
}
