import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { endProcessGroup, childEnvironment } from "../process/processes.ts";
import { wrapInSandbox } from "../process/sandbox.ts";
import { currentToolsUser, spawnOptionsFor, type ToolsUser } from "../process/tools-user.ts";
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { realTimer, type Timer } from "./turn-guard.ts";
import { piModuleAddress, type Pi, type PiContext } from "./pi-sdk.ts";
import { thrownMessage } from "../../core/model/text.ts";
import type { Sandbox, TurnRequest } from "../ports.ts";
import { isJsonObject, parseJson, withoutUndefined } from "../../core/model/json.ts";

interface ToolProcessCall {
  readonly tool: string;
  readonly params: unknown;
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: ((partial: unknown) => void) | undefined;
}

interface ToolsPlace {
  readonly user?: ToolsUser | undefined;
  readonly sandbox?: Sandbox | undefined;
}

interface ToolProcessOptions extends ToolsPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, object>>;
}

const TOOL_KINDS = ["Bash", "Read", "Write", "Edit", "Ls", "Grep", "Find", "PowerShell"] as const;

/** One JSON line per message: calls and results, by number. */
const TOOL_PROGRAM = `
import { accessSync } from "node:fs";
import { createInterface } from "node:readline";
const [address, given] = process.argv.slice(1);
const pi = await import(address);
const make = Object.fromEntries(${JSON.stringify(TOOL_KINDS)}.map((kind) => [kind.toLowerCase(), pi[\`create\${kind}Tool\`]]));
const { reads = [], ...options } = JSON.parse(given);
reads.forEach((file) => accessSync(file));
const running = new Map();
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
say({ ready: true });
const run = async ({ id, tool, params }) => {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const result = await make[tool](process.cwd(), options[tool])
      .execute(String(id), params, abort.signal, (update) => say({ id, update }));
    say({ id, result });
  } catch (thrown) {
    say({ id, error: thrown instanceof Error ? thrown.message : String(thrown) });
  } finally {
    running.delete(id);
  }
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const call = JSON.parse(line);
  if (call.abort) running.get(call.id)?.abort();
  else void run(call);
}).on("close", () => process.exit(0));
`;

const GRACE_MS = 1_000;
/** [YP10] A container may have to be fetched from a disk that sleeps. */
const START_MS = 30_000;
const STDERR_CHARS = 2_000;

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: Error) => void;
  readonly onUpdate: ToolProcessCall["onUpdate"];
}

/** [B25] Starts with the first call; a turn without tool calls starts none. */
function openToolProcess(place: ToolProcessOptions) {
  const pending = new Map<number, PendingCall>();
  let child: ChildProcess | undefined;
  let calls = 0;
  const started = (): ChildProcess => {
    if (child && child.exitCode === null && child.signalCode === null) return child;
    child = startToolProcess(place);
    routeReplies(child, pending, place);
    return child;
  };
  return {
    call: ({ tool, params, signal, onUpdate }: ToolProcessCall) =>
      new Promise((resolve, reject) => {
        const id = (calls += 1);
        const { stdin } = started();
        const stop = (): void => void stdin?.write(`${JSON.stringify({ id, abort: true })}\n`);
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T): void => {
            signal?.removeEventListener("abort", stop);
            settle(value);
          };
        pending.set(id, { resolve: settled(resolve), reject: settled(reject), onUpdate });
        stdin?.write(`${JSON.stringify({ id, tool, params })}\n`);
        signal?.addEventListener("abort", stop);
        if (signal?.aborted) stop();
      }),
    close: async () => {
      if (child?.pid === undefined || child.exitCode !== null) return;
      // A container passes on no signal that its first program ignores.
      child.stdin?.end();
      await endProcessGroup(child.pid, GRACE_MS);
      child.unref();
    },
  };
}

/** [B65, YP8] Why tools cannot run there, or cannot read these files, if so. */
export async function checkToolsCanRun(
  { reads = [], ...place }: ToolsPlace & { readonly reads?: readonly string[] },
  cwd = "/",
  after: Timer = realTimer,
): Promise<string | undefined> {
  try {
    const child = startToolProcess({ ...place, cwd, env: {}, options: { reads } });
    const errorOutput: string[] = [];
    let isReady = false;
    child.stdout?.on("data", (chunk: Buffer) => (isReady ||= chunk.includes('"ready"')));
    child.stderr?.on("data", (chunk: Buffer) => errorOutput.push(chunk.toString("utf8")));
    child.stdin?.end();
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    child.on("error", (thrown) => resolve(thrown.message.replace(/^spawn (.*) ENOENT$/, "there is no program $1")));
    const cancel = after(START_MS, () => {
      resolve(`it did not start within ${START_MS / 1000} s`);
      if (child.pid !== undefined) void endProcessGroup(child.pid, GRACE_MS);
    });
    child.on("close", (code) =>
      resolve(code === 0 && isReady ? undefined : (errorLine(errorOutput.join("")) ?? endingText(code))),
    );
    return await promise.finally(cancel);
  } catch (thrown) {
    return thrownMessage(thrown);
  }
}

