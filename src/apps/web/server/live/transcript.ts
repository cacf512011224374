import { join } from "node:path";
import * as v from "valibot";
import { isInside } from "../http/inside.ts";
import { journalReader } from "./journal-reader.ts";
import type { Note } from "./progress.ts";

/** What a visit's transcript tells of its agent, message by message. */
export interface TranscriptNotes {
  readonly folder: string;
  readonly next: () => Note | undefined;
}

const Part = v.looseObject({
  type: v.string(),
  text: v.optional(v.string()),
  thinking: v.optional(v.string()),
  id: v.optional(v.string()),
  name: v.optional(v.string()),
  arguments: v.optional(v.unknown()),
});
const Entry = v.looseObject({
  type: v.literal("message"),
  message: v.looseObject({
    role: v.string(),
    content: v.union([v.string(), v.array(Part)]),
    toolCallId: v.optional(v.string()),
    toolName: v.optional(v.string()),
    isError: v.optional(v.boolean()),
  }),
});
type Message = v.InferOutput<typeof Entry>["message"];
type Part = v.InferOutput<typeof Part>;

export function transcriptNotes(runDir: string, socket: string, visit: number): TranscriptNotes {
  const folder = join(runDir, "sockets", socket, String(visit));
  const file = join(folder, "transcript.jsonl");
  let reader = journalReader(file, 0);
  const waiting: Note[] = [];
  const before = { text: 0, thinking: 0 };
  const place = { socket, visit };

  const said = (kind: "text" | "thinking", delta: string): readonly Note[] => {
    if (delta === "") return [];
    const from = before[kind];
    before[kind] += delta.length;
    return [{ ...place, kind, from, delta }];
  };
  const partNotes = (part: Part): readonly Note[] => {
    if (part.type === "text") return said("text", part.text ?? "");
    if (part.type === "thinking") return said("thinking", part.thinking ?? "");
    if (part.type !== "toolCall" || part.id === undefined || part.name === undefined) return [];
    return [{ ...place, kind: "tool_started", id: part.id, name: part.name, args: part.arguments }];
  };
  const messageNotes = ({ role, content, toolCallId, toolName, isError }: Message): readonly Note[] => {
    if (role === "user") {
      before.text = 0;
      before.thinking = 0;
      return [{ ...place, kind: "asked" }];
    }
    if (role === "assistant") return typeof content === "string" ? said("text", content) : content.flatMap(partNotes);
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
          const message = messageOf(line);
          if (message) waiting.push(...messageNotes(message));
        }
      return waiting.shift();
    },
  };
}

function messageOf(line: string): Message | undefined {
  try {
    const parsed = v.safeParse(Entry, JSON.parse(line));
    return parsed.success ? parsed.output.message : undefined;
  } catch {
    return undefined;
  }
}
