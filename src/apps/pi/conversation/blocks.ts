import type { Theme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import * as v from "valibot";
import type { Pi } from "../../../shell/agents/pi/pi.ts";
import { fitRow } from "../cards/card.ts";
import type { Conversation, SessionMessage } from "./conversations.ts";

/** What a conversation is drawn with: Pi's own components, so that an agent looks as it would in Pi. */
interface PiDrawing {
  readonly pi: Pi;
  readonly tui: TUI;
  readonly theme: Theme;
}

export interface RowOptions {
  readonly width: number;
  /** Whether the output of tools is shown whole. */
  readonly expanded: boolean;
}

/** The rows of a conversation. What is finished is drawn once; only what goes on is drawn again with each frame. */
export function createConversationRows(drawing: PiDrawing): (conversation: Conversation, shown: RowOptions) => readonly string[] {
  let finished = new WeakMap<object, readonly string[]>();
  let last = "";
  return (conversation, shown) => {
    const look = `${shown.width} ${shown.expanded}`;
    if (look !== last) finished = new WeakMap();
    last = look;
    const streaming = conversation.streaming();
    const messages = conversation.messages().filter((message) => message !== streaming);
    const results = toolResultsById(messages);
    const rowsOf = (message: SessionMessage): readonly string[] => {
      const kept = finished.get(message);
      if (kept) return kept;
      const rows = safeRows(message, { drawing, conversation, shown, results });
      if (message !== streaming && isComplete(message, results)) finished.set(message, rows);
      return rows;
    };
    return [...messages, ...(streaming ? [streaming] : [])].flatMap(rowsOf);
  };
}

interface RowContext {
  readonly drawing: PiDrawing;
  readonly conversation: Conversation;
  readonly shown: RowOptions;
  readonly results: ReadonlyMap<string, SessionMessage>;
}

/** [X33] Whoever has written it: what Pi's components cannot draw is one line that says so, and no row is too wide. */
function safeRows(message: SessionMessage, wanted: RowContext): readonly string[] {
  const { width } = wanted.shown;
  try {
    return messageRows(message, wanted).map((row) => fitRow(row, width));
  } catch {
    return [fitRow(" materia: this message cannot be drawn", width)];
  }
}

function messageRows(message: SessionMessage, wanted: RowContext): readonly string[] {
  const { pi } = wanted.drawing;
  const { width } = wanted.shown;
  if (message.role === "user") return new pi.UserMessageComponent(messageText(message.content)).render(width);
  if (message.role !== "assistant") return [];
  const said = new pi.AssistantMessageComponent(message, false).render(width);
  const calls = message.content.flatMap((part) => (part.type === "toolCall" ? toolCallRows(part, wanted) : []));
  return [...said, ...calls];
}

type ToolCall = Extract<Extract<SessionMessage, { role: "assistant" }>["content"][number], { type: "toolCall" }>;

function toolCallRows({ name, id, arguments: args }: ToolCall, wanted: RowContext): readonly string[] {
  const { drawing, conversation, shown, results } = wanted;
  const { pi, tui } = drawing;
  const none = { showImages: false };
  const tool = new pi.ToolExecutionComponent(name, id, args, none, conversation.toolOf(name), tui, conversation.cwd);
  tool.setArgsComplete();
  tool.markExecutionStarted();
  tool.setExpanded(shown.expanded);
  const result = results.get(id);
  if (result?.role === "toolResult") tool.updateResult(toolResult(result, result.isError));
  else showPartial(tool, conversation.partialOutput(id));
  return tool.render(shown.width);
}

const PartialOutput = v.object({
  content: v.array(v.object({ type: v.string(), text: v.optional(v.string()) })),
  details: v.optional(v.unknown()),
});

/** Pi types what a tool has said so far as anything. */
function showPartial(tool: ToolExecutionComponent, partial: unknown): void {
  if (v.is(PartialOutput, partial)) tool.updateResult(toolResult(partial, false), true);
}

interface ToolOutput {
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly details?: unknown;
}

function toolResult({ content, details }: ToolOutput, isError: boolean) {
  return { content: content.map(({ type, text = "" }) => ({ type, text })), details, isError };
}

function toolResultsById(messages: readonly SessionMessage[]): ReadonlyMap<string, SessionMessage> {
  return new Map(messages.flatMap((each) => (each.role === "toolResult" ? [[each.toolCallId, each] as const] : [])));
}

/** Whether nothing more can come to it. */
function isComplete(message: SessionMessage, results: ReadonlyMap<string, SessionMessage>): boolean {
  if (message.role !== "assistant") return true;
  return message.content.every((part) => part.type !== "toolCall" || results.has(part.id));
}

function messageText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
