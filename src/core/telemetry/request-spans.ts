import * as v from "valibot";
import { parseJson } from "../model/json.ts";
import { reportedAmount } from "../cast/state/usage.ts";
import { notBefore, type TraceSpan, type SpanOptions } from "./span.ts";

const TimedMessage = v.looseObject({
  type: v.literal("message"),
  timestamp: v.string(),
  message: v.looseObject({
    role: v.string(),
    content: v.fallback(v.unknown(), ""),
    provider: v.optional(v.fallback(v.string(), "")),
    model: v.optional(v.fallback(v.string(), "")),
    usage: v.optional(
      v.fallback(v.looseObject({ input: v.unknown(), output: v.unknown(), cacheRead: v.unknown() }), {
        input: 0,
        output: 0,
        cacheRead: 0,
      }),
    ),
    stopReason: v.optional(v.unknown()),
    toolCallId: v.optional(v.unknown()),
    isError: v.optional(v.unknown()),
  }),
});
type TimedMessage = v.InferOutput<typeof TimedMessage>;
type MessageUsage = NonNullable<TimedMessage["message"]["usage"]>;

const ToolCallPart = v.looseObject({ type: v.literal("toolCall"), id: v.string(), name: v.string() });
type ToolCallPart = v.InferOutput<typeof ToolCallPart>;

/** A reply that is being read, and the calls that it made. */
interface OpenCall {
  readonly part: ToolCallPart;
  readonly at: string;
}

/** [TM1] A span for each request to a model and for each tool call of a visit. A damaged line has none. */
export function requestSpans(lines: readonly string[], visit: TraceSpan, options: SpanOptions): readonly TraceSpan[] {
  const spans: TraceSpan[] = [];
  const calls = new Map<string, OpenCall>();
  let asked: string | undefined;
  for (const line of lines) {
    const entry = v.safeParse(TimedMessage, parseJson(line));
    if (!entry.success) continue;
    const { timestamp, message } = entry.output;
    if (message.role === "assistant") {
      spans.push(chatSpan(entry.output, asked ?? timestamp, child(visit, spans.length, options)));
      for (const part of toolCalls(message.content)) calls.set(part.id, { part, at: timestamp });
    } else if (message.role === "toolResult" && typeof message.toolCallId === "string") {
      const call = calls.get(message.toolCallId);
      if (call) spans.push(toolSpan(entry.output, call, child(visit, spans.length, options)));
    }
    asked = timestamp;
  }
  return spans;
}

interface ChildSpan extends Pick<TraceSpan, "traceId" | "spanId" | "parentSpanId"> {
  readonly contents: boolean;
}

/** Transcripts only grow, so that the place in one is a stable id. */
function child({ traceId, spanId }: TraceSpan, index: number, { digest, contents }: SpanOptions): ChildSpan {
  return { traceId, spanId: digest(`${spanId}:${index}`).slice(0, 16), parentSpanId: spanId, contents };
}

function chatSpan({ message, timestamp }: TimedMessage, asked: string, own: ChildSpan): TraceSpan {
  const { contents, ...ids } = own;
  const { provider, model, usage, stopReason } = message;
  const startMs = notBefore(0, asked);
  return {
    ...ids,
    name: `chat ${model ?? "unknown"}`,
    kind: "client",
    startMs,
    endMs: notBefore(startMs, timestamp),
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.response.model": model,
      "gen_ai.usage.input_tokens": usage && inputTokens(usage),
      "gen_ai.usage.output_tokens": usage && reportedAmount(usage.output),
      "gen_ai.usage.cache_read.input_tokens": usage && reportedAmount(usage.cacheRead),
      "gen_ai.output.messages": contents ? JSON.stringify(message.content) : undefined,
    },
    ...(stopReason === "error" ? { failed: "error" } : {}),
  };
}

/** The convention counts cached tokens as input; Pi counts them apart. */
function inputTokens({ input, cacheRead, cacheWrite }: MessageUsage & { readonly cacheWrite?: unknown }): number {
  return [input, cacheRead, cacheWrite].reduce<number>((sum, part) => sum + (reportedAmount(part) ?? 0), 0);
}

function toolSpan({ message, timestamp }: TimedMessage, { part, at }: OpenCall, own: ChildSpan): TraceSpan {
  const { contents, ...ids } = own;
  const startMs = notBefore(0, at);
  return {
    ...ids,
    name: `execute_tool ${part.name}`,
    kind: "internal",
    startMs,
    endMs: notBefore(startMs, timestamp),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": part.name,
      "gen_ai.tool.call.id": part.id,
      "gen_ai.tool.call.arguments": contents ? JSON.stringify(part["arguments"] ?? {}) : undefined,
      "gen_ai.tool.call.result": contents ? JSON.stringify(message.content) : undefined,
    },
    ...(message.isError === true ? { failed: "error" } : {}),
  };
}

function toolCalls(content: unknown): readonly ToolCallPart[] {
  return Array.isArray(content) ? content.filter((part) => v.is(ToolCallPart, part)) : [];
}
