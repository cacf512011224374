import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Model,
  Provider,
  SimpleStreamOptions,
  ToolCall,
} from "@earendil-works/pi-ai";
import { HAND_OVER } from "../../core/model/handoff.ts";
import type { ScriptedReply } from "../../core/model/rehearsal.ts";
import { waitOrAbort, type Timer } from "./turn-guard.ts";

export interface ScriptedStep {
  readonly does:
    | {
        readonly kind: "call";
        readonly id: string;
        readonly name: string;
        readonly args: ScriptedReply["tools"][number]["arguments"];
      }
    | { readonly kind: "say"; readonly text: string }
    | { readonly kind: "fail"; readonly error: NonNullable<ScriptedReply["error"]>; readonly resetMs?: number };
  readonly delayMs: number;
  readonly usage: { readonly input: number; readonly output: number };
}

export interface ReplyScript {
  /** The next answer; undefined when no reply is left. Calls with results are not repeated. */
  readonly next: (done: ReadonlySet<string>) => ScriptedStep | undefined;
  /** [A12] What is missing, after `next` returned undefined. */
  readonly missing: () => string | undefined;
}

export const SCRIPTED_MODEL: Model<Api> = {
  id: "script",
  name: "Rehearsal",
  provider: "rehearsal",
  api: "rehearsal",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000_000,
  maxTokens: 1_000_000_000,
};

/** [Z10] Pi decides by the text whether to retry, or whether the context is too long. */
const ERROR_TEXTS = {
  provider: "rehearsed failure: 503 service unavailable",
  timeout: "rehearsed failure: the request timed out",
  overflow: "rehearsed failure: the prompt is too long",
  overload: "rehearsed failure: 529 overloaded",
  limit: "rehearsed failure: 429 rate limit",
  quota: "rehearsed failure: 429 insufficient_quota",
} as const;

function scriptedErrorText({ error, resetMs }: Extract<ScriptedStep["does"], { kind: "fail" }>): string {
  return resetMs === undefined ? ERROR_TEXTS[error] : `${ERROR_TEXTS[error]}, try again in ${resetMs} ms`;
}

export function createScriptedProvider(scripts: ReadonlyMap<string, ReplyScript>, after: Timer): Provider {
  const stream = (_model: unknown, context: Context, { sessionId = "", signal }: SimpleStreamOptions = {}) =>
    messageStream(playStep(scripts.get(sessionId), finishedCalls(context), after, signal));
  return {
    id: SCRIPTED_MODEL.provider,
    name: SCRIPTED_MODEL.name,
    auth: { apiKey: { name: SCRIPTED_MODEL.name, resolve: async () => ({ auth: {} }) } },
    getModels: () => [SCRIPTED_MODEL],
    stream: (model, context, options) => stream(model, context, options as SimpleStreamOptions),
    streamSimple: stream,
  };
}

const NO_TOKENS = { input: 0, output: 0 };

/** Only Pi's summaries have no script: they belong to no session. */
const SUMMARY_STEP: ScriptedStep = { does: { kind: "say", text: "(summary)" }, delayMs: 0, usage: NO_TOKENS };

function finishedCalls({ messages }: Context): ReadonlySet<string> {
  // A finished reply ends a turn: calls before it belong to an earlier one.
  const from = messages.findLastIndex(
    (message) =>
      (message.role === "assistant" && message.stopReason === "stop") ||
      (message.role === "toolResult" && message.toolName === HAND_OVER && !message.isError),
  );
  return new Set(
    messages.slice(from + 1).flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])),
  );
}

async function playStep(
  script: ReplyScript | undefined,
  done: ReadonlySet<string>,
  after: Timer,
  signal: AbortSignal | undefined,
): Promise<AssistantMessage> {
  const step = script ? script.next(done) : SUMMARY_STEP;
  if (!step) return assistantMessage({ stopReason: "error", errorMessage: "the rehearsal has no reply left" });
  if (step.delayMs > 0) await waitOrAbort(step.delayMs, after, signal);
  if (signal?.aborted) return assistantMessage({ stopReason: "aborted", errorMessage: "aborted" });
  const usage = stepUsage(step);
  switch (step.does.kind) {
    case "call": {
      const { id, name, args } = step.does;
      // Copy the arguments: tools may change them. They came from JSON.
      const copy = structuredClone(args) as ToolCall["arguments"];
      const call: ToolCall = { type: "toolCall", id, name, arguments: copy };
      return assistantMessage({ stopReason: "toolUse", usage, content: [call] });
    }
    case "say":
      return assistantMessage({ stopReason: "stop", usage, content: [{ type: "text", text: step.does.text }] });
    case "fail":
      return assistantMessage({ stopReason: "error", usage, errorMessage: scriptedErrorText(step.does) });
  }
}

function assistantMessage(part: Partial<AssistantMessage> & Pick<AssistantMessage, "stopReason">): AssistantMessage {
  const { api, provider, id: model } = SCRIPTED_MODEL;
  const usage = stepUsage(SUMMARY_STEP);
  return { role: "assistant", content: [], api, provider, model, usage, timestamp: Date.now(), ...part };
}

function stepUsage({ usage: { input, output } }: ScriptedStep): AssistantMessage["usage"] {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost };
}

/** Pi copies any stream of events, so this need not be an instance of its class. */
function messageStream(message: Promise<AssistantMessage>): ReturnType<Provider["streamSimple"]> {
  const events = { [Symbol.asyncIterator]: () => messageEvents(message), result: () => message };
  return events as unknown as ReturnType<Provider["streamSimple"]>;
}

async function* messageEvents(
  awaited: Promise<AssistantMessage>,
): AsyncGenerator<AssistantMessageEvent, void, undefined> {
  const message = await awaited;
  if (message.stopReason === "error" || message.stopReason === "aborted") {
    yield { type: "error", reason: message.stopReason, error: message };
    return;
  }
  const [part] = message.content;
  yield { type: "start", partial: { ...message, content: [] } };
  if (part?.type === "text") {
    yield { type: "text_start", contentIndex: 0, partial: message };
    yield { type: "text_delta", contentIndex: 0, delta: part.text, partial: message };
    yield { type: "text_end", contentIndex: 0, content: part.text, partial: message };
  }
  yield { type: "done", reason: message.stopReason === "toolUse" ? "toolUse" : "stop", message };
}
