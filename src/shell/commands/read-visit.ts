import { appendAll } from "../../core/model/lists.ts";
import { NO_USAGE, addUsage } from "../../core/cast/state/usage.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { ReplyWithTools, ToolCall, VisitDetail } from "../../core/view/report/visit-detail.ts";
import {
  handedOverText,
  messageText,
  modelName,
  ownTranscriptLines,
  parseTranscriptLine,
  type TranscriptMessage,
} from "../../core/cast/transcript.ts";
import { HAND_OVER } from "../../core/model/handoff.ts";
import { readArtifactText, type CastStore, type VisitRef } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** [C39] Files of a visit beside its events; `parts` limits what is read. */
export async function readVisitDetail(
  store: CastStore,
  castId: CastId,
  { socket, visit }: VisitRef,
  parts: "talk" | "all",
): Promise<VisitDetail> {
  const read = async (name: string): Promise<string | null> =>
    (await readArtifactText(store, castId, { socket, visit, name })) ?? null;
  const talk = parseReplies((await read(TRANSCRIPT_FILE)) ?? "");
  const nothing = { prompt: null, stdout: null, stderr: null };
  if (parts === "talk") return { socket, visit, ...talk, ...nothing };
  const prompt = (await read("prompt.md")) ?? (await read("input.json"));
  return { socket, visit, ...talk, prompt, stdout: await read("stdout.txt"), stderr: await read("stderr.txt") };
}

/** The turns of a transcript, with the tools of each. An interrupted turn comes last, without a text. */
function parseReplies(transcript: string): Pick<VisitDetail, "model" | "usage" | "replies"> {
  const replies: ReplyWithTools[] = [];
  let model: string | null = null;
  let usage = NO_USAGE;
  let tools: (ToolCall & { readonly id: string })[] = [];
  let last: TranscriptMessage | undefined;
  const finish = (text: string): void => {
    replies.push({ tools: tools.map(({ id: _id, ...call }) => call), text });
    tools = [];
  };
  for (const line of ownTranscriptLines(transcript.split("\n"))) {
    const message = parseTranscriptLine(line);
    if (message?.role === "toolResult")
      tools = tools.map((call) =>
        call.id === message.toolCallId
          ? { ...call, failed: message.isError === true, said: messageText(message) }
          : call,
      );
    const handed = message?.role === "toolResult" ? handedOverText(message, last) : undefined;
    if (handed !== undefined) {
      tools = tools.filter(({ name }) => name !== HAND_OVER);
      finish(handed);
    }
    if (message?.role !== "assistant") continue;
    last = message;
    model = modelName(message) ?? model;
    usage = message.usage ? addUsage(usage, message.usage) : usage;
    const calls = contentParts(message).flatMap(({ type, id = "", name = "", arguments: given }) =>
      type === "toolCall" ? [{ id, name, arguments: given, failed: null, said: "" }] : [],
    );
    appendAll(tools, calls);
    if (calls.length === 0) finish(messageText(message));
  }
  if (tools.length > 0) finish("");
  return { model, usage, replies };
}

function contentParts({ content }: TranscriptMessage) {
  return typeof content === "string" ? [] : content;
}
