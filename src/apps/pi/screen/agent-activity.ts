import { oneLine } from "../../../core/model/text.ts";
import { wrapColumns, line, toned, type Line } from "../../../core/view/line.ts";
import { liveArgumentText } from "../../../core/view/report/visit-detail.ts";
import type { TurnProgress } from "../../../shell/ports.ts";

/** Recent activity of an agent: its last tool calls, and the end of its text. */
export interface AgentActivity {
  readonly steps: readonly ToolStep[];
  readonly saying: string;
  readonly state: "asking" | "thinking" | "saying" | "working" | "retrying";
  /** The next attempt, and its time in milliseconds. */
  readonly retry?: { readonly attempt: number; readonly at: number };
}

interface ToolStep {
  readonly id: string;
  readonly text: string;
  readonly how: "running" | "done" | "failed";
}

export const IDLE_ACTIVITY: AgentActivity = { steps: [], saying: "", state: "asking" };

const STEPS_KEPT = 12;
const SAYING_KEPT = 2_000;

export function applyProgress(activity: AgentActivity, progress: TurnProgress, now = Date.now()): AgentActivity {
  switch (progress.kind) {
    case "told":
      return { ...activity, saying: "", state: "asking" };
    case "thinking":
      return { ...activity, state: "thinking" };
    case "text": {
      const before = activity.state === "saying" ? activity.saying : "";
      return { ...activity, saying: `${before}${progress.delta}`.slice(-SAYING_KEPT), state: "saying" };
    }
    case "tool_started": {
      const { id, name, args } = progress;
      const step: ToolStep = { id, text: `${name} ${oneLine(liveArgumentText(args), 200)}`.trim(), how: "running" };
      return { ...activity, steps: [...activity.steps.slice(1 - STEPS_KEPT), step], state: "working" };
    }
    case "tool_ended": {
      const how = progress.failed ? "failed" : "done";
      const steps = activity.steps.map((step) => (step.id === progress.id ? ({ ...step, how } as const) : step));
      return { ...activity, steps, state: "asking" };
    }
    case "tool_said":
    case "tools_over":
    case "compacted":
    case "used":
      return activity;
    case "retrying":
      return {
        ...activity,
        saying: progress.error,
        state: "retrying",
        retry: { attempt: progress.attempt, at: now + progress.delayMs },
      };
  }
}

export const CALL_MARKS = {
  running: toned("accent", "▸ "),
  done: toned("ok", "✓ "),
  failed: toned("bad", "✕ "),
} as const;

/** [X9] The last steps and the last words; more of both if there is room. */
export function activityLines(activity: AgentActivity, width: number, opened: boolean): readonly Line[] {
  const { steps } = activity;
  const shown = opened ? { steps: 8, words: 6 } : { steps: 2, words: 1 };
  const done = steps.slice(-shown.steps).map((step) => line("  ", CALL_MARKS[step.how], toned("dim", step.text)));
  return [...done, ...currentLines(activity, { width: width - 4, count: shown.words })];
}

function currentLines(
  { saying, state, retry }: AgentActivity,
  { width, count }: { readonly width: number; readonly count: number },
): readonly Line[] {
  switch (state) {
    case "asking":
      return [line("  ", toned("dim", "… asking"))];
    case "thinking":
      return [line("  ", toned("dim", "… thinking"))];
    case "working":
      return [];
    case "retrying":
      return [line("  ", toned("rework", `↻ ${retryText(retry)}: ${oneLine(saying, width)}`))];
    case "saying": {
      const words = wrapColumns(oneLine(saying, SAYING_KEPT), Math.max(20, width)).slice(-count);
      return words.map((each) => line("  ", toned("dim", `» ${each}`)));
    }
  }
}

function retryText(retry: AgentActivity["retry"]): string {
  if (!retry) return "trying again";
  const seconds = Math.ceil((retry.at - Date.now()) / 1000);
  return `retry ${retry.attempt}${seconds > 0 ? ` in ${seconds} s` : ""}`;
}
