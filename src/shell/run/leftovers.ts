import * as v from "valibot";
import type { Visit } from "../../core/cast/state/state.ts";
import { ProcessIdentity, isAlive, identifyProcess } from "../process/process-owner.ts";
import { endProcesses, endProcessGroup } from "../process/process-group.ts";
import { processesWithVariable } from "../process/process-table.ts";
import { VISIT_VARIABLE } from "../process/visit-secret.ts";
import type { OwnedCast } from "../store/cast-store.ts";

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
export function formatProgramNote(pid: number): string {
  return JSON.stringify(identifyProcess(pid));
}

/**
 * [D12, D24] Ends what a killed owner left running of a visit, and nothing else: the program that was written down with its
 * start time, and what was started with the visit's secret. Never by a file that a process has open, which anybody may have.
 */
export async function endOrphanedPrograms(
  { artifacts, readNote }: OwnedCast,
  { socket, number }: Visit,
  secret: string,
): Promise<void> {
  const program = orphanedProgramPid(await readNote("program"));
  const transcript = artifacts.pathOf(socket, number, "transcript.jsonl");
  const marks = [`${VISIT_VARIABLE}=${secret}`, `PI_SESSION_FILE=${transcript}`];
  await Promise.all([
    ...(program === undefined ? [] : [endProcessGroup(program, GRACE_MS)]),
    endProcesses(() => processesWithVariable(marks), GRACE_MS),
  ]);
}

function orphanedProgramPid(note: string | undefined): number | undefined {
  if (note === undefined) return undefined;
  try {
    const program = v.parse(ProcessIdentity, JSON.parse(note));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}
