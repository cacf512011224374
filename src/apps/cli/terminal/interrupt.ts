import { killChildProcesses } from "../../../shell/process/processes.ts";
import { applyStyle, type Io } from "./io.ts";

/** [C10] The first Ctrl-C or SIGTERM stops the cast cleanly, a second one exits at once. */
export function listenForInterrupt(io: Io, isAsleep = () => false) {
  const controller = new AbortController();
  const release = new AbortController();
  const interrupted = (): void => {
    if (controller.signal.aborted) exitAtOnce();
    if (isAsleep() && !release.signal.aborted) return release.abort();
    io.err(`\n${applyStyle(io, "yellow", "Stopping… (once more to leave at once)")}\n`);
    controller.abort();
  };
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, interrupted);
  const stop = (): void => {
    for (const name of names) process.off(name, interrupted);
  };
  // [Z11] `released` is aborted instead while the cast sleeps: the cast stays asleep.
  return { signal: controller.signal, released: release.signal, stop };
}

function exitAtOnce(): never {
  // Programs and commands lead their own process groups, so they would survive.
  killChildProcesses();
  process.exit(130);
}
