import * as v from "valibot";
import { NO_USAGE, addUsage, type Usage } from "../../core/cast/state/usage.ts";
import { MessageUsage } from "../../core/wire/transcript.ts";
import { validPrefix } from "./transcript.ts";

/** What a transcript tells of a visit that was cut off. */
export interface TranscriptFacts {
  /** How often the agent was asked something. */
  readonly asked: number;
  /** Its finished answers, in order. */
  readonly replies: readonly string[];
  /** What all its requests used, finished or not. */
  readonly usage: Usage;
}

const NO_FACTS: TranscriptFacts = { asked: 0, replies: [], usage: NO_USAGE };

/** What the sound part of a transcript tells. */
export function readTranscript(text: string): TranscriptFacts {
  return validPrefix(text)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => v.safeParse(TranscriptLine, JSON.parse(line)))
    .reduce((story, line) => (line.success ? addMessage(story, line.output.message) : story), NO_FACTS);
}

const TranscriptLine = v.object({
  message: v.variant("role", [
    v.object({ role: v.literal("user") }),
    v.object({
      role: v.literal("assistant"),
      stopReason: v.string(),
      content: v.array(v.object({ type: v.string(), text: v.optional(v.string(), "") })),
      usage: MessageUsage,
    }),
  ]),
});
type Message = v.InferOutput<typeof TranscriptLine>["message"];

function addMessage({ asked, replies, usage }: TranscriptFacts, message: Message): TranscriptFacts {
  if (message.role === "user") return { asked: asked + 1, replies, usage };
  const said = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    asked,
    replies: message.stopReason === "stop" ? [...replies, said] : replies,
    usage: addUsage(usage, message.usage),
  };
}
