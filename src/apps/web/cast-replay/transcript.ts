import { retryText } from "../../../core/view/numbers.ts";
import { HAND_OVER } from "../../../core/model/handoff.ts";
import {
  messageText,
  ownTranscriptLines,
  parseTranscriptLine,
  type TranscriptMessage,
} from "../../../core/cast/transcript.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { NO_USAGE, type Usage } from "../../../core/cast/state/usage.ts";
import { pendingUsageAfter } from "../../../core/cast/timeline.ts";
import type { AgentProgress } from "../../../core/wire/stream.ts";

export type TranscriptBlock = { readonly kind: "text" | "thinking" | "note"; readonly text: string } | ToolCallBlock;

export interface ToolCallBlock {
  readonly kind: "tool";
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Null while it runs; of a call that failed: the agent was interrupted before the tool answered. */
  readonly result: string | null;
  readonly partialResult?: string;
  readonly failed: boolean;
  /** [Z15] How often in a row it was made with the same result, this one included. */
  readonly inRow?: number;
}

/** [Z15] Counts equal calls with equal results, as the limit of repeated calls does. */
export function countEqualCalls(blocks: readonly TranscriptBlock[]): readonly TranscriptBlock[] {
  let [last, inRow] = ["", 0];
  return blocks.map((block) => {
    if (block.kind !== "tool" || block.result === null) return block;
    const call = JSON.stringify([block.name, block.args, block.result]);
    inRow = call === last ? inRow + 1 : 1;
    last = call;
    return { ...block, inRow };
  });
}

/** The blocks of a transcript, without unreadable lines. */
export function parseTranscript(transcript: string): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = [];
  for (const line of ownTranscriptLines(transcript.split("\n"))) {
    const message = parseTranscriptLine(line);
    if (message?.role === "assistant") blocks.push(...assistantBlocks(message));
    else if (message?.role === "toolResult") addToolResult(blocks, message);
    // The first user message is the prompt, which has its own tab.
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
    // [H25] Its arguments are the answer.
    if (name === HAND_OVER) return [{ kind: "text", text: JSON.stringify(args) }];
    // Until its result is read.
    return [{ kind: "tool", id, name, args, result: null, failed: true }];
  });
}

function addToolResult(blocks: TranscriptBlock[], message: TranscriptMessage): void {
  const at = blocks.findLastIndex((block) => block.kind === "tool" && block.id === message.toolCallId);
  const block = blocks[at];
  if (block?.kind === "tool") blocks[at] = { ...block, result: messageText(message), failed: message.isError === true };
}

/** The most telling argument: a path, a command, a pattern. */
export function mainArgumentOf({ args }: ToolCallBlock): string {
  if (typeof args !== "object" || args === null) return "";
  const known = ["path", "file_path", "command", "pattern", "query", "url"].map(
    (key) => Reflect.get(args, key) as unknown,
  );
  const found = [...known, ...Object.values(args)].find((value): value is string => typeof value === "string");
  return (found ?? "").split("\n", 1)[0] ?? "";
}

export type ProgressLog = ReturnType<typeof createProgressLog>;

function updateTool(blocks: readonly TranscriptBlock[], id: string, part: Partial<ToolCallBlock>): TranscriptBlock[] {
  return blocks.map((block) => (block.kind === "tool" && block.id === id ? { ...block, ...part } : block));
}

export function createProgressLog() {
  let place = "";
  let blocks: TranscriptBlock[] = [];
  let used = NO_USAGE;
  const begin = (next: string): void => {
    place = next;
    blocks = [];
  };
  const push = (note: AgentProgress): void => {
    const at = `${note.socket} ${note.visit}`;
    if (at !== place) begin(at);
    switch (note.kind) {
      case "asked":
        used = NO_USAGE;
        // A repaired or resumed turn may repeat what stands above.
        if (blocks.length > 0) blocks = [...blocks, { kind: "note", text: "Asked again" }];
        return;
      case "used":
        used = note.usage;
        return;
      case "text":
      case "thinking": {
        const last = blocks.at(-1);
        if (last?.kind === note.kind) blocks = [...blocks.slice(0, -1), { ...last, text: last.text + note.delta }];
        else blocks = [...blocks, { kind: note.kind, text: note.delta }];
        return;
      }
      case "tool_started": {
        const { id, name, args } = note;
        blocks = [...blocks, { kind: "tool", id, name, args, result: null, failed: false }];
        return;
      }
      case "tool_said":
        blocks = updateTool(blocks, note.id, { partialResult: note.said });
        return;
      case "tool_ended":
        blocks = updateTool(blocks, note.id, { failed: note.failed, result: note.said });
        return;
      case "retrying":
        blocks = [...blocks, { kind: "note", text: `Refused, ${retryText(note.delayMs, Date.now())}: ${note.error}` }];
    }
  };
  return {
    push,
    clear: (): void => begin(""),
    /** Its usage must not be counted twice. */
    applyEvent: (event: CastEvent): void => {
      used = pendingUsageAfter(used, event);
    },
    turnUsage: (): Usage => used,
    blocksOf: (socket: string, visit: number): readonly TranscriptBlock[] =>
      place === `${socket} ${visit}` ? blocks : [],
    activityText: (): string => {
      const last = blocks.at(-1);
      if (!last) return "working";
      return last.kind === "tool" ? `running ${last.name}` : last.kind === "thinking" ? "thinking" : "writing";
    },
  };
}
