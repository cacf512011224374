import * as v from "valibot";
import type { Visit } from "../../core/cast/state/state.ts";
import { Owner, isAlive, processOf } from "../process/process-owner.ts";
import { endAll, endGroup } from "../process/process-group.ts";
import { startedWith } from "../process/process-table.ts";
import { VISIT_VARIABLE } from "../process/visit-secret.ts";
import type { OwnedCast } from "../store/cast-store.ts";

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
export function programNote(pid: number): string {
  return JSON.stringify(processOf(pid));
}

/**
 * [D12, D24] Ends what a killed owner left running of a visit, and nothing else: the program that was written down with its
 * start time, and what was started with the visit's secret. Never by a file that a process has open, which anybody may have.
 */
export async function endLeftovers(
  { artifacts, readNote }: OwnedCast,
  { socket, number }: Visit,
  secret: string,
): Promise<void> {
  const program = leftProgram(await readNote("program"));
  const transcript = artifacts.pathOf(socket, number, "transcript.jsonl");
  const marks = [`${VISIT_VARIABLE}=${secret}`, `PI_SESSION_FILE=${transcript}`];
  await Promise.all([
    ...(program === undefined ? [] : [endGroup(program, GRACE_MS)]),
    endAll(() => startedWith(marks), GRACE_MS),
  ]);
}

function leftProgram(note: string | undefined): number | undefined {
  if (note === undefined) return undefined;
  try {
    const program = v.parse(Owner, JSON.parse(note));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}
