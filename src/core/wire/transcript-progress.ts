import { NO_USAGE, addUsage } from "../cast/state/usage.ts";
import type { TranscriptMessage, TranscriptPart } from "../cast/transcript.ts";
import type { AgentProgress } from "./stream.ts";

/** Turns the messages of a visit's transcript into progress, as the process that runs the agent reports it. */
export function createTranscriptProgress(
  place: Pick<AgentProgress, "socket" | "visit">,
): (message: TranscriptMessage) => readonly AgentProgress[] {
  const { socket, visit } = place;
  const at = { socket, visit };
  const sent = { text: 0, thinking: 0 };
  let used = NO_USAGE;
  const wordsOf = (kind: "text" | "thinking", delta: string): readonly AgentProgress[] => {
    if (delta === "") return [];
    const from = sent[kind];
    sent[kind] += delta.length;
    return [{ ...at, kind, from, delta }];
  };
  const partProgress = ({ type, text, thinking, id, name, arguments: args }: TranscriptPart) => {
    if (type === "text") return wordsOf("text", text ?? "");
    if (type === "thinking") return wordsOf("thinking", thinking ?? "");
    if (type !== "toolCall" || id === undefined || name === undefined) return [];
    return [{ ...at, kind: "tool_started" as const, id, name, args }];
  };
  return (message) => {
    const { role, content, usage, toolCallId, toolName = "", isError } = message;
    if (role === "user") {
      used = NO_USAGE;
      Object.assign(sent, { text: 0, thinking: 0 });
      return [{ ...at, kind: "asked" }];
    }
    if (role === "assistant") {
      const words = typeof content === "string" ? wordsOf("text", content) : content.flatMap(partProgress);
      if (!usage) return words;
      used = addUsage(used, usage);
      return [...words, { ...at, kind: "used", usage: used }];
    }
    if (role !== "toolResult" || toolCallId === undefined) return [];
    const output = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
    const said = tailOfOutput(output);
    return [{ ...at, kind: "tool_ended", id: toolCallId, name: toolName, failed: isError === true, said }];
  };
}

const MAX_OUTPUT_CHARS = 8_000;

/** The end of a tool's output; the transcript has all of it. */
export function tailOfOutput(output: string): string {
  return output.length > MAX_OUTPUT_CHARS ? `…${output.slice(-MAX_OUTPUT_CHARS)}` : output;
}
