import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import type { Socket } from "node:net";
import type { UtilityMateria } from "../../../core/model/materia.ts";
import type { UtilityOutcome, UtilityRequest } from "../../ports.ts";
import { bundledUtilityPath } from "./bundled.ts";
import { keepBeginning, keepEnd } from "./capture.ts";
import { endStarted } from "../../process/end-visit.ts";
import { endGroup } from "../../process/process-group.ts";
import { startedAs, toolsUser, type ToolsUser } from "../../process/tools-user.ts";
import { visitEnvironment } from "../../process/visit-secret.ts";
import { reasonFor, type UtilityFailure } from "./reason.ts";
import { joinedStreams } from "./streams.ts";

const TIMEOUT_MS = 30_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const GRACE_MS = 1000;
const DRAIN_MS = 250;

type Ending = { readonly kind: "succeeded" } | UtilityFailure;

export async function runUtility(request: UtilityRequest): Promise<UtilityOutcome> {
  const failed = async (failure: UtilityFailure): Promise<UtilityOutcome> => {
    return { kind: "failed", reason: await reasonFor(failure, request, ""), stdout: "", stderr: "" };
  };
  const joined = request.materia.gate === true ? await joinedStreams() : undefined;
  if (joined instanceof Error) return failed({ kind: "not_started", error: joined });
  const started = request.signal.aborted ? undefined : startChild(request, joined?.end);
  // The program holds its own end; with ours open the reader would never see the last of it.
  joined?.end.destroy();
  if (started === undefined || started instanceof Error) {
    joined?.reader.destroy();
    return failed(started ? { kind: "not_started", error: started } : { kind: "aborted_before" });
  }
  if (started.pid !== undefined) request.onStarted?.(started.pid);
  return joined ? gateOutcome(started, joined.reader, request) : outcomeOf(started, request);
}

async function outcomeOf(child: ChildProcess, request: UtilityRequest): Promise<UtilityOutcome> {
  const stdout = keepBeginning(child.stdout);
  const stderr = keepEnd(child.stderr);
  const ending = await endOf(child, request);
  letGo(child);
  const kept = { stdout: stdout.text(), stderr: stderr.text() };
  if (ending.kind === "succeeded") return { kind: "exited", ...kept, stdoutCut: stdout.cut() };
  return { kind: "failed", reason: await reasonFor(ending, request, stderr.told()), ...kept };
}

/** [Q1] Its exit code is the answer. Where it has none, it could not judge. */
async function gateOutcome(child: ChildProcess, reader: Socket, request: UtilityRequest): Promise<UtilityOutcome> {
  const printed = keepEnd(reader);
  // A connection that breaks has nothing more to say, like one that closes.
  reader.on("error", () => {});
  const ending = await endOf(child, request, new Promise<void>((resolve) => reader.once("close", () => resolve())));
  letGo(child);
  reader.destroy();
  const kept = { stdout: printed.text(), stderr: "" };
  if (ending.kind === "succeeded") return { kind: "judged", code: 0, ...kept };
  if (ending.kind === "exited" && ending.code !== null) return { kind: "judged", code: ending.code, ...kept };
  return { kind: "failed", reason: await reasonFor(ending, request, printed.told()), ...kept };
}

function startChild(
  { materia, input, cwd, secret, idempotencyKey }: UtilityRequest,
  output: Socket | undefined,
): ChildProcess | Error {
  try {
    const [program, ...args] = programOf(materia);
    const text = `${JSON.stringify(input)}\n`;
    const stdio: StdioOptions = ["pipe", output ?? "pipe", output ?? "pipe"];
    // [U6] Detached makes it the leader of a group of its own, which can be ended as one.
    const user = toolsUser();
    const child: ChildProcess = spawn(program, args, {
      cwd,
      ...(user
        ? startedFor(user, { secret, idempotencyKey })
        : { env: environmentOf(materia, secret, idempotencyKey) }),
      detached: true,
      stdio,
    });
    // [U8] A program that does not read its input breaks the pipe; without a listener that would end this process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    child.stdin?.end(text);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** [B25] Not even what the materia lists: whoever wrote it need not be trusted with what this process knows. */
function startedFor(user: ToolsUser, marks: Parameters<typeof visitEnvironment>[0]) {
  const as = startedAs(user);
  return { ...as, env: { ...as.env, ...visitEnvironment(marks) } };
}

function programOf({ command, script = "" }: UtilityMateria): readonly [program: string, ...args: string[]] {
  if (!command) return [process.execPath, bundledUtilityPath(script)];
  const [program = "", ...args] = command;
  return [program, ...args];
}

/** [S6] The usual four and what the materia lists; a model's key is in neither unless its author says so. */
function environmentOf(
  { env = [] }: UtilityMateria,
  secret: string | undefined,
  idempotencyKey: string | undefined,
): Record<string, string | undefined> {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", ...env];
  // Own names only: "constructor" is no variable.
  const taken = names.filter((name) => Object.hasOwn(process.env, name)).map((name) => [name, process.env[name]]);
  // [D24] With the program's birth: a kill in the next moment finds it written nowhere else.
  return { ...Object.fromEntries(taken), ...visitEnvironment({ secret, idempotencyKey }) };
}

/** How it ended; by then its group is gone and its output read. */
async function endOf(child: ChildProcess, request: UtilityRequest, read?: Promise<unknown>): Promise<Ending> {
  const closed = Promise.all([new Promise<void>((resolve) => child.once("close", () => resolve())), read]);
  const ending = await firstEnding(child, request);
  if (child.pid === undefined) return ending;

  if (ending.kind === "timed_out" || ending.kind === "aborted") {
    await Promise.all([endGroup(child.pid, GRACE_MS), endStarted(request.secret, GRACE_MS)]);
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

async function drain(closed: Promise<unknown>): Promise<void> {
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
