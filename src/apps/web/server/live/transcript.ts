import { NO_USAGE, addUsage } from "../../../../core/cast/state/usage.ts";
import type { AgentProgress } from "../../../../core/wire/stream.ts";
import { parseTranscriptLine, type TranscriptMessage, type TranscriptPart } from "../../../../core/wire/transcript.ts";
import { tailOfOutput } from "../../../../shell/casting/live/notes.ts";
import type { Subscription, TranscriptUpdate, VisitRef } from "../../../../shell/store/cast-store.ts";

/** What a visit's transcript tells of its agent, message by message. */
export interface TranscriptProgressReader {
  readonly next: () => Promise<AgentProgress | undefined>;
  readonly close: () => void;
}

export function openTranscriptProgress({ socket, visit }: VisitRef, lines: Subscription<TranscriptUpdate>): TranscriptProgressReader {
  const waiting: AgentProgress[] = [];
  const before = { text: 0, thinking: 0 };
  let used = NO_USAGE;
  const place = { socket, visit };

  const said = (kind: "text" | "thinking", delta: string): readonly AgentProgress[] => {
    if (delta === "") return [];
    const from = before[kind];
    before[kind] += delta.length;
    return [{ ...place, kind, from, delta }];
  };
  const partNotes = (part: TranscriptPart): readonly AgentProgress[] => {
    if (part.type === "text") return said("text", part.text ?? "");
    if (part.type === "thinking") return said("thinking", part.thinking ?? "");
    if (part.type !== "toolCall" || part.id === undefined || part.name === undefined) return [];
    return [{ ...place, kind: "tool_started", id: part.id, name: part.name, args: part.arguments }];
  };
  const answerNotes = ({ content, usage }: TranscriptMessage): readonly AgentProgress[] => {
    const words = typeof content === "string" ? said("text", content) : content.flatMap(partNotes);
    if (!usage) return words;
    used = addUsage(used, usage);
    return [...words, { ...place, kind: "used", usage: used }];
  };
  const messageNotes = (message: TranscriptMessage): readonly AgentProgress[] => {
    const { role, toolCallId, toolName, isError } = message;
    if (role === "user") {
      used = NO_USAGE;
      before.text = 0;
      before.thinking = 0;
      return [{ ...place, kind: "asked" }];
    }
    if (role === "assistant") return answerNotes(message);
    if (role !== "toolResult" || toolCallId === undefined) return [];
    return [
      {
        ...place,
        kind: "tool_ended",
        id: toolCallId,
        name: toolName ?? "",
        failed: isError === true,
        said: toolOutputText(message),
      },
    ];
  };

  return {
    next: async () => {
      if (waiting.length > 0) return waiting.shift();
      const news = await lines.next();
      for (const line of news.kind === "lines" ? news.lines : []) {
        const message = parseTranscriptLine(line);
        if (message) waiting.push(...messageNotes(message));
      }
      return waiting.shift();
    },
    close: lines.close,
  };
}

function toolOutputText({ content }: TranscriptMessage): string {
  return tailOfOutput(typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n"));
}
