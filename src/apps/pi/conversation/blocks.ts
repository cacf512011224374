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

export interface Shown {
  readonly width: number;
  /** Whether the output of tools is shown whole. */
  readonly expanded: boolean;
}

/** The rows of a conversation. What is finished is drawn once; only what goes on is drawn again with each frame. */
export function openRows(drawing: PiDrawing): (conversation: Conversation, shown: Shown) => readonly string[] {
  let finished = new WeakMap<object, readonly string[]>();
  let last = "";
  return (conversation, shown) => {
    const look = `${shown.width} ${shown.expanded}`;
    if (look !== last) finished = new WeakMap();
    last = look;
    const streaming = conversation.streaming();
    const messages = conversation.messages().filter((message) => message !== streaming);
    const results = resultsIn(messages);
    const rowsOf = (message: SessionMessage): readonly string[] => {
      const kept = finished.get(message);
      if (kept) return kept;
      const rows = safeRows(message, { drawing, conversation, shown, results });
      if (message !== streaming && isFinished(message, results)) finished.set(message, rows);
      return rows;
    };
    return [...messages, ...(streaming ? [streaming] : [])].flatMap(rowsOf);
  };
}

interface Wanted {
  readonly drawing: PiDrawing;
  readonly conversation: Conversation;
  readonly shown: Shown;
  readonly results: ReadonlyMap<string, SessionMessage>;
}

/** [X33] Whoever has written it: what Pi's components cannot draw is one line that says so, and no row is too wide. */
function safeRows(message: SessionMessage, wanted: Wanted): readonly string[] {
  const { width } = wanted.shown;
  try {
    return messageRows(message, wanted).map((row) => fitRow(row, width));
  } catch {
    return [fitRow(" materia: this message cannot be drawn", width)];
  }
}

function messageRows(message: SessionMessage, wanted: Wanted): readonly string[] {
  const { pi } = wanted.drawing;
  const { width } = wanted.shown;
  if (message.role === "user") return new pi.UserMessageComponent(textIn(message.content)).render(width);
  if (message.role !== "assistant") return [];
  const said = new pi.AssistantMessageComponent(message, false).render(width);
  const calls = message.content.flatMap((part) => (part.type === "toolCall" ? callRows(part, wanted) : []));
  return [...said, ...calls];
}

type ToolCall = Extract<Extract<SessionMessage, { role: "assistant" }>["content"][number], { type: "toolCall" }>;

function callRows({ name, id, arguments: args }: ToolCall, wanted: Wanted): readonly string[] {
  const { drawing, conversation, shown, results } = wanted;
  const { pi, tui } = drawing;
  const none = { showImages: false };
  const tool = new pi.ToolExecutionComponent(name, id, args, none, conversation.toolOf(name), tui, conversation.cwd);
  tool.setArgsComplete();
  tool.markExecutionStarted();
  tool.setExpanded(shown.expanded);
  const result = results.get(id);
  if (result?.role === "toolResult") tool.updateResult(resultOf(result, result.isError));
  else showPartial(tool, conversation.partial(id));
  return tool.render(shown.width);
}

const Partial = v.object({
  content: v.array(v.object({ type: v.string(), text: v.optional(v.string()) })),
  details: v.optional(v.unknown()),
});

/** Pi types what a tool has said so far as anything. */
function showPartial(tool: ToolExecutionComponent, partial: unknown): void {
  if (v.is(Partial, partial)) tool.updateResult(resultOf(partial, false), true);
}

interface Said {
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly details?: unknown;
}

function resultOf({ content, details }: Said, isError: boolean) {
  return { content: content.map(({ type, text = "" }) => ({ type, text })), details, isError };
}

function resultsIn(messages: readonly SessionMessage[]): ReadonlyMap<string, SessionMessage> {
  return new Map(messages.flatMap((each) => (each.role === "toolResult" ? [[each.toolCallId, each] as const] : [])));
}

/** Whether nothing more can come to it. */
function isFinished(message: SessionMessage, results: ReadonlyMap<string, SessionMessage>): boolean {
  if (message.role !== "assistant") return true;
  return message.content.every((part) => part.type !== "toolCall" || results.has(part.id));
}

function textIn(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
