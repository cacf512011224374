import type { QueueCommand } from "../../core/command/queue-command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { countedText, oneLine } from "../../core/model/text.ts";
import { statusSpan, statusSymbol, statusText } from "../../core/view/cast-list.ts";
import { issueJson } from "../../core/view/issues.ts";
import { line, toned } from "../../core/view/line.ts";
import { costText, sleepText } from "../../core/view/numbers.ts";
import { runQueue, startQueueRun } from "../../shell/commands/queue.ts";
import { runQueuedCasts, type QueueRunResult, type QueueRunRow } from "../../shell/commands/queue-run.ts";
import { PAUSE_REASON } from "../../shell/context/run-context.ts";
import {
  listenForInterrupt,
  jsonText,
  printAnswer,
  printIssues,
  printLines,
  type CliContext,
  type Io,
} from "./terminal/io.ts";
import { commandCallerFor } from "./terminal/prompts.ts";

export async function runQueueCommand(command: QueueCommand, request: CliContext): Promise<Result<number>> {
  const { io, options, workspace } = request;
  if (command.action !== "run") {
    const { texts = { from: io.cwd } } = await commandCallerFor({ ...request, io: { ...io, canAsk: false } });
    const done = await runQueue(workspace, command, texts);
    return done.ok ? ok(printAnswer(io, options, done.value)) : done;
  }
  if (options.detach) {
    const started = await startQueueRun(command, await commandCallerFor(request));
    return started.ok ? ok(printAnswer(io, options, started.value)) : started;
  }
  const isShown = !options.json && !options.quiet;
  const pause = new AbortController();
  const interrupt = listenForInterrupt(io);
  // [YQ6] Casts that are interrupted stay in the queue; the next run continues them.
  interrupt.signal.addEventListener("abort", () => pause.abort(PAUSE_REASON));
  const done = await runQueuedCasts(command, await commandCallerFor(request), {
    signal: pause.signal,
    onBegin: (castId, text) => {
      if (isShown) printLines(io, [line(toned("dim", `→ ${castId}  `), oneLine(text, 80))]);
    },
    // Nothing else would be said for hours.
    onSteps: (steps) => {
      const slept = steps.find(({ event }) => event.type === "cast_sleeping")?.after;
      if (!isShown || slept?.phase.kind !== "sleeping") return;
      printLines(io, [line(statusSpan("sleeping"), ` ${slept.castId}  `, sleepText(slept.phase, Date.now()))]);
    },
    onEnd: (row) => {
      if (isShown) printRow(io, row);
    },
  });
  interrupt.stop();
  if (!done.ok) return done;
  const { casts, cost, left, stopped } = done.value;
  if (options.json) {
    const rows = casts.map(({ issues, ...row }) => ({ ...row, ...(issues ? { issues: issues.map(issueJson) } : {}) }));
    io.out(`${jsonText({ ...done.value, casts: rows }, 2)}\n`);
  } else {
    const why = stopped === "end" ? "" : ` Stopped: ${STOP_TEXTS[stopped]}.`;
    const begun = casts.filter(({ status }) => status !== "refused").length;
    printLines(io, [line(`${countedText(begun, "request")} cast for ${costText(cost)}, ${left} left.${why}`)]);
  }
  return ok(exitCodeOf(done.value));
}

const STOP_TEXTS = {
  until: "the time is over",
  cost: "the cost is reached",
  limit: "a limit of the provider (--wait sleeps through it)",
  interrupted: "interrupted",
} as const;

function printRow(io: Io, { request, castId, status, cost, issues }: QueueRunRow): void {
  const mark = status === "refused" ? toned("bad", "✗") : statusSymbol(status);
  const text = status === "refused" ? status : statusText(status);
  printLines(io, [line(mark, ` ${text} ${castId ?? ""}  `, oneLine(request, 60), toned("dim", `  ${costText(cost)}`))]);
  printIssues(io, issues ?? []);
}

function exitCodeOf({ casts, stopped }: QueueRunResult): number {
  if (stopped === "interrupted") return 130;
  const has = (...wanted: readonly QueueRunRow["status"][]): boolean =>
    casts.some(({ status }) => wanted.includes(status));
  if (has("refused", "failed", "aborted", "interrupted")) return 1;
  if (has("paused", "sleeping")) return 75;
  if (has("waiting")) return 4;
  return has("not_satisfied") ? 3 : 0;
}
