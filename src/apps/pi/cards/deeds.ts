import { oneLine } from "../../../core/model/values/text.ts";
import { countedText } from "../../../core/view/numbers.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { TurnProgress } from "../../../shell/ports.ts";

/** What an agent has done in a visit: its tool calls, and what those that failed said. */
export interface ToolCalls {
  readonly recordProgress: (progress: TurnProgress) => void;
  /** Another visit begins. */
  readonly clear: () => void;
  /** In a few words: the commands, and how many calls failed. */
  readonly summary: () => string | undefined;
  readonly lines: () => readonly Line[];
}

interface RecordedCall {
  readonly name: string;
  readonly text: string;
  readonly state: "running" | "done" | "failed";
  readonly said: string;
}

/** As many as a person reads. */
const MAX_CALLS_KEPT = 60;

export function createToolCalls(): ToolCalls {
  const deeds = new Map<string, RecordedCall>();
  const counts = { commands: 0, failed: 0, all: 0 };
  return {
    recordProgress: (progress) => {
      if (progress.kind === "tool_started") {
        const { id, name, args } = progress;
        counts.all += 1;
        if (COMMAND_TOOLS.has(name)) counts.commands += 1;
        deeds.set(id, { name, text: oneLine(firstArgument(args), 200), state: "running", said: "" });
        for (const oldest of [...deeds.keys()].slice(0, Math.max(0, deeds.size - MAX_CALLS_KEPT))) deeds.delete(oldest);
      }
      if (progress.kind !== "tool_ended") return;
      if (progress.failed) counts.failed += 1;
      const deed = deeds.get(progress.id);
      if (!deed) return;
      const said = progress.failed ? oneLine((progress.said ?? "").trim(), 300) : "";
      deeds.set(progress.id, { ...deed, state: progress.failed ? "failed" : "done", said });
    },
    clear: () => {
      deeds.clear();
      Object.assign(counts, { commands: 0, failed: 0, all: 0 });
    },
    summary: () => {
      const parts = [
        ...(counts.commands > 0 ? [`ran ${countedText(counts.commands, "command")}`] : []),
        ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
      ];
      return parts.length === 0 ? undefined : parts.join(", ");
    },
    lines: () => {
      const more = counts.all - deeds.size;
      const earlier = more > 0 ? [line(CALL_INDENT, toned("dim", `… ${countedText(more, "earlier call")}`))] : [];
      return [...earlier, ...[...deeds.values()].flatMap(toolCallLines)];
    },
  };
}

const COMMAND_TOOLS: ReadonlySet<string> = new Set(["bash", "powershell"]);
const CALL_INDENT = "    ";
const CALL_MARKS = { running: toned("accent", "▸ "), done: toned("ok", "✓ "), failed: toned("bad", "✕ ") } as const;

function toolCallLines({ name, text, state, said }: RecordedCall): readonly Line[] {
  const call = COMMAND_TOOLS.has(name) ? `$ ${text}` : `${name} ${text}`;
  const why = said === "" ? [] : [line(CALL_INDENT, "  ", toned("bad", said))];
  return [line(CALL_INDENT, CALL_MARKS[state], toned("dim", call.trim())), ...why];
}

function firstArgument(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const [first] = Object.values(args);
  return typeof first === "string" ? first : JSON.stringify(args);
}
