import { createHmac } from "node:crypto";
import { withoutUndefined } from "../../core/model/json.ts";
import { endProcesses, processesWithVariable } from "./processes.ts";
import { realPathOrSame } from "../system/folders.ts";

/** [D24] The variable with the visit's secret, set for every program of the visit. */
export const VISIT_VARIABLE = "MATERIA_VISIT";

/** [U42] The variable that distinguishes a repeated visit from a new one. */
const IDEMPOTENCY_VARIABLE = "MATERIA_IDEMPOTENCY_KEY";

/** [S6] Four standard variables of this process, and those that are named. Keys of models are absent unless named. */
export function curatedEnvironment(more: readonly string[] = []): Readonly<Record<string, string>> {
  // Own properties only: "constructor" is no variable.
  const names = ["PATH", "HOME", "LANG", "TMPDIR", ...more].filter((name) => Object.hasOwn(process.env, name));
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}

export function visitEnvironment({
  secret,
  idempotencyKey,
}: {
  secret?: string | undefined;
  idempotencyKey?: string | undefined;
}): Readonly<Record<string, string>> {
  return withoutUndefined({ [VISIT_VARIABLE]: secret, [IDEMPOTENCY_VARIABLE]: idempotencyKey });
}

/** [U42] The same for every attempt at a visit, in any process. */
export function idempotencyKeyOf(castId: string, socket: string, visit: number): string {
  return `${castId}/${socket}/${visit}`;
}

/**
 * [D24] Only processes of this visit have it in their environment. It derives from the user's key, so that no project can
 * guess it, and from the folder, so that a copy of a cast does not end programs of the original.
 */
export function deriveVisitSecret(
  key: string,
  { runDir, socket, visit }: { readonly runDir: string; readonly socket: string; readonly visit: number },
): string {
  return createHmac("sha256", key)
    .update(`visit\0${realPathOrSame(runDir)}\0${socket}\0${visit}`)
    .digest("hex")
    .slice(0, 32);
}

/** [D24, D37] Ends every process of a visit, also outside its process group. Does nothing without a secret. */
export async function endVisitProcesses(secret: string | undefined, graceMs: number): Promise<void> {
  if (secret !== undefined) await endProcesses(() => processesWithVariable([`${VISIT_VARIABLE}=${secret}`]), graceMs);
}
