import { messageText, ownTranscriptLines, parseTranscriptLine, type TranscriptMessage } from "../../cast/transcript.ts";
import { estimateTokens } from "../../cast/state/usage.ts";
import { countedText, oneLine } from "../../model/text.ts";
import { line, toned, type Line } from "../line.ts";
import { amountText } from "../numbers.ts";
import { quotedTextLines } from "./visit-detail.ts";

/** [C53] One part of what an agent was sent. */
export interface PromptPart {
  readonly kind: "tools" | "system" | "conversation" | "message";
  readonly title: string;
  /** Tools: their names. */
  readonly text: string;
  readonly chars: number;
  /** An estimate. */
  readonly tokens: number;
  /** How many of its first characters repeat the visit before, from the beginning of the request: a cache can reuse them. */
  readonly reused: number;
}

/** The first request of a visit in its parts, and the number of its requests. */
export interface SentPrompt {
  readonly parts: readonly PromptPart[];
  readonly requests: number;
  readonly chars: number;
  readonly tokens: number;
  readonly reused: number;
}

type SentText = Pick<PromptPart, "kind" | "title" | "text"> & { readonly sent: string };

/** [C53] Undefined if the agent was not asked. `before` is the transcript of the socket's last visit, if any. */
export function promptParts(transcript: string, before: string | undefined): SentPrompt | undefined {
  const texts = sentTexts(transcript);
  if (!texts) return undefined;
  // What a visit continues was sent by it, too.
  const earlier = sentTexts(before ?? "")?.texts ?? [];
  const sentBefore = texts.isContinued ? undefined : earlier.map(({ sent }) => sent).join("");
  let at = 0;
  let isEqual = true;
  const parts = texts.texts.map(({ sent, ...part }): PromptPart => {
    const reused =
      sentBefore === undefined
        ? part.kind === "message"
          ? 0
          : sent.length
        : isEqual
          ? commonLength(sent, sentBefore, at)
          : 0;
    at += sent.length;
    isEqual &&= reused === sent.length;
    return { ...part, chars: sent.length, tokens: estimateTokens(sent), reused };
  });
  const sum = (of: (part: PromptPart) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    parts,
    requests: texts.requests,
    chars: sum(({ chars }) => chars),
    tokens: sum(({ tokens }) => tokens),
    reused: sum(({ reused }) => reused),
  };
}

function commonLength(text: string, known: string, from: number): number {
  let length = 0;
  while (length < text.length && text.charCodeAt(length) === known.charCodeAt(from + length)) length += 1;
  return length;
}

function sentTexts(transcript: string) {
  const lines = transcript.split("\n");
  const ownLines = ownTranscriptLines(lines);
  const own = ownLines.flatMap((each) => parseTranscriptLine(each) ?? []);
  const copied = lines.slice(0, lines.length - ownLines.length).flatMap((each) => parseTranscriptLine(each) ?? []);
  const system = [...copied, ...own].find(({ role }) => role === "system");
  const asked = own.find(({ role }) => role === "user");
  if (!asked) return undefined;
  const spoken = copied.filter(({ role }) => role !== "system");
  return {
    isContinued: copied.length > 0,
    requests: own.filter(({ role }) => role === "assistant").length,
    texts: [
      ...(system ? systemTexts(system) : []),
      ...(spoken.length === 0 ? [] : [conversationText(spoken)]),
      ...messageTexts(messageText(asked)),
    ],
  };
}

/** Providers put the tools first. */
function systemTexts(message: TranscriptMessage): readonly SentText[] {
  const { sections, toolsAdded } = message;
  const tools = Array.isArray(toolsAdded) ? toolsAdded.filter(isNamed) : [];
  const own = typeof sections === "object" && sections !== null ? Object.values(sections).map(String).join("\n\n") : "";
  const whole = [messageText(message), own].filter((text) => text !== "").join("\n\n");
  const texts = whole.split(/(?=^## How to answer$)/m).map((sent, index): SentText => {
    return { kind: "system", title: index === 0 ? "Instructions" : "How to answer", text: sent, sent };
  });
  if (tools.length === 0) return texts;
  const names = tools.map(({ name }) => name).join(", ");
  return [{ kind: "tools", title: "Tools", text: names, sent: JSON.stringify(tools) }, ...texts];
}

function isNamed(tool: unknown): tool is { readonly name: string } {
  return typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string";
}

function conversationText(messages: readonly TranscriptMessage[]): SentText {
  const texts = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  const text = countedText(messages.length, "message");
  return { kind: "conversation", title: "Continued conversation", text, sent: texts.join("") };
}

/** The headings of the engine; a text within a part may have headings, too. */
function messageTexts(words: string): readonly SentText[] {
  return words.split(/(?=^## )/m).map((sent): SentText => {
    const title = /^## (.*)/.exec(sent)?.[1] ?? "Message";
    return { kind: "message", title: oneLine(title, 80), text: sent, sent };
  });
}

/** [C53] A line for each part, then their texts. */
export function promptPartLines(sent: SentPrompt, width: number): readonly Line[] {
  const row = (title: string, { chars, tokens, reused }: Pick<PromptPart, "chars" | "tokens" | "reused">): Line =>
    line(
      title.padEnd(40).slice(0, 40),
      `${amountText(tokens)} tokens`.padStart(16),
      toned("dim", reused === 0 ? "" : `  ${Math.floor((100 * reused) / chars)} % from a cache`),
    );
  return [
    ...sent.parts.map((part) => row(part.title, part)),
    row("In all", sent),
    line(
      toned("dim", `${countedText(sent.requests, "request")}; each further one repeats the one before and adds to it.`),
    ),
    ...sent.parts.flatMap(({ title, text }) => [
      [],
      line(toned("strong", title)),
      ...quotedTextLines(text.trim(), width),
    ]),
  ];
}
