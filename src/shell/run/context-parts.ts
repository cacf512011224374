import * as v from "valibot";
import { estimateTokens } from "../../core/cast/state/usage.ts";
import { parseTranscriptLine } from "../../core/cast/transcript.ts";
import { parseJson } from "../../core/model/json.ts";
import { countedText, oneLine } from "../../core/model/text.ts";
import { amountText } from "../../core/view/numbers.ts";

const Compaction = v.object({ type: v.literal("compaction"), summary: v.string(), firstKeptEntryId: v.string() });
const WithPath = v.object({ path: v.string() });

const MOST_PARTS = 5;

/** [Z13] The largest parts of a conversation that no longer fits: results of tools by file, replies, prompts, the system text. */
export function describeContext(system: string, transcript: string): string {
  const { summary, lines } = linesSent(transcript.split("\n"));
  const parts = new Map<string, { tokens: number; times: number }>();
  const add = (name: string, text: string): void => {
    const { tokens, times } = parts.get(name) ?? { tokens: 0, times: 0 };
    parts.set(name, { tokens: tokens + estimateTokens(text), times: times + 1 });
  };
  add("system text", system);
  if (summary !== "") add("summary of earlier work", summary);
  const paths = new Map<string | undefined, string>();
  for (const message of lines.flatMap((line) => parseTranscriptLine(line) ?? [])) {
    if (typeof message.content !== "string")
      for (const { id, arguments: args } of message.content) if (v.is(WithPath, args)) paths.set(id, ` ${args.path}`);
    const { role, toolName, toolCallId, content } = message;
    const name = PART_NAMES[role] ?? (toolName === undefined ? role : `results of ${toolName}`);
    const text = typeof content === "string" ? content : JSON.stringify(content);
    add(oneLine(`${name}${paths.get(toolCallId) ?? ""}`, 80), text);
  }
  const largest = [...parts].toSorted(([, a], [, b]) => b.tokens - a.tokens).slice(0, MOST_PARTS);
  const texts = largest.map(([name, { tokens, times }]) => {
    const count = times > 1 ? ` in ${countedText(times, "part")}` : "";
    return `${name}: ${amountText(tokens)}${count}`;
  });
  return `What fills the context, in tokens, estimated: ${texts.join("; ")}`;
}

const PART_NAMES: Readonly<Record<string, string>> = { assistant: "replies and tool calls", user: "prompts" };

/** What Pi has summarised is no longer sent. */
function linesSent(lines: readonly string[]): { readonly summary: string; readonly lines: readonly string[] } {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const entry = lines[at]?.includes("compaction") ? parseJson(lines[at] ?? "") : undefined;
    if (!v.is(Compaction, entry)) continue;
    const id = JSON.stringify(entry.firstKeptEntryId);
    const first = lines.findIndex((line) => line.includes(`"id":${id}`));
    return { summary: entry.summary, lines: lines.slice(first === -1 ? at : first) };
  }
  return { summary: "", lines };
}
