import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { Owner, isAlive, processOf } from "../files/process-owner.ts";
import { processTable, wasStartedWith } from "../files/process-table.ts";
import { endGroup } from "./process-group.ts";

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
export function rememberProgram(runDir: string, pid: number): void {
  try {
    writeFileSync(programFile(runDir), JSON.stringify(processOf(pid)));
  } catch {
    // Only a kill in the next moments would miss it, and a full disk stops the cast anyway.
  }
}

/** [D12] Ends what a killed owner left running: its utility, and the commands of the agent whose transcript this is. */
export async function endLeftovers(runDir: string, transcript: string): Promise<void> {
  const program = leftProgram(runDir);
  const groups = new Set(program === undefined ? [] : [program]);
  // Without one no agent was asked, and no command started.
  for (const group of existsSync(transcript) ? commandsOf(transcript) : []) groups.add(group);
  await Promise.all([...groups].map((group) => endGroup(group, GRACE_MS)));
}

function leftProgram(runDir: string): number | undefined {
  try {
    const program = v.parse(Owner, JSON.parse(readFileSync(programFile(runDir), "utf8")));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}

/** Pi tells each command which transcript it belongs to. */
function commandsOf(transcript: string): readonly number[] {
  const table = processTable();
  const ours = table.find(({ pid }) => pid === process.pid)?.group;
  return table
    .filter(({ pid, group }) => group !== ours && wasStartedWith(pid, `PI_SESSION_FILE=${transcript}`))
    .map(({ group }) => group);
}

function programFile(runDir: string): string {
  return join(runDir, "owner", "program.json");
}
