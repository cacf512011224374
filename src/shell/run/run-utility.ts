import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import type { Socket } from "node:net";
import type { UtilityMateria } from "../../core/model/materia.ts";
import type { UtilityOutcome, UtilityRequest } from "../ports.ts";
import { captureBeginning, captureEnd, openJoinedStreams } from "./utility-output.ts";
import { childEnvironment, endVisitProcesses, visitEnvironment, endProcessGroup } from "../process/processes.ts";
import { wrapInSandbox } from "../process/sandbox.ts";
import { spawnOptionsFor, currentToolsUser } from "../process/tools-user.ts";
import { packagePath } from "../system/package.ts";
import { BUNDLED_SCRIPT_NAMES, bundledScriptFile } from "../../core/catalog/bundled-utilities.ts";
import { stat } from "node:fs/promises";
import { truncateMiddle, sanitizeForTerminal, oneLine, countedText } from "../../core/model/text.ts";

const TIMEOUT_MS = 30_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const GRACE_MS = 1000;
const DRAIN_MS = 250;

type ProcessEnd = { readonly kind: "succeeded" } | UtilityFailure;

export async function runUtility(request: UtilityRequest): Promise<UtilityOutcome> {
  const failed = async (failure: UtilityFailure): Promise<UtilityOutcome> => ({
    kind: "failed",
    reason: await describeFailure(failure, request, ""),
    stdout: "",
    stderr: "",
  });
  const joined = request.materia.gate === true ? await openJoinedStreams() : undefined;
  if (joined instanceof Error) return failed({ kind: "not_started", error: joined });
  const started = request.signal.aborted ? undefined : startChild(request, joined?.end);
  // Close our end of the pipe: otherwise the reader would never see its end.
  joined?.end.destroy();
  if (started === undefined || started instanceof Error) {
    joined?.reader.destroy();
    return failed(started ? { kind: "not_started", error: started } : { kind: "aborted_before" });
  }
  if (started.pid !== undefined) request.onStarted?.(started.pid);
  return joined ? gateOutcome(started, joined.reader, request) : programOutcome(started, request);
}

async function programOutcome(child: ChildProcess, request: UtilityRequest): Promise<UtilityOutcome> {
  const stdout = captureBeginning(child.stdout);
  const stderr = captureEnd(child.stderr);
  const ending = await waitForEnd(child, request);
  releaseStreams(child);
  const kept = { stdout: stdout.text(), stderr: stderr.text() };
  if (ending.kind === "succeeded") return { kind: "exited", ...kept, stdoutCut: stdout.isCut() };
  return { kind: "failed", reason: await describeFailure(ending, request, stderr.textWithBeginning()), ...kept };
}

/** [Q1] The exit code is the verdict of a gate. Without one the gate has failed. */
async function gateOutcome(child: ChildProcess, reader: Socket, request: UtilityRequest): Promise<UtilityOutcome> {
  const printed = captureEnd(reader);
  // A broken connection ends the output, like a closed one.
  reader.on("error", () => {});
  const ending = await waitForEnd(
    child,
    request,
    new Promise<void>((resolve) => reader.once("close", () => resolve())),
  );
  releaseStreams(child);
  reader.destroy();
  const kept = { stdout: printed.text(), stderr: "" };
  if (ending.kind === "succeeded") return { kind: "judged", code: 0, ...kept };
  if (ending.kind === "exited" && ending.code !== null) return { kind: "judged", code: ending.code, ...kept };
  return { kind: "failed", reason: await describeFailure(ending, request, printed.textWithBeginning()), ...kept };
}

function startChild(
  { materia, input, cwd, secret, idempotencyKey, sandbox }: UtilityRequest,
  output: Socket | undefined,
): ChildProcess | Error {
  try {
    const [program, ...args] = wrapInSandbox(sandbox, programWithArguments(materia), cwd);
    const text = `${JSON.stringify(input)}\n`;
    const stdio: StdioOptions = ["pipe", output ?? "pipe", output ?? "pipe"];
    // [U6] Detached makes it the leader of a process group, which can be ended as a whole.
    const user = currentToolsUser();
    // [B25] Another user gets none of the variables that the materia lists: its author may not be trusted with them.
    const as = user ? spawnOptionsFor(user) : { env: childEnvironment(materia.env ?? []) };
    // [D24] Set at the start: after a kill nothing else identifies the program.
    const env = { ...as.env, ...visitEnvironment({ secret, idempotencyKey }) };
    const child: ChildProcess = spawn(program, args, { ...as, cwd, env, detached: true, stdio });
    // [U8] A program that does not read its input breaks the pipe; without a listener that would end this process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    child.stdin?.end(text);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function programWithArguments({ command, script = "" }: UtilityMateria): readonly [program: string, ...args: string[]] {
  if (!command) return [process.execPath, bundledUtilityPath(script)];
  const [program = "", ...args] = command;
  return [program, ...args];
}

/** Resolves when the program has ended, its group is gone and its output is read. */
async function waitForEnd(child: ChildProcess, request: UtilityRequest, read?: Promise<unknown>): Promise<ProcessEnd> {
  const closed = Promise.all([new Promise<void>((resolve) => child.once("close", () => resolve())), read]);
  const ending = await waitForFirstEnd(child, request);
  if (child.pid === undefined) return ending;

  if (ending.kind === "timed_out" || ending.kind === "aborted") {
    await Promise.all([endProcessGroup(child.pid, GRACE_MS), endVisitProcesses(request.secret, GRACE_MS)]);
    await drain(closed);
  } else {
    await drain(closed);
    await endProcessGroup(child.pid, DRAIN_MS);
  }
  return ending;
}

async function waitForFirstEnd(child: ChildProcess, { materia, signal }: UtilityRequest): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const limitMs = materia.timeoutMs ?? TIMEOUT_MS;
  // Node fires a longer timer immediately.
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
  // On a busy machine the timer may fire before the pipes are read; the immediate runs after them.
  const timer = setTimeout(() => setImmediate(resolve), DRAIN_MS);
  await Promise.race([closed, promise]);
  clearTimeout(timer);
}

