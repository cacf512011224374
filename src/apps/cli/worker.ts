import { castTelemetry } from "../../shell/workspace/telemetry-target.ts";
import { join } from "node:path";
import type { CommandOf } from "../../core/command/command.ts";
import type { Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { sanitizeForTerminal, oneLine } from "../../core/model/text.ts";
import { waitGroupText, type WaitGroup } from "../../core/view/progress/fleet-status.ts";
import { deliveryText } from "../../core/view/cast-list.ts";
import { loadPi } from "../../shell/agents/pi-sdk.ts";
import { localFleetFolder } from "../../shell/fleet/local-fleet.ts";
import { resolveFleetProfile } from "../../shell/fleet/open-fleet.ts";
import { serveHealth } from "../../shell/fleet/worker/health-server.ts";
import type { DispatchReport } from "../../shell/fleet/worker/dispatch-runner.ts";
import { runWorker, type WorkerMetrics } from "../../shell/fleet/worker/worker.ts";
import type { WorkerState } from "../../shell/fleet/worker/duties.ts";
import { type Io, type CliContext, jsonText } from "./terminal/io.ts";

const TOOLS_USER_FOLDER = "/var/lib/pi-materia/work";
const FORCED_EXIT_MS = 2_000;

/** [B48] Runs casts of a fleet until stopped: drains after the first signal, stops at once after the second. */
export async function runWorkerCommand(
  command: CommandOf<"worker">,
  { io, options, workspace }: CliContext,
): Promise<Result<number>> {
  const profile = resolveFleetProfile(workspace.catalog, options.on ?? "", workspace.place);
  if (!profile.ok) return profile;
  const none: WorkerMetrics = { workerId: "", state: "starting", running: [], legs: {}, usage: [], refused: [] };
  let figures = () => none;
  const health = command.port === undefined ? undefined : await serveHealth(command.port, () => figures());
  if (health && !health.ok) return health;
  const signals = listenForStopSignals();
  try {
    const done = await runWorker({
      profile: profile.value,
      queues: command.queues ?? [profile.value.queue],
      concurrency: command.concurrency,
      env: workspace.place.env,
      telemetry: castTelemetry(workspace.catalog, workspace.place.env).telemetry,
      // Another user cannot read root's folders.
      folder: command.toolsUser === undefined ? join(localFleetFolder(workspace.place.env), "work") : TOOLS_USER_FOLDER,
      ...withoutUndefined({ toolsUser: command.toolsUser }),
      ...signals,
      onStarted: (asked) => {
        figures = asked;
        const at = health ? `; http://127.0.0.1:${health.value.port}/health` : "";
        const ready = `${asked().workerId} is ready for casts${at}. Ctrl-C requeues its casts at the end of a visit.\n`;
        if (!options.json) io.err(ready);
        // [B55] Load Pi now: taking over a cast must not wait for it.
        void loadPi().catch(() => undefined);
      },
      onState: (state) => printState(io, options.json === true, state),
      onDispatch: (report) => io.out(`${options.json ? jsonText(report) : dispatchLine(report)}\n`),
      onWaiting: (waiting) => io.out(options.json ? `${jsonText({ waiting })}\n` : waiting.map(queueLine).join("")),
    });
    // [B57] Evicted or failed: DBOS may wait for dispatches that other workers run now.
    if (done.ok && done.value !== 0) setTimeout(() => process.exit(), FORCED_EXIT_MS).unref();
    return done;
  } finally {
    health?.value.close();
    signals.stop();
  }
}

/** [B74] One line per state, in the log of dispatches. Its start has been printed already. */
function printState(io: Io, json: boolean, { kind, ...details }: WorkerState): void {
  if (kind === "running") return;
  const why = "reason" in details ? details.reason : undefined;
  io.out(json ? `${jsonText({ state: kind, why })}\n` : `${logLine(`worker ${kind}`, why)}\n`);
}

function dispatchLine({ castId, leg, ms, ...outcome }: DispatchReport): string {
  const delivered = "delivered" in outcome ? `, ${oneLine(deliveryText(outcome.delivered), 300)}` : "";
  const why = "why" in outcome ? outcome.why : undefined;
  return `${logLine(`${castId} dispatch ${leg} ${outcome.how} after ${ms} ms`, why)}${delivered}`;
}

function logLine(text: string, why: string | undefined): string {
  const time = new Date().toISOString();
  return `${time} ${text}${why === undefined ? "" : `: ${oneLine(sanitizeForTerminal(why), 300)}`}`;
}

/** [B71] And one for each reason to wait. */
function queueLine(group: WaitGroup): string {
  return `${new Date().toISOString()} ${oneLine(waitGroupText(group), 300)}\n`;
}

/** The first signal drains the worker, the second stops it. */
function listenForStopSignals() {
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const onSignal = (): void => (draining.signal.aborted ? stopping : draining).abort();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, onSignal);
  const stop = (): void => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, onSignal);
  };
  return { draining: draining.signal, stopping: stopping.signal, stop };
}