function errorLine(printed: string): string | undefined {
  const lines = printed.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /error|cannot|denied/i.test(line)) ?? lines.at(-1))?.trim().replace(/^Error: /, "");
}

function endingText(code: number | null): string {
  return `it ended with ${code ?? "a signal"}`;
}

function startToolProcess({ user, sandbox, cwd, env, options }: ToolProcessOptions): ChildProcess {
  const as = user ? spawnOptionsFor(user) : { env: childEnvironment() };
  const script = [process.execPath, "--input-type=module", "-e", TOOL_PROGRAM] as const;
  const [program, ...args] = wrapInSandbox(sandbox, [...script, piModuleAddress(), JSON.stringify(options)], cwd);
  const child = spawn(program, args, {
    ...as,
    cwd,
    env: { ...as.env, ...env },
    // The leader of a process group, which is ended as a whole.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => undefined);
  return child;
}

function routeReplies(child: ChildProcess, pending: Map<number, PendingCall>, { user, sandbox }: ToolsPlace): void {
  let printed = "";
  child.stderr?.on("data", (chunk: Buffer) => (printed = `${printed}${chunk.toString("utf8")}`.slice(-STDERR_CHARS)));
  const where = sandbox ? `in the sandbox ${sandbox.name}` : `as ${user?.name}`;
  const failAll = (why: string): void => {
    for (const { reject } of pending.values()) reject(new Error(`the tools that run ${where} ended: ${why}`));
    pending.clear();
  };
  child.on("error", (thrown) => failAll(thrown.message));
  child.on("close", (code) => failAll(errorLine(printed) ?? endingText(code)));
  if (!child.stdout) return;
  createInterface(child.stdout).on("line", (line) => {
    const reply = parseReply(line);
    const call = reply && pending.get(reply.id);
    if (!reply || !call) return;
    if ("update" in reply) return call.onUpdate?.(reply.update);
    pending.delete(reply.id);
    if ("error" in reply) call.reject(new Error(String(reply.error)));
    else call.resolve(reply.result);
  });
}

/** Another user's process: validate every message. */
function parseReply(
  line: string,
): { readonly id: number; readonly update?: unknown; readonly error?: unknown; readonly result?: unknown } | undefined {
  const json = parseJson(line);
  return isJsonObject(json) && typeof json["id"] === "number" ? { ...json, id: json["id"] } : undefined;
}

export type TurnTools = NonNullable<ReturnType<typeof toolsRunApart>>;

/** [B25, YP8] Pi's own tools with their names and descriptions, run by a process of another user or in a sandbox. */
export function toolsRunApart({ pi, settings }: PiContext, { cwd, env, tools, sandbox }: TurnRequest) {
  const user = currentToolsUser();
  if (!user && !sandbox) return undefined;
  // [YP10] Before the first request, and not as a result that the agent works around.
  if (sandbox) wrapInSandbox(sandbox, ["true"], cwd);
  const [commandPrefix, shellPath] = [settings.getShellCommandPrefix(), settings.getShellPath()];
  const shell = { exposeSessionEnvironment: false, ...withoutUndefined({ commandPrefix, shellPath }) };
  const beside = openToolProcess({ user, sandbox, cwd, env, options: { bash: shell, powershell: shell } });
  const own = toolDefinitions(pi, cwd).filter(({ name }) => tools.includes(name));
  return {
    close: beside.close,
    /** [B25] The tools that the agent may have: another user's process lacks those of extensions. */
    names: user ? own.map(({ name }) => name) : tools,
    tools: own.map((tool): ToolDefinition => ({
      ...tool,
      execute: async (_id, params, signal, onUpdate) =>
        // The types of the tool with the same name.
        (await beside.call({ tool: tool.name, params, signal, onUpdate: onUpdate as never })) as never,
    })),
  };
}

export function toolDefinitions(pi: Pi, cwd: string): readonly ToolDefinition[] {
  const made = TOOL_KINDS.map((kind) => pi[`create${kind}ToolDefinition`](cwd));
  return made as unknown as readonly ToolDefinition[]; // each typed by its own parameters, which only the tool reads
}
