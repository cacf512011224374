import { listProcesses } from "./process-table.ts";

const POLL_MS = 10;
/** Finding a process means looking at all of them. */
const SCAN_MS = 50;

/** Ends what is left of a process group: asked first, so that a program can remove its lock files; then forced. */
export async function endProcessGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, "SIGTERM")) return;
  for (let waited = 0; waited < graceMs; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, "SIGKILL");
}

/** Ends every process that `find` finds, one by one: a group may hold others. Asked first, then forced, until none is found. */
export async function endProcesses(find: () => readonly number[], graceMs: number): Promise<void> {
  for (let waited = 0; waited < 2 * graceMs; waited += SCAN_MS) {
    const found = find();
    if (found.length === 0) return;
    for (const pid of found) sendSignal(pid, waited < graceMs ? "SIGTERM" : "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, SCAN_MS));
  }
}

/** [D13] For a process that leaves at once: nothing that it has started outlives it. */
export function killChildProcesses(): void {
  for (const { pid, parent, group } of listProcesses()) {
    if (parent !== process.pid) continue;
    // One that leads no group of its own shares ours.
    if (group === pid) signalGroup(pid, "SIGKILL");
    else sendSignal(pid, "SIGKILL");
  }
}

/** Whether anything was there to hear it. */
function signalGroup(leader: number, name: NodeJS.Signals | 0): boolean {
  return sendSignal(-leader, name);
}

function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
