import * as v from "valibot";
import { FleetStatus } from "../view/progress/fleet-status.ts";
import { failWith, ok, type Result } from "../model/issue.ts";
import { CastSummary } from "../cast/summary.ts";
import { CastEventSchema } from "./casts.ts";
import { parseResponse } from "./commands.ts";
import { parseJson } from "../model/json.ts";
import { wholeNumber } from "../model/schemas.ts";
import { NO_USAGE, addUsage, Usage } from "../cast/state/usage.ts";
import type { TranscriptMessage, TranscriptPart } from "../cast/transcript.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const place = { socket: v.string(), visit: count };

/** [N13] The current activity of an agent. It is not stored; the journal has the result. */
export const AgentProgress = v.variant("kind", [
  v.object({ kind: v.literal("asked"), ...place }),
  /** `from` characters of this turn came before, so that a listener can detect a gap. */
  v.object({ kind: v.picklist(["text", "thinking"]), ...place, from: count, delta: v.string() }),
  v.object({
    kind: v.literal("tool_started"),
    ...place,
    id: v.string(),
    name: v.string(),
    args: v.optional(v.unknown()),
  }),
  v.object({ kind: v.literal("tool_said"), ...place, id: v.string(), said: v.string() }),
  v.object({
    kind: v.literal("tool_ended"),
    ...place,
    id: v.string(),
    name: v.string(),
    failed: v.boolean(),
    said: v.optional(v.string(), ""),
  }),
  v.object({ kind: v.literal("used"), ...place, usage: Usage }),
  v.object({
    kind: v.literal("retrying"),
    ...place,
    attempt: count,
    delayMs: v.number(),
    error: v.string(),
  }),
]);
export type AgentProgress = v.InferOutput<typeof AgentProgress>;

/** [YP19] A question of an extension to the person who drives its cast. The answer to `confirm` is `yes` or `no`. */
export const ExtensionQuestion = v.object({
  castId: v.string(),
  socket: v.string(),
  materia: v.string(),
  item: v.nullable(v.string()),
  extension: v.string(),
  kind: v.picklist(["confirm", "select", "input", "editor"]),
  text: v.string(),
  choices: v.exactOptional(v.array(v.string())),
  /** What a field expects, or what it holds at first. */
  hint: v.exactOptional(v.string()),
});
export type ExtensionQuestion = v.InferOutput<typeof ExtensionQuestion>;

/** A question that nobody has answered yet. */
export const OpenQuestion = v.object({ id: v.string(), ...ExtensionQuestion.entries });
export type OpenQuestion = v.InferOutput<typeof OpenQuestion>;

/** The part of a visit with a hit, by the name of its tab. */
export const SearchHitPlace = v.picklist(["output", "prompt", "tools", "handoff"]);
export type SearchHitPlace = v.InferOutput<typeof SearchHitPlace>;

/** [N43] One hit of a search. */
export const SearchHit = v.object({
  castId: v.string(),
  request: v.string(),
  socket: v.string(),
  visit: wholeNumber(1),
  materia: v.string(),
  in: SearchHitPlace,
  before: v.string(),
  match: v.string(),
  after: v.string(),
});
export type SearchHit = v.InferOutput<typeof SearchHit>;

export const SearchEnd = v.object({ casts: wholeNumber(0), isCut: v.boolean() });
export type SearchEnd = v.InferOutput<typeof SearchEnd>;

/** The messages of each stream, by the name of the server-sent event; `message` is the default name. */
const STREAMS = {
  /** [N11, N12] */
  cast: {
    message: CastEventSchema,
    progress: AgentProgress,
    live: v.object({ live: v.boolean() }),
    /** [YP21] All open questions of its agents. */
    questions: v.object({ questions: v.array(OpenQuestion) }),
    /** [V25] The cast of an item arrives at a socket. */
    item: v.object({ child: v.string(), socket: v.string() }),
    /** The journal was replaced: the page must load everything again. */
    reset: v.object({}),
    /** The journal is damaged after this line; the stream ends here. */
    damaged: v.object({ line: count }),
  },
  /** [N10] */
  casts: {
    cast: CastSummary,
    gone: v.object({ castId: v.string() }),
    ready: v.object({}),
    config: v.object({}),
  },
  /** [N43] */
  search: { found: SearchHit, over: SearchEnd },
  /** [B29] */
  fleet: { fleet: FleetStatus },
} as const satisfies Readonly<Record<string, Readonly<Record<string, v.GenericSchema>>>>;

export type StreamName = keyof typeof STREAMS;
type MessageOf<S> = {
  [K in keyof S & string]: {
    readonly kind: K;
    readonly data: S[K] extends v.GenericSchema ? v.InferOutput<S[K]> : never;
  };
}[keyof S & string];

export type StreamMessage<N extends StreamName = StreamName> = { [K in N]: MessageOf<(typeof STREAMS)[K]> }[N];

export function readStreamMessage<N extends StreamName>(name: N, kind: string, text: string): Result<StreamMessage<N>> {
  const shapes: Readonly<Record<string, v.GenericSchema>> = STREAMS[name];
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (!shape) return failWith("unexpected_response", kind, "the server sent a message that this page does not know");
  const raw = parseJson(text);
  if (raw === undefined) return failWith("unexpected_response", kind, "the server sent a message that is not JSON");
  const read = parseResponse(shape, raw, kind);
  return read.ok ? ok({ kind, data: read.value } as StreamMessage<N>) : read; // by the schema of its kind
}

const EXCERPT_MARGIN = 80;

/** The first hit in a text, with the text around it; case does not matter. */
export function excerptAround(text: string, needle: string): Pick<SearchHit, "before" | "match" | "after"> | undefined {
  const lower = text.toLowerCase();
  // A letter that becomes two letters in lower case would shift all later positions.
  const at = lower.length === text.length ? lower.indexOf(needle.toLowerCase()) : text.indexOf(needle);
  if (at === -1) return undefined;
  const end = at + needle.length;
  const flat = (piece: string): string => piece.replaceAll(/\s+/g, " ");
  return {
    before: `${at > EXCERPT_MARGIN ? "…" : ""}${flat(text.slice(Math.max(0, at - EXCERPT_MARGIN), at))}`,
    match: text.slice(at, end),
    after: `${flat(text.slice(end, end + EXCERPT_MARGIN))}${end + EXCERPT_MARGIN < text.length ? "…" : ""}`,
  };
}

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
