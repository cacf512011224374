import type { AssistantMessage, Usage as PiUsage } from "@earendil-works/pi-ai";
import type { AgentSessionEvent, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { addUsage, estimateTokens, NO_USAGE, soundUsage, type Usage } from "../../core/cast/state/usage.ts";
import { HAND_OVER } from "../../core/model/handoff.ts";
import type { TurnRequest, TurnProgress } from "../ports.ts";
import * as v from "valibot";
import { plainProviderError } from "../../core/cast/provider-refusal.ts";
import type { PiModel } from "./pi-sdk.ts";
import { SCRIPTED_MODEL } from "./scripted-provider.ts";
import type { HandOverTool } from "../../core/prompt/handoff-contract.ts";

export type TurnRecord = ReturnType<typeof createTurnRecord>;

export function createTurnRecord(
  { onProgress, system, prompt }: Pick<TurnRequest, "onProgress" | "system" | "prompt">,
  prices: TokenPrices | undefined,
) {
  let usage = NO_USAGE;
  let last: AssistantMessage | undefined;
  let [shortened, overflowed, hasActed] = [false, false, false];
  let handed: string | undefined;
  /** What a request sends: an estimate, where the provider reports nothing. */
  let sentTokens = estimateTokens(system) + estimateTokens(prompt);
  return {
    hear: (event: AgentSessionEvent): void => {
      if (event.type === "message_end" && event.message.role === "assistant") {
        last = event.message;
        handed = undefined;
        usage = addUsage(usage, usageOfReply(event.message, sentTokens, prices));
        // A failure right after compaction means that the context was still too long.
        overflowed = shortened && last.stopReason === "error";
        shortened = false;
        onProgress({ kind: "used", usage });
      }
      if (event.type === "message_end" && event.message.role !== "user")
        sentTokens += estimateTokens(JSON.stringify("content" in event.message ? event.message.content : ""));
      if (event.type === "compaction_end") {
        const { result, reason } = event;
        if (result?.usage) usage = addUsage(usage, soundPiUsage(result.usage));
        shortened = reason === "overflow" && event.willRetry;
        if (result) onProgress({ kind: "compacted", reason, tokensBefore: result.tokensBefore });
      }
      // Pi drops a reply before a retry, or when the context was too long.
      if (event.type === "entry_appended" && event.entry.type === "context_edit") overflowed = true;
      if (event.type === "tool_execution_end" && event.toolName === HAND_OVER && !event.isError)
        handed = JSON.stringify(toolCallsOf(last).at(-1)?.arguments ?? {});
      hasActed ||= event.type === "tool_execution_start";
      const progress = progressFromEvent(event, last);
      if (progress) onProgress(progress);
    },
    usage: () => usage,
    last: () => last,
    overflowed: () => overflowed,
    hasActed: () => hasActed,
    /** [H25] The handoff, as JSON, if the last reply called `hand_over`. */
    handedOver: () => handed,
  };
}

function progressFromEvent(event: AgentSessionEvent, last: AssistantMessage | undefined): TurnProgress | undefined {
  if (event.type === "message_update") {
    const update = event.assistantMessageEvent;
    if (update.type === "text_delta") return { kind: "text", delta: update.delta };
    if (update.type === "thinking_delta") return { kind: "thinking", delta: update.delta };
  }
  if (event.type === "tool_execution_start")
    return { kind: "tool_started", id: event.toolCallId, name: event.toolName, args: event.args };
  if (event.type === "tool_execution_update")
    return { kind: "tool_said", id: event.toolCallId, said: toolResultText(event.partialResult) };
  if (event.type === "tool_execution_end") {
    const { toolCallId: id, toolName: name, isError: failed } = event;
    return { kind: "tool_ended", id, name, failed, said: toolResultText(event.result) };
  }
  if (event.type === "turn_end") return { kind: "tools_over" };
  if (event.type === "auto_retry_start" || event.type === "summarization_retry_scheduled") {
    const { attempt, delayMs, errorMessage } = event;
    return { kind: "retrying", attempt, delayMs, error: plainProviderError(errorMessage) };
  }
  if (event.type === "compaction_end" && event.willRetry) {
    return { kind: "retrying", attempt: 1, delayMs: 0, error: last?.errorMessage ?? "the context was too long" };
  }
  return undefined;
}

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

/** [A30] Dollars for a million tokens; estimated tokens cost that much. */
export type TokenPrices = Pick<PiModel["cost"], "input" | "output">;

/** [A19] Cached tokens count: they are part of the prompt, although cheaper. */
function soundPiUsage({ input, cacheRead, cacheWrite, output, cost }: PiUsage): Usage {
  return soundUsage({ input: input + cacheRead + cacheWrite, output, cost: cost.total });
}

/** [A30] A finished reply of a real model has used something: without a report it is estimated. */
function usageOfReply(message: AssistantMessage, sentTokens: number, prices: TokenPrices | undefined): Usage {
  const reported = soundPiUsage(message.usage);
  const isFinished = message.stopReason !== "error" && message.stopReason !== "aborted";
  const isSilent = isFinished && message.provider !== SCRIPTED_MODEL.provider && reported.input + reported.output === 0;
  if (!isSilent && !reported.estimated) return reported;
  const input = reported.input || sentTokens;
  const output = reported.output || estimateTokens(JSON.stringify(message.content));
  const perToken = ({ input: ofInput, output: ofOutput }: TokenPrices) => (input * ofInput + output * ofOutput) / 1e6;
  return soundUsage({ input, output, cost: Math.max(reported.cost, prices ? perToken(prices) : 0), estimated: true });
}

/** Pi's check must pass: the engine reads the real arguments, and its repair turns are counted and limited. */
const ANY_HANDOFF = { workItems: [], satisfied: false, context: "" };

/** [H25] The tool of one turn. A good call ends the turn; beside other calls it is refused, since their results are not known yet. */
export function handOverDefinition(
  { description, parameters }: HandOverTool,
  { last }: { readonly last: () => AssistantMessage | undefined },
): ToolDefinition {
  return {
    name: HAND_OVER,
    label: "Hand over",
    description,
    parameters, // a JSON Schema, which Pi takes as it is
    prepareArguments: () => ANY_HANDOFF,
    execute: async () => {
      if (toolCallsOf(last()).some(({ name }) => name !== HAND_OVER))
        throw new Error(
          `Not handed over: call ${HAND_OVER} alone, after you have seen the results of the other calls.`,
        );
      return { content: [{ type: "text", text: "Handed over." }], details: {}, terminate: true };
    },
  };
}

function toolCallsOf(reply: AssistantMessage | undefined) {
  return (reply?.content ?? []).filter((part) => part.type === "toolCall");
}
