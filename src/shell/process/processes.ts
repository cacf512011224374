import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { withoutUndefined } from "../../core/model/json.ts";
import { procFields } from "./process-identity.ts";
import { valueOr } from "../system/files.ts";
import { realPathOrSame } from "../system/folders.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** The visible processes of this machine; empty if the system cannot list them. */
export function listProcesses(): readonly ProcessRow[] {
  if (process.platform === "linux") return readdirSync("/proc").flatMap(readLinuxProcess);
  if (process.platform === "win32") return [];
  const text = valueOr(() => execFileSync("ps", ["-axo", "pid=,ppid=,pgid="], { encoding: "utf8" }), "");
  return text.split("\n").flatMap((line) => parseProcessRow(line.trim().split(/\s+/)));
}

function readLinuxProcess(name: string): readonly ProcessRow[] {
  if (!/^\d+$/.test(name)) return [];
  const [state, parent, group] = procFields(name);
  return state === "Z" || state === "X" ? [] : parseProcessRow([name, parent, group]);
}

function parseProcessRow(fields: readonly (string | undefined)[]): readonly ProcessRow[] {
  const [pid = 0, parent = 0, group = 0] = fields.map(Number);
  return pid > 0 && group > 0 ? [{ pid, parent, group }] : [];
}

/** Processes with one of these environment variables, except this one; Linux only. */
export function processesWithVariable(variables: readonly string[]): readonly number[] {
  if (process.platform !== "linux") return [];
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid && hasVariable(pid, variables));
}

function hasVariable(pid: number, variables: readonly string[]): boolean {
  const environment: readonly string[] = valueOr(() => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0"), []);
  return variables.some((variable) => environment.includes(variable));
}

const POLL_MS = 10;
/** Each search reads all processes. */
const SCAN_MS = 50;

/** Ends the rest of a process group: SIGTERM first, so that programs can remove lock files, then SIGKILL. */
export async function endProcessGroup(leader: number, graceMs: number): Promise<void> {
  if (!sendSignal(-leader, "SIGTERM")) return;
  for (let waited = 0; waited < graceMs; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!sendSignal(-leader, 0)) return;
  }
  sendSignal(-leader, "SIGKILL");
}

/** Ends every process that `find` returns, one by one: a group may contain others. SIGTERM first, then SIGKILL, until none is left. */
export async function endProcesses(find: () => readonly number[], graceMs: number): Promise<void> {
  for (let waited = 0; waited < 2 * graceMs; waited += SCAN_MS) {
    const found = find();
    if (found.length === 0) return;
    for (const pid of found) sendSignal(pid, waited < graceMs ? "SIGTERM" : "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, SCAN_MS));
  }
}

/** [D13] For a process that exits at once: no child outlives it. */
export function killChildProcesses(): void {
  for (const { pid, parent, group } of listProcesses()) {
    if (parent !== process.pid) continue;
    // A child that leads no group shares ours.
    sendSignal(group === pid ? -pid : pid, "SIGKILL");
  }
}

/** False if nobody received it. A negative number is that of a group. */
function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  return valueOr(() => process.kill(pid, name), false);
}

/** [D24] The variable with the visit's secret, set for every program of the visit. */
export const VISIT_VARIABLE = "MATERIA_VISIT";

/** [U42] The variable that distinguishes a repeated visit from a new one. */
const IDEMPOTENCY_VARIABLE = "MATERIA_IDEMPOTENCY_KEY";

/** [S6] Four standard variables of this process, and those that are named. Keys of models are absent unless named. */
export function childEnvironment(more: readonly string[] = []): Readonly<Record<string, string>> {
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
