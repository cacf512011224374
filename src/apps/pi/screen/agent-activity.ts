import { oneLine, countedText } from "../../../core/model/text.ts";
import { wrapColumns, line, toned, type Line } from "../../../core/view/line.ts";
import { liveArgumentText } from "../../../core/view/report/visit-detail.ts";
import type { TurnProgress } from "../../../shell/ports.ts";

/** Recent activity of the agent of a visit: its last tool calls, and the end of its text. */
export interface AgentActivity {
  readonly steps: readonly ToolStep[];
  /** Also of calls that are not kept. */
  readonly counts: { readonly calls: number; readonly commands: number; readonly failed: number };
  readonly saying: string;
  readonly state: "asking" | "thinking" | "saying" | "working" | "retrying";
  /** The next attempt, and its time in milliseconds. */
  readonly retry?: { readonly attempt: number; readonly at: number };
}

interface ToolStep {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly how: "running" | "done" | "failed";
  /** The output of a failed call. */
  readonly said: string;
}

export const IDLE_ACTIVITY: AgentActivity = {
  steps: [],
  counts: { calls: 0, commands: 0, failed: 0 },
  saying: "",
  state: "asking",
};

const COMMAND_TOOLS: ReadonlySet<string> = new Set(["bash", "powershell"]);
/** More is not readable on a card. */
const STEPS_KEPT = 60;
const SAYING_KEPT = 2_000;

export function applyProgress(activity: AgentActivity, progress: TurnProgress, now = Date.now()): AgentActivity {
  const { counts } = activity;
  switch (progress.kind) {
    case "asked":
      return { ...activity, saying: "", state: "asking" };
    case "thinking":
      return { ...activity, state: "thinking" };
    case "text": {
      const before = activity.state === "saying" ? activity.saying : "";
      return { ...activity, saying: `${before}${progress.delta}`.slice(-SAYING_KEPT), state: "saying" };
    }
    case "tool_started": {
      const { id, name, args } = progress;
      const text = oneLine(liveArgumentText(args), 200);
      const steps = [...activity.steps.slice(1 - STEPS_KEPT), { id, name, text, how: "running", said: "" } as const];
      const commands = counts.commands + (COMMAND_TOOLS.has(name) ? 1 : 0);
      return { ...activity, steps, counts: { ...counts, calls: counts.calls + 1, commands }, state: "working" };
    }
    case "tool_ended": {
      const { id, failed } = progress;
      const how = failed ? "failed" : "done";
      const said = failed ? oneLine((progress.said ?? "").trim(), 300) : "";
      const steps = activity.steps.map((step) => (step.id === id ? ({ ...step, how, said } as const) : step));
      return { ...activity, steps, counts: { ...counts, failed: counts.failed + (failed ? 1 : 0) }, state: "asking" };
    }
    case "tool_said":
    case "tools_over":
    case "extension_asked":
    case "compacted":
      return activity;
    case "used":
      // The next reply is another paragraph.
      return { ...activity, saying: activity.saying === "" ? "" : `${activity.saying}\n` };
    case "retrying": {
      const retry = { attempt: progress.attempt, at: now + progress.delayMs };
      return { ...activity, saying: progress.error, state: "retrying", retry };
    }
  }
}

const CALL_MARKS = {
  running: toned("accent", "▸ "),
  done: toned("ok", "✓ "),
  failed: toned("bad", "✕ "),
} as const;

/** [X9] The last steps and the last words; more of both if there is room. */
export function activityLines(activity: AgentActivity, width: number, opened: boolean): readonly Line[] {
  const last = activity.steps.slice(opened ? -8 : -2);
  return [
    ...last.map(({ name, text, how }) => line("  ", CALL_MARKS[how], toned("dim", `${name} ${text}`.trim()))),
    ...currentLines(activity, width - 4, opened ? 6 : 1),
  ];
}

function currentLines({ saying, state, retry }: AgentActivity, width: number, count: number): readonly Line[] {
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

/** [X10] The commands and the failed calls of a visit, in a few words. */
export function callSummary({ counts: { commands, failed } }: AgentActivity): string {
  return [commands > 0 && `ran ${countedText(commands, "command")}`, failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(", ");
}

/** [X55] Each call of a visit, and why it failed. */
export function callLines({ steps, counts }: AgentActivity): readonly Line[] {
  const more = counts.calls - steps.length;
  const earlier = more > 0 ? [line(toned("dim", `… ${countedText(more, "earlier call")}`))] : [];
  return [
    ...earlier,
    ...steps.flatMap(({ name, text, how, said }) => [
      line(CALL_MARKS[how], toned("dim", `${COMMAND_TOOLS.has(name) ? "$" : name} ${text}`.trim())),
      ...(said === "" ? [] : [line("  ", toned("bad", said))]),
    ]),
  ];
}
