import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Owner, isAlive, processOf } from "../process/process-owner.ts";
import { endAll, endGroup } from "../process/process-group.ts";
import { startedWith } from "../process/process-table.ts";
import { VISIT_VARIABLE } from "../process/visit-secret.ts";
import { readRegularText } from "../system/regular-file.ts";

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
export function rememberProgram(runDir: string, pid: number): void {
  try {
    writeFileSync(programFile(runDir), JSON.stringify(processOf(pid)));
  } catch {
    // Only a kill in the next moments would miss it, and a full disk stops the cast anyway.
  }
}

/** What was started for a visit carries its secret; what Pi started for its agent names its transcript. */
export interface VisitTraces {
  readonly secret: string;
  readonly folder: string;
}

/**
 * [D12, D24] Ends what a killed owner left running of a visit, and nothing else: the program that was written down with its
 * start time, and what was started with the visit's secret. Never by a file that a process has open, which anybody may have.
 */
export async function endLeftovers(runDir: string, { secret, folder }: VisitTraces): Promise<void> {
  const program = leftProgram(runDir);
  const marks = [`${VISIT_VARIABLE}=${secret}`, `PI_SESSION_FILE=${join(folder, "transcript.jsonl")}`];
  await Promise.all([
    ...(program === undefined ? [] : [endGroup(program, GRACE_MS)]),
    endAll(() => startedWith(marks), GRACE_MS),
  ]);
}

function leftProgram(runDir: string): number | undefined {
  try {
    const program = v.parse(Owner, JSON.parse(readRegularText(programFile(runDir), 4_096)));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}

function programFile(runDir: string): string {
  return join(runDir, "owner", "program.json");
}
