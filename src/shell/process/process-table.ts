import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** The processes of this machine as far as they may be seen; none where the system has no way to tell. */
export function listProcesses(): readonly ProcessRow[] {
  if (process.platform === "linux") return readdirSync("/proc").flatMap(readLinuxProcess);
  if (process.platform === "win32") return [];
  try {
    const text = execFileSync("ps", ["-axo", "pid=,ppid=,pgid="], { encoding: "utf8" });
    return text.split("\n").flatMap((line) => parseProcessRow(line.trim().split(/\s+/)));
  } catch {
    return [];
  }
}

function readLinuxProcess(name: string): readonly ProcessRow[] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "utf8");
    // The name in parentheses may hold spaces; the fields are counted behind it.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? [] : parseProcessRow([name, parent, group]);
  } catch {
    return [];
  }
}

function parseProcessRow(fields: readonly (string | undefined)[]): readonly ProcessRow[] {
  const [pid = 0, parent = 0, group = 0] = fields.map(Number);
  return pid > 0 && group > 0 ? [{ pid, parent, group }] : [];
}

/** Processes that were started with one of these variables, this one aside; only Linux shows it. */
export function processesWithVariable(variables: readonly string[]): readonly number[] {
  if (process.platform !== "linux") return [];
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid && variables.some((variable) => environmentOf(pid).includes(variable)));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
