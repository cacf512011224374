import { fauxAssistantMessage, fauxProvider, fauxToolCall, type AssistantMessage } from "@earendil-works/pi-ai";

/** One answer of the scripted model: words, a tool call, a failure, or silence until the request is aborted. */
export type ModelReply =
  | string
  | { readonly call: string; readonly args: Parameters<typeof fauxToolCall>[1] }
  | { readonly error: string }
  | { readonly hang: true };

/** What the model was asked, as it arrived there. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly string[];
  /** `u: text`, `a: text`, `t: text`. */
  readonly messages: readonly string[];
}

export function scriptedModel(replies: readonly ModelReply[]) {
  const faux = fauxProvider({
    provider: "scripted",
    models: [
      { id: "first", reasoning: true },
      { id: "second", reasoning: true, contextWindow: 32_000 },
      { id: "third", reasoning: true },
    ],
  });
  const requests: ModelRequest[] = [];
  let arrival = Promise.withResolvers<void>();
  const step = (reply: ModelReply) => {
    const answer: Extract<Parameters<typeof faux.appendResponses>[0][number], (...args: never[]) => unknown> = (
      context,
      options,
      _state,
      model,
    ) => {
      requests.push(requestOf(model.id, context.messages));
      arrival.resolve();
      arrival = Promise.withResolvers<void>();
      return answerOf(reply, options?.signal);
    };
    return answer;
  };
  const reply = (...more: readonly ModelReply[]): void => faux.appendResponses(more.map(step));
  reply(...replies);
  return { provider: faux.provider, requests, reply, asked: () => arrival.promise };
}

async function answerOf(reply: ModelReply, signal: AbortSignal | undefined): Promise<AssistantMessage> {
  if (typeof reply === "string") return fauxAssistantMessage(reply);
  if ("call" in reply) return fauxAssistantMessage([fauxToolCall(reply.call, reply.args)], { stopReason: "toolUse" });
  if ("error" in reply) return fauxAssistantMessage("", { stopReason: "error", errorMessage: reply.error });
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve());
  });
  return fauxAssistantMessage("", { stopReason: "aborted", errorMessage: "aborted" });
}

interface ModelMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly { readonly name: string }[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
}

function requestOf(model: string, messages: readonly ModelMessage[]): ModelRequest {
  const systems = messages.filter(({ role }) => role === "system");
  const tools = new Set<string>();
  for (const { toolsAdded = [], toolsRemoved = [] } of systems) {
    for (const { name } of toolsAdded) tools.add(name);
    for (const { name } of toolsRemoved) tools.delete(name);
  }
  return {
    model,
    system: systems.map((each) => `${textOf(each.content)}${each.sections?.["preamble"] ?? ""}`).join(""),
    tools: [...tools],
    messages: messages
      .filter(({ role }) => role !== "system")
      .map(({ role, content }) => `${role.charAt(0)}: ${textOf(content)}`),
  };
}

/** Words, and the names of what was called. */
export function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((part: { text?: string; name?: string }) => part.text ?? part.name ?? "").join("");
}
