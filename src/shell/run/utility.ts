import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { UtilityMateria } from "../../core/model/materia.ts";
import type { UtilityOutcome, UtilityRequest } from "../ports.ts";
import { bundledUtilityPath } from "./bundled.ts";
import { keepBeginning, keepEnd } from "./capture.ts";
import { endGroup } from "../process/process-group.ts";
import { reasonFor, type Failure } from "./utility-reason.ts";

const TIMEOUT_MS = 30_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const GRACE_MS = 1000;
const DRAIN_MS = 250;

type Ending = { readonly kind: "succeeded" } | Failure;

export async function runUtility(request: UtilityRequest): Promise<UtilityOutcome> {
  const failed = async (failure: Failure, stdout = "", stderr = ""): Promise<UtilityOutcome> => {
    return { kind: "failed", reason: await reasonFor(failure, request, stderr), stdout, stderr };
  };
  if (request.signal.aborted) return failed({ kind: "aborted_before" });

  const child = startChild(request);
  if (child instanceof Error) return failed({ kind: "not_started", error: child });
  if (child.pid !== undefined) request.onStarted?.(child.pid);
  const stdout = keepBeginning(child.stdout);
  const stderr = keepEnd(child.stderr);
  const ending = await endOf(child, request);
  letGo(child);

  const kept = { stdout: stdout.text(), stdoutCut: stdout.cut(), stderr: stderr.text() };
  return ending.kind === "succeeded" ? { kind: "exited", ...kept } : failed(ending, kept.stdout, kept.stderr);
}

function startChild({ materia, input, cwd, marker }: UtilityRequest): ChildProcess | Error {
  const held = openMarker(marker);
  try {
    const [program, ...args] = programOf(materia);
    const text = `${JSON.stringify(input)}\n`;
    const stdio: StdioOptions = ["pipe", "pipe", "pipe", ...(held === undefined ? [] : [held])];
    // [U6] Detached makes it the leader of a group of its own, which can be ended as one.
    const child: ChildProcess = spawn(program, args, { cwd, env: environmentOf(materia), detached: true, stdio });
    // [U8] A program that does not read its input breaks the pipe; without a listener that would end this process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    child.stdin?.end(text);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    if (held !== undefined) closeSync(held);
  }
}

/** [D12] Handed over with the program's birth: a kill in the next moment finds it written nowhere else. */
function openMarker(marker: string | undefined): number | undefined {
  try {
    return marker === undefined ? undefined : openSync(marker, "r");
  } catch {
    return undefined;
  }
}

function programOf({ command, script = "" }: UtilityMateria): readonly [program: string, ...args: string[]] {
  if (!command) return [process.execPath, bundledUtilityPath(script)];
  const [program = "", ...args] = command;
  return [program, ...args];
}

/** [S6] The usual four and what the materia lists; a model's key is in neither unless its author says so. */
function environmentOf({ env = [] }: UtilityMateria): Record<string, string | undefined> {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", ...env];
  // Own names only: "constructor" is no variable.
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(process.env, name)).map((name) => [name, process.env[name]]),
  );
}

/** How it ended; by then its group is gone and its output read. */
async function endOf(child: ChildProcess, request: UtilityRequest): Promise<Ending> {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const ending = await firstEnding(child, request);
  if (child.pid === undefined) return ending;

  if (ending.kind === "timed_out" || ending.kind === "aborted") {
    await endGroup(child.pid, GRACE_MS);
    await drain(closed);
  } else {
    await drain(closed);
    await endGroup(child.pid, DRAIN_MS);
  }
  return ending;
}

async function firstEnding(child: ChildProcess, { materia, signal }: UtilityRequest): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const limitMs = materia.timeoutMs ?? TIMEOUT_MS;
  // Node fires a timer that is longer than this at once.
  const timer = setTimeout(() => resolve({ kind: "timed_out", limitMs }), Math.min(limitMs, LONGEST_TIMER_MS));
  const onAbort = () => resolve({ kind: "aborted" });
  signal.addEventListener("abort", onAbort);
  child.on("error", (error) => resolve({ kind: "not_started", error }));
  // Not `close`: that waits for every grandchild that holds the pipes.
  child.once("exit", (code, signal) => resolve(code === 0 ? { kind: "succeeded" } : { kind: "exited", code, signal }));
  const ending = await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return ending;
}

async function drain(closed: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // On a busy machine the timer is due before the pipes were looked at; the immediate comes after them.
  const timer = setTimeout(() => setImmediate(resolve), DRAIN_MS);
  await Promise.race([closed, promise]);
  clearTimeout(timer);
}

/** A grandchild that left the group may hold the pipes for ever; they must not hold this process. */
function letGo(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}
