import { join } from "node:path";
import { NO_USAGE, addUsage } from "../../../../core/cast/usage.ts";
import type { Progress } from "../../../../core/wire/stream.ts";
import { transcriptMessage } from "../../../../core/wire/transcript.ts";
import type { TranscriptMessage, TranscriptPart } from "../../../../core/wire/transcript.ts";
import { isInside } from "../http/inside.ts";
import { journalReader } from "./journal-reader.ts";

/** What a visit's transcript tells of its agent, message by message. */
export interface TranscriptNotes {
  readonly folder: string;
  readonly next: () => Progress | undefined;
}

export function transcriptNotes(runDir: string, socket: string, visit: number): TranscriptNotes {
  const folder = join(runDir, "sockets", socket, String(visit));
  const file = join(folder, "transcript.jsonl");
  let reader = journalReader(file, 0);
  const waiting: Progress[] = [];
  const before = { text: 0, thinking: 0 };
  let used = NO_USAGE;
  const place = { socket, visit };

  const said = (kind: "text" | "thinking", delta: string): readonly Progress[] => {
    if (delta === "") return [];
    const from = before[kind];
    before[kind] += delta.length;
    return [{ ...place, kind, from, delta }];
  };
  const partNotes = (part: TranscriptPart): readonly Progress[] => {
    if (part.type === "text") return said("text", part.text ?? "");
    if (part.type === "thinking") return said("thinking", part.thinking ?? "");
    if (part.type !== "toolCall" || part.id === undefined || part.name === undefined) return [];
    return [{ ...place, kind: "tool_started", id: part.id, name: part.name, args: part.arguments }];
  };
  const answerNotes = ({ content, usage }: TranscriptMessage): readonly Progress[] => {
    const words = typeof content === "string" ? said("text", content) : content.flatMap(partNotes);
    if (!usage) return words;
    used = addUsage(used, usage);
    return [...words, { ...place, kind: "used", usage: used }];
  };
  const messageNotes = (message: TranscriptMessage): readonly Progress[] => {
    const { role, toolCallId, toolName, isError } = message;
    if (role === "user") {
      used = NO_USAGE;
      before.text = 0;
      before.thinking = 0;
      return [{ ...place, kind: "asked" }];
    }
    if (role === "assistant") return answerNotes(message);
    if (role !== "toolResult" || toolCallId === undefined) return [];
    return [{ ...place, kind: "tool_ended", id: toolCallId, name: toolName ?? "", failed: isError === true }];
  };

  return {
    folder,
    next: () => {
      if (waiting.length > 0) return waiting.shift();
      if (!isInside(runDir, file)) return undefined;
      const reading = reader.read();
      // A visit that begins again empties it.
      if (reading.kind === "lost") reader = journalReader(file, 0);
      if (reading.kind === "lines")
        for (const line of reading.lines) {
          const message = transcriptMessage(line);
          if (message) waiting.push(...messageNotes(message));
        }
      return waiting.shift();
    },
  };
}
