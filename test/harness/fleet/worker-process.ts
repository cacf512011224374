// A worker as `materia worker` starts one, with others' patience: a test need not wait as long as a fleet does.
import { flushCompileCache } from "node:module";
import { runWorker } from "../../../src/shell/fleet/worker/worker.ts";
import type { ResolvedFleetProfile } from "../../../src/shell/fleet/open-fleet.ts";

const { profile, folder, queues, concurrency, pace, patienceMs, toolsUser, sweepError } = JSON.parse(
  process.argv[2] ?? "{}",
) as {
  profile: ResolvedFleetProfile;
  folder: string;
  queues: readonly string[];
  concurrency: number;
  patienceMs?: number;
  toolsUser?: string;
  sweepError?: string;
  pace: Parameters<typeof runWorker>[0]["pace"] & object;
}; // given by the test that starts it
// The end of the process that started it, for any reason.
process.stdin.on("end", () => process.exit(1)).resume();
const [draining, stopping] = [new AbortController(), new AbortController()];
process.on("SIGTERM", () => (draining.signal.aborted ? stopping : draining).abort());
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const done = await runWorker({
  profile,
  queues,
  concurrency,
  env: process.env,
  folder,
  pace,
  ...(patienceMs === undefined ? {} : { patienceMs }),
  ...(toolsUser === undefined ? {} : { toolsUser }),
  draining: draining.signal,
  stopping: stopping.signal,
  onStarted: (figures) => {
    say({ started: figures().workerId });
    // Written now: most tests kill the worker, and the next ones load what it has compiled.
    flushCompileCache();
  },
  onDispatch: say,
  onState: (state) => say({ state }),
  onWaiting: (waiting) => {
    if (sweepError !== undefined) throw new TypeError(sweepError);
    say({ waiting });
  },
});
if (!done.ok) say({ issues: done.issues });
process.exit(done.ok ? done.value : 2);
