import * as v from "valibot";
import { HAND_OVER } from "../model/handoff.ts";
import { parseJson } from "../model/json.ts";
import { addUsage, NO_USAGE, reportedAmount, type Usage } from "./state/usage.ts";

const Part = v.looseObject({
  type: v.string(),
  text: v.optional(v.string()),
  thinking: v.optional(v.string()),
  id: v.optional(v.string()),
  name: v.optional(v.string()),
  arguments: v.optional(v.unknown()),
});
export type TranscriptPart = v.InferOutput<typeof Part>;

/** A figure that is no number must not hide the reply beside it. */
const amount = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((value): number => reportedAmount(value) ?? 0),
  ),
  0,
);
/** [A19] The usage of one reply, as Pi writes it and as it is counted. */
const MessageUsage = v.pipe(
  v.object({
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite: amount,
    cost: v.fallback(v.object({ total: amount }), { total: 0 }),
  }),
  v.transform(({ input, output, cacheRead, cacheWrite, cost }): Usage => ({
    input: input + cacheRead + cacheWrite,
    output,
    cost: cost.total,
  })),
);

const Entry = v.looseObject({
  type: v.literal("message"),
  message: v.looseObject({
    role: v.string(),
    content: v.union([v.string(), v.array(Part)]),
    toolCallId: v.optional(v.string()),
    toolName: v.optional(v.string()),
    isError: v.optional(v.boolean()),
    usage: v.optional(MessageUsage),
  }),
});
export type TranscriptMessage = v.InferOutput<typeof Entry>["message"];

export function messageText({ content }: TranscriptMessage): string {
  if (typeof content === "string") return content;
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join("");
}

export function modelName({ provider, model }: TranscriptMessage): string | undefined {
  return typeof provider === "string" && typeof model === "string" ? `${provider}/${model}` : undefined;
}

/** [H25] The handoff, as JSON, if this is the accepted result of the reply's last call of `hand_over`. */
export function handedOverText(result: TranscriptMessage, reply: TranscriptMessage | undefined): string | undefined {
  if (result.toolName !== HAND_OVER || result.isError === true || typeof reply?.content !== "object") return undefined;
  const last = reply.content.findLast(({ type }) => type === "toolCall");
  return last?.id === result.toolCallId ? JSON.stringify(last?.arguments ?? {}) : undefined;
}

/** Stands between the copied conversation of an earlier visit and the visit's own part. No model sees it. */
const CONTINUES = "materia:continues";
const ContinuesEntry = v.object({ type: v.literal("custom"), customType: v.literal(CONTINUES) });

export function continuesEntry(id: string, parentId: string, visit: number): object {
  return { type: "custom", customType: CONTINUES, data: { visit }, id, parentId, timestamp: new Date(0).toISOString() };
}

/** [I5] The lines of a visit itself, without those of the conversation that it continues. */
export function ownTranscriptLines(lines: readonly string[]): readonly string[] {
  const from = lines.findLastIndex((line) => line.includes(CONTINUES) && v.is(ContinuesEntry, parseJson(line)));
  return from === -1 ? lines : lines.slice(from + 1);
}

export function parseTranscriptLine(line: string): TranscriptMessage | undefined {
  const parsed = v.safeParse(Entry, parseJson(line));
  return parsed.success ? parsed.output.message : undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  /** Null if the visit was interrupted before the tool answered. */
  readonly failed: boolean | null;
  readonly said: string;
}

/** A reply of an agent, with the tool calls before it. */
export interface ReplyWithTools {
  readonly text: string;
  /** [H25] The text is the argument of `hand_over`, whose call is not among the tools. */
  readonly byTool?: true;
  readonly tools: readonly ToolCall[];
}

/**
 * The requests of a visit, its finished replies, and the usage and the model of all replies. `unfinished` is what came
 * behind the last finished one. A failed request that was retried is no turn.
 */
export function readTurns(transcript: string) {
  const replies: ReplyWithTools[] = [];
  let requests = 0;
  let usage = NO_USAGE;
  let last: TranscriptMessage | undefined;
  let calls: (ToolCall & { readonly id: string })[] = [];
  const replyWith = (text: string): ReplyWithTools => ({ text, tools: calls.map(({ id: _id, ...call }) => call) });
  const finish = (reply: ReplyWithTools): void => {
    replies.push(reply);
    calls = [];
  };
  for (const line of ownTranscriptLines(transcript.split("\n"))) {
    const message = parseTranscriptLine(line);
    if (message?.role === "user") requests += 1;
    if (message?.role === "toolResult") {
      const result = { failed: message.isError === true, said: messageText(message) };
      calls = calls.map((call) => (call.id === message.toolCallId ? { ...call, ...result } : call));
      const handed = handedOverText(message, last);
      if (handed !== undefined) {
        calls = calls.filter(({ id }) => id !== message.toolCallId);
        finish({ ...replyWith(handed), byTool: true });
      }
    }
    if (message?.role !== "assistant") continue;
    last = message;
    usage = addUsage(usage, message.usage ?? NO_USAGE);
    for (const { type, id = "", name = "", arguments: given } of partsOf(message))
      if (type === "toolCall") calls.push({ id, name, arguments: given, failed: null, said: "" });
    if (message["stopReason"] === "stop") finish(replyWith(messageText(message)));
  }
  const isCutOff = last && last["stopReason"] !== "stop" && !partsOf(last).some(({ type }) => type === "toolCall");
  const unfinished = replyWith(last && isCutOff ? messageText(last) : "");
  return { requests, replies, unfinished, usage, model: last && modelName(last) };
}

function partsOf({ content }: TranscriptMessage): readonly TranscriptPart[] {
  return typeof content === "string" ? [] : content;
}
