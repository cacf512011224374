import { retryText } from "../../../core/view/numbers.ts";
import { type CastStep, advanceTimeline, type CastTimeline } from "../../../core/cast/timeline.ts";
import { addUsage } from "../../../core/cast/state/usage.ts";
import { oneLine } from "../../../core/model/text.ts";
import { boardLines, castBoard } from "../../../core/view/progress/board.ts";
import { waitLine } from "../../../core/view/progress/fleet-status.ts";
import { eventLine } from "../../../core/view/report/event-lines.ts";
import { liveArgumentText } from "../../../core/view/report/visit-detail.ts";
import { wrapLineHanging, fitLine, line, toned, type Line } from "../../../core/view/line.ts";
import { withProgramName } from "../../../core/view/issues.ts";
import type { RunObserver, QueueStatus } from "../../../shell/context/run-context.ts";
import {
  createItemRows,
  NO_UNCOUNTED_USAGE,
  usageAfterEvent,
  usageAfterProgress,
  estimateUsage,
} from "../../../shell/casting/live-items.ts";
import { setupLines, setupText } from "../../../shell/commands/status.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import { type Io, jsonText, paintLine } from "./io.ts";

interface ProgressDisplay extends Omit<RunObserver, "signal" | "released"> {
  readonly onSteps: (steps: readonly CastStep[]) => void;
  /** Shows nothing until the returned function is called: a person answers a question. */
  readonly hold: () => () => void;
  readonly stop: () => void;
}

/** [C12] How a running cast is shown. `trailSoFar` is what happened before, for who draws it. */
export function openProgress(
  io: Io,
  { json, quiet }: { readonly json?: true; readonly quiet?: true },
  trailSoFar: () => CastTimeline,
): ProgressDisplay {
  const print = (steps: readonly CastStep[]): void => {
    if (json) io.out(steps.map(({ event }) => `${jsonText(event)}\n`).join(""));
  };
  if (quiet) return { onSteps: print, ...NOTHING_TO_HOLD };
  return io.live && !json ? liveProgress(io, trailSoFar()) : lineProgress(io, print);
}

/** One plain line for each reported event, on standard error. */
function lineProgress(io: Io, also: (steps: readonly CastStep[]) => void): ProgressDisplay {
  let lastWords = "";
  const tell = (words: string): void => {
    if (words !== lastWords) io.err(`${words}\n`);
    lastWords = words;
  };
  return {
    onQueued: (queued) => {
      for (const each of queueLines(io, queued)) tell(paintLine({ ...io, color: false }, each));
    },
    onSettingUp: (settingUp) => {
      if (settingUp) tell(setupText(settingUp));
    },
    onSteps: (steps) => {
      also(steps);
      for (const { before, event } of steps) {
        const shown = eventLine(before, event);
        if (shown !== undefined) io.err(`${paintLine({ ...io, color: false }, shown)}\n`);
      }
    },
    ...NOTHING_TO_HOLD,
  };
}

const NOTHING_TO_HOLD = { hold: () => () => undefined, stop: () => undefined };

/** Draws the board over itself, a few times a second: time passes between events. */
function liveProgress(io: Io, start: CastTimeline): ProgressDisplay {
  let timeline = start;
  const frame = createFrame(io);
  let activity = "";
  let turn = NO_UNCOUNTED_USAGE;
  const items = createItemRows();
  let queued: QueueStatus | undefined;
  let settingUp: Parameters<typeof setupLines>[0];
  const draw = (): void => {
    const width = io.columns() - 1;
    const now = Date.now();
    const alive = queued ? "queued" : true;
    const board = castBoard(timeline, { now, alive, used: addUsage(estimateUsage(turn), items.usage()) });
    const below = [...queueLines(io, queued), ...setupLines(settingUp, now)];
    frame.show([
      ...boardLines({ ...board, next: [] }, width),
      ...(board.asleep ? [fitLine(line(toned("dim", "Ctrl+C leaves it asleep")), width)] : []),
      ...items.lines(now, width),
      ...below.flatMap((each) => wrapLineHanging(each, width).map((row) => fitLine(row, width))),
      ...(activity === "" ? [] : [fitLine(line(toned("dim", activity)), width)]),
    ]);
  };
  const timer = setInterval(draw, 250);
  timer.unref();
  draw();
  return {
    onSteps: (steps) => {
      for (const step of steps) {
        timeline = advanceTimeline(timeline, step);
        items.onParentStep(step);
        turn = usageAfterEvent(turn, step.event);
        if (step.event.type === "visit_started" || step.event.type === "visit_completed") activity = "";
      }
      draw();
    },
    onProgress: (progress) => {
      activity = activityText(progress, activity);
      turn = usageAfterProgress(turn, progress);
    },
    onItemSteps: (steps) => {
      items.onItemSteps(steps);
      draw();
    },
    // Drawn with the next tick: an agent writes faster than people read.
    onItemProgress: items.onItemProgress,
    onItemQueued: items.onItemQueued,
    onQueued: (why) => {
      queued = why;
      draw();
    },
    onSettingUp: (now) => {
      settingUp = now;
      draw();
    },
    hold: frame.hold,
    stop: () => {
      clearInterval(timer);
      frame.clear();
    },
  };
}

/** [B72] With a way out as typed here. */
function queueLines({ program }: Io, queued: QueueStatus | undefined): readonly Line[] {
  return queued ? withProgramName([waitLine(queued, queued.fleet)], program) : [];
}

function createFrame(io: Io) {
  let drawn = 0;
  let isHeld = false;
  const erase = (): string => (drawn === 0 ? "" : `\u001b[${drawn}A\u001b[0J`);
  const clear = (): void => {
    io.err(erase());
    drawn = 0;
  };
  return {
    show: (lines: readonly Line[]): void => {
      if (isHeld) return;
      const text = lines.map((each) => `${paintLine(io, each)}\n`).join("");
      // Synchronized output: the terminal shows the board at once, never half erased.
      io.err(`\u001b[?2026h${erase()}${text}\u001b[?2026l`);
      drawn = lines.length;
    },
    clear,
    hold: () => {
      clear();
      isHeld = true;
      return () => void (isHeld = false);
    },
  };
}

function activityText(progress: TurnProgress, before: string): string {
  switch (progress.kind) {
    case "tool_started":
      return `${progress.name} ${oneLine(liveArgumentText(progress.args), 200)}`;
    case "text":
      return oneLine(`${before.startsWith("» ") ? before : "» "}${progress.delta}`, 10_000).slice(-300);
    case "retrying":
      return `${retryText(progress.delayMs, Date.now())}: ${oneLine(progress.error, 120)}`;
    case "compacted":
      return "the conversation was summarised";
    case "asked":
      return "asking…";
    case "thinking":
      return "thinking…";
    case "tool_said":
    case "tool_ended":
    case "tools_over":
    case "used":
    case "extension_asked":
      return before;
  }
}
