import type { PiRecord, PiRpc } from "./pi-rpc.ts";
import type { ModelServer } from "./model-server.ts";

/** What a client of the RPC mode is shown, as plain text. Each picks it out of the records, for `until`. */
export function notice(pattern: RegExp): (record: PiRecord) => string | undefined {
  return (record) =>
    record.type === "extension_ui_request" && record.method === "notify" && pattern.test(record.message ?? "")
      ? record.message
      : undefined;
}

export function widget(pattern: RegExp): (record: PiRecord) => string | undefined {
  return (record) => {
    const text = record.type === "extension_ui_request" ? record.widgetLines?.join("\n") : undefined;
    return text !== undefined && pattern.test(text) ? text : undefined;
  };
}

export function status(pattern: RegExp): (record: PiRecord) => string | undefined {
  return (record) =>
    record.type === "extension_ui_request" && pattern.test(record.statusText ?? "") ? record.statusText : undefined;
}

/** What is put into the editor. */
export function editorText(record: object): string | undefined {
  const isText = "method" in record && record.method === "set_editor_text" && "text" in record;
  return isText ? String(record.text) : undefined;
}

export function settled(record: PiRecord): true | undefined {
  return record.type === "agent_settled" || undefined;
}

/** An answer that is being given in the user's session. */
export function streaming(record: PiRecord): true | undefined {
  return record.type === "message_update" || undefined;
}

/** The widget, or the line below the editor, taken away. */
export function gone(method: "setWidget" | "setStatus"): (record: PiRecord) => true | undefined {
  return (record) =>
    (record.type === "extension_ui_request" &&
      record.method === method &&
      record.widgetLines === undefined &&
      record.statusText === undefined) ||
    undefined;
}

/** The final card: the message of a cast to the conversation. */
export function result(record: PiRecord): string | undefined {
  if (record.type !== "message_end" || record.message.customType !== "materia-result") return undefined;
  return `${textOf(record.message.content)}\n${cardText(record.message.details)}`;
}

/** The card of a finished visit. */
export function visitCard(record: PiRecord): string | undefined {
  const card = visitData(record);
  return card === undefined ? undefined : cardText(card);
}

/** The same card, opened. */
export function openedCard(record: PiRecord): string | undefined {
  const card = visitData(record) as { readonly opened: Spans["lines"] } | undefined; // written by the extension under test
  return card && cardText({ lines: card.opened });
}

function visitData(record: PiRecord): unknown {
  return record.type === "entry_appended" && record.entry.customType === "materia-visit"
    ? record.entry.data
    : undefined;
}

/** All that is found in what Pi has written so far. */
export function all<T>(pi: PiRpc, find: (record: PiRecord) => T | undefined): readonly T[] {
  return pi.records.flatMap((record) => {
    const found = find(record);
    return found === undefined ? [] : [found];
  });
}

interface Spans {
  readonly lines: readonly (readonly { readonly text: string }[])[];
}

function cardText(card: unknown): string {
  const { lines } = card as Spans; // written by the extension under test
  return lines.map((spans) => spans.map(({ text }) => text).join("")).join("\n");
}

/** The user's own settings as a client sees them. */
export async function settingsOf(pi: PiRpc): Promise<{ readonly model: string; readonly thinking: string }> {
  const state = (await pi.ask({ type: "get_state" })) as { model: { id: string }; thinkingLevel: string }; // Pi's answer
  return { model: state.model.id, thinking: state.thinkingLevel };
}

export interface AskedQuestion {
  readonly model: string;
  readonly thinking: string | undefined;
  readonly tools: readonly string[];
  readonly system: string;
  /** What was said, without the system text: `user: …`, `assistant: …`. */
  readonly said: readonly string[];
}

/** What the model was asked last, or the given number of requests before that. */
export function lastAsked({ requests }: ModelServer, before = 0): AskedQuestion {
  const request = requests.at(-1 - before);
  if (!request) throw new Error("the model was not asked");
  const [system, ...said] = request.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  return {
    model: request.model,
    thinking: request.reasoning_effort,
    tools: (request.tools ?? []).map((tool) => tool.function.name).toSorted(),
    system: system?.text ?? "",
    said: said.map(({ role, text }) => `${role}: ${text}`),
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("");
}

/** The id of the cast that a text speaks of. */
export function castIdIn(text: string): string {
  const [id] = /\d{8}-\d{6}-\w+/.exec(text) ?? [];
  if (id === undefined) throw new Error(`no cast is named in: ${text}`);
  return id;
}
