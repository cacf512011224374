import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { WaitGroup } from "../../../src/core/view/progress/fleet-status.ts";
import type { ResolvedFleetProfile } from "../../../src/shell/fleet/open-fleet.ts";
import type { HeartbeatTiming } from "../../../src/shell/fleet/worker/worker-registry.ts";
import type { WorkerState } from "../../../src/shell/fleet/worker/duties.ts";

/** A worker that a test starts: with others' patience, so that nobody waits as long as a fleet does. */
export interface WorkerSetup {
  readonly url: string;
  readonly folder: string;
  readonly pace?: Partial<HeartbeatTiming>;
  readonly profile?: Partial<ResolvedFleetProfile>;
  readonly concurrency?: number;
  readonly queues?: readonly string[];
  readonly patienceMs?: number;
  readonly toolsUser?: string;
  /** A programming error that the worker's sweep throws when a cast waits. */
  readonly sweepError?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What starts it in another place: the words before its own. */
  readonly through?: readonly string[];
  /** Kills it, also while it starts. */
  readonly signal?: AbortSignal;
}

export interface WorkerProcess {
  readonly id: string;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Its exit code, and everything it said. */
  readonly ended: Promise<number | null>;
  readonly said: readonly Record<string, unknown>[];
  /** [B74] The states that it entered, with their reasons. */
  readonly states: readonly WorkerState[];
  /** [B71] Why casts wait, as it told them. */
  readonly waiting: readonly WaitGroup[];
  /** Killed, unless it has ended by itself. */
  readonly end: () => Promise<void>;
}

type WorkerMessage = Record<string, unknown> & {
  readonly waiting?: readonly WaitGroup[];
  readonly state?: WorkerState;
};

const PACE: HeartbeatTiming = {
  beatMs: 300,
  silentMs: 60_000,
  unlockedMs: 300,
  newMs: 300,
  pollMs: 150,
  againMs: 60_000,
};
const PROGRAM = fileURLToPath(new URL("worker-process.ts", import.meta.url));

export async function startWorker(setup: WorkerSetup): Promise<WorkerProcess> {
  const { url, folder, pace, concurrency = 2, patienceMs, toolsUser, sweepError, env = {}, through = [] } = setup;
  const profile = {
    name: "f",
    url,
    project: "p",
    queue: "casts",
    maxCheckpointBytes: 50_000_000,
    remotes: ["/"],
    ...setup.profile,
  };
  const { queues = [profile.queue] } = setup;
  const given = JSON.stringify({
    profile,
    folder,
    queues,
    concurrency,
    patienceMs,
    toolsUser,
    sweepError,
    pace: { ...PACE, ...pace },
  });
  const [file, ...words] = [...through, process.execPath, PROGRAM, given];
  // It exits when its input ends, with the test that started it. Its standard error would keep the pipe of all tests open.
  const child = spawn(file, words, { env: { ...process.env, ...env } });
  const ended = once(child, "exit").then(([code]) => code as number | null); // of the event "exit"
  if (setup.signal?.aborted) child.kill("SIGKILL");
  setup.signal?.addEventListener("abort", () => child.kill("SIGKILL"));
  const said: Record<string, unknown>[] = [];
  const waiting: WaitGroup[] = [];
  const states: WorkerState[] = [];
  let wrong = "";
  child.stderr.on("data", (bytes: Buffer) => (wrong += bytes.toString()));
  const lines = createInterface(child.stdout);
  const id = await new Promise<string>((resolve, reject) => {
    lines.on("line", (text) => {
      const { waiting: groups, state, ...value } = JSON.parse(text) as WorkerMessage; // the script prints one object per line
      if (groups) waiting.push(...groups);
      else if (state) states.push(state);
      else said.push(value);
      if (typeof value["started"] === "string") resolve(value["started"]);
    });
    void ended.then((code) => reject(new Error(`the worker left with ${code}: ${JSON.stringify(said)} ${wrong}`)));
  });
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  return {
    id,
    pid: child.pid ?? 0,
    kill,
    ended,
    said,
    states,
    waiting,
    end: async () => {
      kill("SIGKILL");
      await ended;
    },
  };
}

/** A guard against what never comes, below that of the tests: this one says what was waited for. */
const PATIENCE_MS = 240_000;

/** Resolves as soon as something is so: another process makes it so. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  signal?: AbortSignal,
): Promise<T> {
  const begun = performance.now();
  // What takes longer is looked at less often: each look is a statement of the database, beside workers that need it.
  for (let pauseMs = 10; ; pauseMs = Math.min(60, pauseMs * 1.2)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    signal?.throwIfAborted();
    if (!signal && performance.now() - begun > PATIENCE_MS) throw new Error(`waited in vain for ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
