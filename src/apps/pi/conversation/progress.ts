import { NO_USAGE, addUsage } from "../../../core/cast/state/usage.ts";
import type { TranscriptMessage, TranscriptPart } from "../../../core/wire/transcript.ts";
import type { TurnProgress } from "../../../shell/ports.ts";

/** What messages of a transcript tell of what their agent does, as one that works here would have told it. */
export function transcriptProgress(): (message: TranscriptMessage) => readonly TurnProgress[] {
  let used = NO_USAGE;
  return (message) => {
    const { role, content, usage } = message;
    if (role === "user") {
      used = NO_USAGE;
      return [{ kind: "told", system: "" }];
    }
    if (role === "toolResult") return resultProgress(message);
    if (role !== "assistant" || typeof content === "string") return [];
    if (usage) used = addUsage(used, usage);
    return [...content.flatMap(partProgress), { kind: "used", usage: used }];
  };
}

function partProgress({ type, text = "", thinking = "", id, name, arguments: args }: TranscriptPart) {
  const told: TurnProgress[] = [];
  if (type === "thinking") told.push({ kind: "thinking", delta: thinking });
  if (type === "text" && text !== "") told.push({ kind: "text", delta: text });
  if (type === "toolCall" && id !== undefined && name !== undefined)
    told.push({ kind: "tool_started", id, name, args });
  return told;
}

function resultProgress({ content, toolCallId: id, toolName: name = "", isError }: TranscriptMessage) {
  const said = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
  const ended: TurnProgress[] =
    id === undefined ? [] : [{ kind: "tool_ended", id, name, failed: isError === true, said }];
  return ended;
}
