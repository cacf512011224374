import { spawn } from "node:child_process";
import { currentToolsUser } from "../process/tools-user.ts";

/** The result of a git call. A call never rejects: git may be missing, killed, or hang on a dead disk. */
export interface GitResult {
  readonly ok: boolean;
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly signal?: AbortSignal;
  /** At most this many bytes of output are read; then git is ended. */
  readonly maxBytes?: number;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** No hook, no automatic maintenance, no watcher, no pager and no prompt, regardless of the repository's configuration. */
const SAFE_SETTINGS = [
  "core.hooksPath=/dev/null",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "commit.gpgSign=false",
  "core.pager=cat",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

/** [B25] The trees of casts belong to the tools user, and git would refuse them. */
const ANY_OWNER = ["-c", "safe.directory=*"];

/** The only function that runs git for the engine. */
export function runGit(args: readonly string[], call: GitOptions): Promise<GitResult> {
  return new Promise((settle) => {
    const child = spawn("git", [...SAFE_SETTINGS, ...(currentToolsUser() ? ANY_OWNER : []), ...args], {
      cwd: call.cwd,
      env: { ...gitEnvironment(), ...call.env },
      stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(call.signal ? { signal: call.signal } : {}),
    });
    const overdue = setTimeout(() => {
      problem ??= `git took longer than ${TIMEOUT_MS / 1000} s`;
      child.kill("SIGKILL");
    }, TIMEOUT_MS);
    const end = (answer: GitResult): void => {
      clearTimeout(overdue);
      settle(answer);
    };
    const chunks: Buffer[] = [];
    let size = 0;
    let said = "";
    let problem: string | undefined;
    child.stdout?.on("data", (chunk: Buffer) => {
      const room = (call.maxBytes ?? MAX_OUTPUT_BYTES) - size;
      size += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      if (chunk.length > room) {
        problem = "its output is too long";
        child.kill("SIGKILL");
      }
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (said.length < 8_000) said += chunk.toString("utf8");
    });
    child.on("error", (thrown) => {
      problem ??= "code" in thrown && thrown.code === "ENOENT" ? "git is not installed" : thrown.message;
      // A program that could not be started emits no `close`.
      if (child.pid === undefined) end({ ok: false, code: null, stdout: Buffer.alloc(0), stderr: problem });
    });
    child.on("close", (code) =>
      end({
        ok: code === 0 && problem === undefined,
        code,
        stdout: Buffer.concat(chunks),
        stderr: problem ?? said.trim(),
      }),
    );
    // git may end before it has read all of its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(call.input);
  });
}

/** Without variables that point git at another repository, index or configuration. */
function gitEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
}

/** The first line of git's complaint. */
export function gitErrorText({ stderr, code }: GitResult): string {
  const [first = ""] = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  return first.replace(/^(fatal|error): /, "") || `git ended with ${code ?? "a signal"}`;
}

export function stdoutText({ stdout }: GitResult): string {
  return stdout.toString("utf8").trim();
}

/** The parts of an answer that end with a zero byte each; names may hold anything else. */
export function stdoutParts({ stdout }: GitResult): readonly string[] {
  const text = stdout.toString("utf8");
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}