/** A grandchild outside the group may hold the pipes open. They must not keep this process alive. */
function releaseStreams(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}

/** The file of a bundled utility. Throws when there is none, with a hint for the author of the materia. */
function bundledUtilityPath(script: string): string {
  if (!BUNDLED_SCRIPT_NAMES.includes(script))
    throw new Error(`no bundled utility has this name; there are ${BUNDLED_SCRIPT_NAMES.join(", ")}`);
  return packagePath("utilities", bundledScriptFile(script));
}

type UtilityFailure =
  | { readonly kind: "aborted_before" }
  | { readonly kind: "not_started"; readonly error: NodeJS.ErrnoException }
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: "timed_out"; readonly limitMs: number }
  | { readonly kind: "aborted" };

/** [U5] The command, how it ended, and the end of its output. */
async function describeFailure(failure: UtilityFailure, request: UtilityRequest, stderr: string): Promise<string> {
  const name = commandName(request.materia);
  // [U5] Keeps both ends of the output: some programs name the cause first, others last.
  const text = sanitizeForTerminal(stderr.replace(/\r\n?/g, "\n")).trim();
  const suffix = text === "" ? ", with nothing on standard error" : `: ${truncateMiddle(text, STANDARD_ERROR_CHARS)}`;
  switch (failure.kind) {
    case "aborted_before":
      return `${name} was not started because the cast was aborted`;
    case "not_started":
      return `${name} could not be started: ${await describeStartFailure(failure.error, request)}`;
    case "exited":
      return `${name} ${failure.signal ? `was ended by ${failure.signal}` : `exited with code ${failure.code}`}${suffix}`;
    case "timed_out":
      return `${name} took longer than ${request.limitText ?? `its timeoutMs of ${failure.limitMs}`} and was ended${suffix}`;
    case "aborted":
      return `${name} was ended because the cast was aborted${suffix}`;
  }
}

function commandName({ command, script }: UtilityMateria): string {
  if (!command) return `bundled utility ${JSON.stringify(script ?? "")}`;
  const words = command.map((word) => (/^[^\s"'`\\]+$/.test(word) ? word : JSON.stringify(word)));
  return `\`${oneLine(words.join(" "), 200)}\``;
}

async function describeStartFailure(error: NodeJS.ErrnoException, { materia, cwd }: UtilityRequest): Promise<string> {
  // ENOENT means a missing folder or a missing program.
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder?.isDirectory()) return `the folder ${oneLine(cwd, 200)} does not exist`;

  const program = oneLine(materia.command?.[0] ?? process.execPath, 200);
  if (error.code === "EACCES") return `${program} may not be executed; does it need chmod +x?`;
  if (error.code !== "ENOENT") return oneLine(error.message, 300);
  return program.includes("/")
    ? `${program} does not exist in ${oneLine(cwd, 200)}, or its first line names a missing interpreter`
    : `there is no program ${program}; is it installed and on PATH?`;
}

const STANDARD_ERROR_CHARS = { beginning: 500, end: 1_000 } as const;

const SETUP_MINUTES = 20;

interface SetupCommand extends Pick<UtilityRequest, "cwd" | "signal"> {
  readonly setting: "setup" | "worktree.setup";
  readonly command: readonly string[];
}

/** [V27, B52] Returns a sentence when the program failed. */
export async function runSetupCommand({ setting, command, cwd, signal }: SetupCommand): Promise<string | undefined> {
  const materia: UtilityMateria = { type: "utility", command: [...command], timeoutMs: SETUP_MINUTES * 60_000 };
  // No materia sets a `timeoutMs` here, so the reason must not name it.
  const limitText = `${countedText(SETUP_MINUTES, "minute")}, the most for any setup (let ${setting} do less, or find what it fetches in a cache),`;
  const outcome = await runUtility({ materia, input: {}, cwd, signal, limitText });
  return outcome.kind === "failed" ? outcome.reason : undefined;
}
