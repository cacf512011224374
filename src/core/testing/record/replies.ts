import { isJsonObject, type Json, type JsonObject } from "../../model/values/json.ts";
import { parseTranscriptLine, type TranscriptPart } from "../../wire/transcript.ts";

/** What an agent did and said in one turn, as a rehearsal tells it. */
export interface RecordedReply {
  readonly text: string;
  readonly tools: readonly RecordedCall[];
}

interface RecordedCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly failed: boolean;
}

/** The turns of a visit, from its transcript. An answer that failed and was asked for again is none. */
export function repliesInTranscript(transcript: string): readonly RecordedReply[] {
  const replies: RecordedReply[] = [];
  const failed = new Map<string, boolean>();
  let calls: { readonly id: string; readonly name: string; readonly arguments: unknown }[] = [];
  for (const line of transcript.split("\n")) {
    const message = parseTranscriptLine(line);
    if (message?.role === "toolResult") failed.set(message.toolCallId ?? "", message.isError === true);
    if (message?.role !== "assistant" || typeof message.content === "string") continue;
    const called = message.content.flatMap(toolCallsIn);
    calls.push(...called);
    if (called.length > 0 || message["stopReason"] !== "stop") continue;
    const text = message.content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
    const tools = calls.map(({ id, ...call }) => ({ ...call, failed: failed.get(id) === true }));
    replies.push({ text, tools });
    calls = [];
  }
  return replies;
}

function toolCallsIn({ type, id = "", name = "", arguments: given = {} }: TranscriptPart) {
  return type === "toolCall" ? [{ id, name, arguments: given }] : [];
}

/** [T19] As JSON where it is JSON, so that it can be read and edited. */
export function toRehearsalReply({ text, tools }: RecordedReply, withTools: boolean): JsonObject {
  const said = parseJsonObject(text);
  const calls = tools.map(({ name, arguments: given, failed }) => ({
    name,
    arguments: isJsonObject(given) ? given : {},
    ...(failed ? { fails: true } : {}),
  }));
  return { ...(withTools && calls.length > 0 ? { tools: calls } : {}), ...(said ? { json: said } : { text }) };
}

function parseJsonObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
