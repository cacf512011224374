import { parseTranscriptLine, type TranscriptMessage } from "../../../../../../core/wire/transcript.ts";

/** A piece of what an agent said or did, in order. */
export type TranscriptBlock = { readonly kind: "text" | "thinking" | "note"; readonly text: string } | ToolCallBlock;

export interface ToolCallBlock {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Null while it runs. */
  readonly result: string | null;
  /** What it has said, while it runs. */
  readonly partialResult?: string;
  readonly failed: boolean;
}

/** The blocks of a transcript; a line that cannot be read is left out. */
export function parseTranscript(transcript: string): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = [];
  for (const line of transcript.split("\n")) {
    const message = parseTranscriptLine(line);
    if (message?.role === "assistant") blocks.push(...assistantBlocks(message));
    else if (message?.role === "toolResult") addToolResult(blocks, message);
    // The first words of a person are the prompt, which has a tab of its own.
    else if (message?.role === "user" && blocks.length > 0) blocks.push({ kind: "note", text: messageText(message) });
  }
  return blocks;
}

function assistantBlocks({ content }: TranscriptMessage): readonly TranscriptBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return content.flatMap((part): readonly TranscriptBlock[] => {
    if (part.type === "text" && part.text !== undefined && part.text !== "") return [{ kind: "text", text: part.text }];
    if (part.type === "thinking" && part.thinking) return [{ kind: "thinking", text: part.thinking }];
    if (part.type !== "toolCall") return [];
    const { id = "", name = "", arguments: args } = part;
    return [{ kind: "tool", id, name, args, result: null, failed: false }];
  });
}

function addToolResult(blocks: TranscriptBlock[], message: TranscriptMessage): void {
  const at = blocks.findLastIndex((block) => block.kind === "tool" && block.id === message.toolCallId);
  const block = blocks[at];
  if (block?.kind === "tool") blocks[at] = { ...block, result: messageText(message), failed: message.isError === true };
}

function messageText({ content }: TranscriptMessage): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}

/** The one argument that says most: a path, a command, a pattern. */
export function mainArgumentOf({ args }: ToolCallBlock): string {
  if (typeof args !== "object" || args === null) return "";
  const known = ["path", "file_path", "command", "pattern", "query", "url"].map(
    (key) => Reflect.get(args, key) as unknown,
  );
  const found = [...known, ...Object.values(args)].find((value): value is string => typeof value === "string");
  return (found ?? "").split("\n", 1)[0] ?? "";
}
