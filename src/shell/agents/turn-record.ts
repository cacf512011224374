import type { AssistantMessage, Usage as PiUsage } from "@earendil-works/pi-ai";
import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import * as v from "valibot";
import { addUsage, NO_USAGE, type Usage } from "../../core/cast/state/usage.ts";
import type { TurnProgress } from "../ports.ts";

/** What one turn showed of itself: its cost so far, its last answer, and whether that did not fit. */
export interface TurnRecord {
  readonly hear: (event: AgentSessionEvent) => void;
  readonly usage: () => Usage;
  readonly last: () => AssistantMessage | undefined;
  readonly overflowed: () => boolean;
}

export function createTurnRecord(onProgress: (progress: TurnProgress) => void): TurnRecord {
  let usage = NO_USAGE;
  let last: AssistantMessage | undefined;
  let shortened = false;
  let overflowed = false;

  function hear(event: AgentSessionEvent): void {
    if (event.type === "message_end" && event.message.role === "assistant") {
      last = event.message;
      usage = addUsage(usage, usageFromPi(event.message.usage));
      // What fails right after the context was shortened was still too long.
      overflowed = shortened && last.stopReason === "error";
      shortened = false;
      onProgress({ kind: "used", usage });
    }
    if (event.type === "compaction_end") {
      if (event.result?.usage) usage = addUsage(usage, usageFromPi(event.result.usage));
      shortened = event.reason === "overflow" && event.willRetry;
    }
    // Pi takes an answer back for a retry, and then another one comes, or because the context was too long.
    if (event.type === "entry_appended" && event.entry.type === "context_edit") overflowed = true;
    const progress = progressFromEvent(event, last);
    if (progress) onProgress(progress);
  }

  return { hear, usage: () => usage, last: () => last, overflowed: () => overflowed };
}

/** [A19] Cached tokens count: what a provider charges less for is still part of the prompt. */
function usageFromPi(usage: PiUsage): Usage {
  return {
    input: usage.input + usage.cacheRead + usage.cacheWrite,
    output: usage.output,
    cost: usage.cost.total,
  };
}

function progressFromEvent(event: AgentSessionEvent, last: AssistantMessage | undefined): TurnProgress | undefined {
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
    return { kind: "retrying", attempt: event.attempt, delayMs: event.delayMs, error: event.errorMessage };
  }
  if (event.type === "compaction_end" && event.willRetry) {
    return { kind: "retrying", attempt: 1, delayMs: 0, error: last?.errorMessage ?? "the context was too long" };
  }
  return undefined;
}

/** What a tool said; Pi types results as anything. */
function toolResultText(result: unknown): string {
  const { content = [] } = v.is(ToolResult, result) ? result : {};
  return content.map(({ text = "" }) => text).join("\n");
}

const ToolResult = v.object({ content: v.optional(v.array(v.object({ text: v.optional(v.string()) }))) });
