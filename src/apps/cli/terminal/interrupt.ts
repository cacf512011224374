import { killChildProcesses } from "../../../shell/process/processes.ts";
import { applyStyle, type Io } from "./io.ts";

export interface InterruptListener {
  readonly signal: AbortSignal;
  /** [Z11] Aborted instead while the cast sleeps: the cast stays asleep. */
  readonly released: AbortSignal;
  readonly stop: () => void;
}

/** [C10] The first Ctrl-C or SIGTERM stops the cast cleanly, a second one exits at once. */
export function listenForInterrupt(io: Io, isAsleep = () => false): InterruptListener {
  const controller = new AbortController();
  const release = new AbortController();
  const interrupted = (): void => {
    if (controller.signal.aborted) exitAtOnce();
    if (isAsleep() && !release.signal.aborted) return release.abort();
    io.err(`\n${applyStyle(io, "yellow", "Stopping… (once more to leave at once)")}\n`);
    controller.abort();
  };
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  process.on("SIGHUP", interrupted);
  const stop = (): void => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, interrupted);
  };
  return { signal: controller.signal, released: release.signal, stop };
}

function exitAtOnce(): never {
  // Programs and commands lead their own process groups, so they would survive.
  killChildProcesses();
  process.exit(130);
}
