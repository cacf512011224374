import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import * as v from "valibot";
import type { TurnProgress } from "../ports.ts";
import { plainProviderError } from "../../core/cast/provider-refusal.ts";

/** What an event of Pi says about a turn; undefined if it says nothing. */
export function progressFromEvent(
  event: AgentSessionEvent,
  last: AssistantMessage | undefined,
): TurnProgress | undefined {
  if (event.type === "message_update") {
    const update = event.assistantMessageEvent;
    if (update.type === "text_delta") return { kind: "text", delta: update.delta };
    if (update.type === "thinking_delta") return { kind: "thinking", delta: update.delta };
  }
  if (event.type === "tool_execution_start") {
    return { kind: "tool_started", id: event.toolCallId, name: event.toolName, args: event.args };
  }
  if (event.type === "tool_execution_update") {
    return { kind: "tool_said", id: event.toolCallId, said: toolResultText(event.partialResult) };
  }
  if (event.type === "tool_execution_end") {
    const { toolCallId: id, toolName: name, isError: failed } = event;
    return { kind: "tool_ended", id, name, failed, said: toolResultText(event.result) };
  }
  if (event.type === "turn_end") return { kind: "tools_over" };
  if (event.type === "auto_retry_start" || event.type === "summarization_retry_scheduled") {
    return {
      kind: "retrying",
      attempt: event.attempt,
      delayMs: event.delayMs,
      error: plainProviderError(event.errorMessage),
    };
  }
  if (event.type === "compaction_end" && event.willRetry) {
    return { kind: "retrying", attempt: 1, delayMs: 0, error: last?.errorMessage ?? "the context was too long" };
  }
  return undefined;
}

/** The output of a tool; Pi types results as `any`. */
function toolResultText(result: unknown): string {
  const { content = [] } = v.is(ToolResult, result) ? result : {};
  return content.map(({ text = "" }) => text).join("\n");
}

const ToolResult = v.object({ content: v.optional(v.array(v.object({ text: v.optional(v.string()) }))) });

/** Texts with something else between them, such as thinking, are paragraphs. */
export function joinedText({ content }: AssistantMessage): string {
  return content.reduce((all, part, at) => {
    if (part.type !== "text") return all;
    const isApart = content[at - 1]?.type !== "text" && /\S$/.test(all) && /^\S/.test(part.text);
    return `${all}${isApart ? "\n\n" : ""}${part.text}`;
  }, "");
}
