import { watch } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TestCommand } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { loadWorkspace } from "../../shell/workspace/workspace.ts";
import { projectConfigFile } from "../../shell/config/config.ts";
import { runTestCommand } from "../../shell/commands/test.ts";
import { folderExists } from "../../shell/system/folders.ts";
import { createFolderWatcher, everySecond } from "../../shell/system/folder-watcher.ts";
import { TESTS_FOLDER, findTests, withTestTrust } from "../../shell/testing/find-tests.ts";
import { listenForInterrupt, applyStyle, type CliContext, printAnswer, printIssues } from "./terminal/io.ts";
import { askForTrust } from "./terminal/prompts.ts";

/** [T3, T12] Runs tests once, or after every change until interrupted. */
export async function runOrWatchTests(command: TestCommand, request: CliContext): Promise<Result<number>> {
  const { io, options } = request;
  const found = findTests(command.paths, { from: io.cwd, cwd: request.workspace.place.cwd });
  const asking = found.ok ? withTestTrust(request.workspace, found.value) : request.workspace;
  const { workspace, remember } = await askForTrust({ ...request, workspace: asking });
  let isAgreed = asking.trust.kind === "asked" && workspace.trust.kind === "given";
  if (isAgreed) remember();
  const interrupt = listenForInterrupt(io);
  const once = async (): Promise<Result<number>> => {
    // The configuration itself may have changed.
    const opened = loadWorkspace(workspace.place, workspace.root);
    if (!opened.ok) return opened;
    const asked = isAgreed ? { ...command, trust: true as const } : command;
    // [T47] The person agreed to what was shown: a change that would run something else is refused.
    isAgreed = false;
    const answer = await runTestCommand(opened.value, asked, { from: io.cwd, signal: interrupt.signal });
    return answer.ok ? ok(printAnswer(io, options, answer.value)) : answer;
  };
  try {
    const first = await once();
    if (!command.watch) return first;
    if (!first.ok) printIssues(io, first.issues);
    await rerunOnChange(command, request, { once, signal: interrupt.signal });
    return ok(0);
  } finally {
    interrupt.stop();
  }
}

/** [T12] One run at a time: changes during a run cause one more run after it. */
async function rerunOnChange(
  { paths, junit }: TestCommand,
  { io, workspace }: CliContext,
  { once, signal }: { readonly once: () => Promise<Result<number>>; readonly signal: AbortSignal },
): Promise<void> {
  const { cwd } = workspace.place;
  const named = (paths.length === 0 ? [resolve(cwd, TESTS_FOLDER)] : paths.map((path) => resolve(io.cwd, path))).map(
    (path) => (folderExists(path) ? path : dirname(path)),
  );
  const folders = new Set([...named, dirname(projectConfigFile(cwd))]);
  // Files that a run writes, and files of git and packages, cause no run.
  const own = junit === undefined ? undefined : resolve(io.cwd, junit);
  const counts = (path: string): boolean => path !== own && !/[\\/](?:\.git|node_modules)(?:[\\/]|$)/.test(path);
  const watching = createFolderWatcher({
    watch: (folder, how, listener) =>
      watch(folder, { ...how, recursive: true }, (_event, name) => {
        if (name === null || counts(resolve(folder, name))) listener();
      }),
    everySecond,
  });
  let wake = (): void => undefined;
  let changed = false;
  const stops = [...folders].map((folder) =>
    watching.onChange(folder, () => {
      changed = true;
      wake();
    }),
  );
  // Watchers do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  signal.addEventListener("abort", () => wake());
  for (;;) {
    io.err(`${applyStyle(io, "dim", "Waiting for a change (Ctrl-C ends it)")}\n`);
    if (!changed && !signal.aborted) await new Promise<void>((resolve_) => (wake = resolve_));
    if (signal.aborted) break;
    changed = false;
    const done = await once();
    if (!done.ok) printIssues(io, done.issues);
  }
  clearInterval(alive);
  for (const stop of stops) stop();
}
