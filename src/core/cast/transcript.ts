import * as v from "valibot";
import type { Usage } from "./state/usage.ts";

const Part = v.looseObject({
  type: v.string(),
  text: v.optional(v.string()),
  thinking: v.optional(v.string()),
  id: v.optional(v.string()),
  name: v.optional(v.string()),
  arguments: v.optional(v.unknown()),
});
export type TranscriptPart = v.InferOutput<typeof Part>;

const amount = v.optional(v.number(), 0);
/** [A19] The usage of one reply, as Pi writes it and as it is counted. */
export const MessageUsage = v.pipe(
  v.object({
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite: amount,
    cost: v.object({ total: amount }),
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

/** A message of a transcript line; other lines have nothing for a person. */
export function parseTranscriptLine(line: string): TranscriptMessage | undefined {
  try {
    const parsed = v.safeParse(Entry, JSON.parse(line));
    return parsed.success ? parsed.output.message : undefined;
  } catch {
    return undefined;
  }
}
