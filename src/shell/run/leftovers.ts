import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Owner, isAlive, processOf } from "../process/process-owner.ts";
import { holdsOpen, processTable, wasStartedWith } from "../process/process-table.ts";
import { endGroup } from "../process/process-group.ts";

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
export function rememberProgram(runDir: string, pid: number): void {
  try {
    writeFileSync(programFile(runDir), JSON.stringify(processOf(pid)));
  } catch {
    // Only a kill in the next moments would miss it, and a full disk stops the cast anyway.
  }
}

/** [D12] Ends what a killed owner left running of a visit: its utility, and the commands of its agent. */
export async function endLeftovers(runDir: string, visitFolder: string): Promise<void> {
  const program = leftProgram(runDir);
  const groups = new Set([...(program === undefined ? [] : [program]), ...leftGroups(visitFolder)]);
  await Promise.all([...groups].map((group) => endGroup(group, GRACE_MS)));
}

/** A utility holds the file of its input open; Pi tells each command which transcript it belongs to. */
function leftGroups(visitFolder: string): readonly number[] {
  const [input, transcript] = [join(visitFolder, "input.json"), join(visitFolder, "transcript.jsonl")];
  const belongs = existsSync(input)
    ? (pid: number) => holdsOpen(pid, realpathSync(input))
    : (pid: number) => wasStartedWith(pid, `PI_SESSION_FILE=${transcript}`);
  // Without either nothing was started.
  if (!existsSync(input) && !existsSync(transcript)) return [];
  const table = processTable();
  const ours = table.find(({ pid }) => pid === process.pid)?.group;
  return table.filter(({ pid, group }) => group !== ours && belongs(pid)).map(({ group }) => group);
}

function leftProgram(runDir: string): number | undefined {
  try {
    const program = v.parse(Owner, JSON.parse(readFileSync(programFile(runDir), "utf8")));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}

function programFile(runDir: string): string {
  return join(runDir, "owner", "program.json");
}
