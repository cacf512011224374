import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Component, KeyId, OverlayHandle, TUI } from "@earendil-works/pi-tui";
import { oneLine } from "../../../core/model/text.ts";
import { line, toned, type Line } from "../../../core/view/line.ts";
import { loadPi, type Pi } from "../../../shell/agents/pi-sdk.ts";
import { paintLines, fitRow } from "../screen/card.ts";
import { piTui, CONVERSATIONS_KEY } from "../session/user-session.ts";
import type { Conversations, TitledConversation, Conversation, SessionMessage } from "./conversations.ts";
import * as v from "valibot";

/** [X43] Shows the conversations of a cast's agents over the whole screen until the person closes it. */
export async function showConversations(ctx: ExtensionContext, conversations: Conversations): Promise<void> {
  const pi = await loadPi();
  let handle: OverlayHandle | undefined;
  let stop = (): void => undefined;
  await ctx.ui.custom<undefined>(
    (tui, theme, _keys, done) => {
      stop = conversations.onChange(() => tui.requestRender());
      const look = { expanded: ctx.ui.getToolsExpanded(), isInFront: () => handle?.isFocused() ?? true };
      return conversationView({ pi, tui, theme, conversations, ...look, close: () => done(undefined) });
    },
    {
      overlay: true,
      overlayOptions: { width: "100%", maxHeight: "100%", row: 0, col: 0 },
      onHandle: (shown) => (handle = shown),
    },
  );
  stop();
}

/** A conversation is drawn with Pi's own components, so that an agent looks as in Pi. */
interface PiDrawing {
  readonly pi: Pi;
  readonly tui: TUI;
  readonly theme: Theme;
}

interface ViewOptions extends PiDrawing {
  readonly conversations: Pick<Conversations, "all">;
  readonly expanded: boolean;
  readonly isInFront: () => boolean;
  readonly close: () => void;
}

/** Rows for the title and the keys. */
const FRAME_ROWS = 2;

export function conversationView(options: ViewOptions): Component {
  const { tui, theme, conversations, isInFront, close } = options;
  const rowsOf = createConversationRows(options);
  const place: ScrollPosition = { expanded: options.expanded, below: 0, back: 0, height: 1 };
  const actions = keyActions(place, () => conversations.all().length, close);
  return {
    invalidate: () => undefined,
    handleInput: (data) => {
      if (piTui().isKeyRelease(data)) return;
      for (const [key, act] of actions) if (piTui().matchesKey(data, key)) act();
      tui.requestRender();
    },
    render: (width) => {
      // A dialog that opens now would be hidden below this view.
      if (!isInFront()) queueMicrotask(close);
      const all = conversations.all();
      const at = Math.max(0, all.length - 1 - place.back);
      const shown = all[at];
      place.height = Math.max(1, tui.terminal.rows - FRAME_ROWS);
      const rows = shown ? rowsOf(shown, { width, expanded: place.expanded }) : [];
      const seen = visibleRows(rows, place);
      const title = titleLine(shown, at + 1, all.length, place.below);
      const keys = width < WIDE_COLUMNS ? SHORT_KEY_HINTS : KEY_HINTS;
      return [...paintLines([title], width, theme), ...seen, ...paintLines([keys], width, theme)];
    },
  };
}

/** Always fills the screen, with empty rows too: the screen behind must not show. */
function visibleRows(rows: readonly string[], place: ScrollPosition): readonly string[] {
  const { height } = place;
  place.below = Math.min(place.below, Math.max(0, rows.length - height));
  const end = rows.length - place.below;
  const seen = rows.slice(Math.max(0, end - height), end);
  return [...seen, ...Array.from({ length: height - seen.length }, () => "")];
}

/** The position of the person in the conversation. */
interface ScrollPosition {
  expanded: boolean;
  /** Rows after the last visible one; at the end the view follows new text. */
  below: number;
  /** The agent, counted from the newest: another one may start at any time. */
  back: number;
  height: number;
}

function keyActions(place: ScrollPosition, count: () => number, close: () => void): ReadonlyMap<KeyId, () => void> {
  const scroll = (rows: number) => () => void (place.below = Math.max(0, place.below + rows));
  const turn = (by: number) => () => {
    place.back = Math.min(Math.max(0, place.back + by), Math.max(0, count() - 1));
    place.below = 0;
  };
  return new Map<KeyId, () => void>([
    ["escape", close],
    ["q", close],
    ["ctrl+c", close],
    [CONVERSATIONS_KEY, close],
    ["up", scroll(1)],
    ["down", scroll(-1)],
    ["pageUp", () => scroll(place.height)()],
    ["pageDown", () => scroll(-place.height)()],
    ["home", scroll(Number.MAX_SAFE_INTEGER)],
    ["end", () => void (place.below = 0)],
    ["left", turn(1)],
    ["right", turn(-1)],
    ["ctrl+o", () => void (place.expanded = !place.expanded)],
  ]);
}

function titleLine(shown: TitledConversation | undefined, number: number, of: number, below: number): Line {
  if (!shown) return line(toned("dim", "no agent has worked in a separate session yet"));
  const mark = shown.isWorking() ? toned("accent", "▸ ") : toned("dim", "■ ");
  const which = of > 1 ? `  agent ${number} of ${of}` : "";
  const more = below > 0 ? `  ${below} more rows below` : "";
  return line(mark, toned("strong", oneLine(shown.title, 200)), toned("dim", `${which}${more}`));
}

const WIDE_COLUMNS = 80;
const SHORT_KEY_HINTS = line(toned("dim", "Esc closes · ↑↓ scroll · ←→ agents · Ctrl+O whole output"));
const KEY_HINTS = line(toned("dim", "Esc closes · ↑↓ PgUp PgDn Home End scroll · ←→ agents · Ctrl+O whole output"));

interface RowOptions {
  readonly width: number;
  readonly expanded: boolean;
}

/** The rows of a conversation. Finished parts are drawn once; only the running part is drawn again with each frame. */
function createConversationRows(drawing: PiDrawing) {
  let finished = new WeakMap<object, readonly string[]>();
  let last = "";
  return (conversation: Conversation, shown: RowOptions): readonly string[] => {
    const look = `${shown.width} ${shown.expanded}`;
    if (look !== last) finished = new WeakMap();
    last = look;
    const streaming = conversation.streaming();
    const messages = conversation.messages().filter((message) => message !== streaming);
    const results = new Map(messages.flatMap((each) => (each.role === "toolResult" ? [[each.toolCallId, each]] : [])));
    const rowsOf = (message: SessionMessage): readonly string[] => {
      const kept = finished.get(message);
      if (kept) return kept;
      const rows = safeRows(message, { drawing, conversation, shown, results });
      if (message !== streaming && isComplete(message, results)) finished.set(message, rows);
      return rows;
    };
    return [...messages, ...(streaming ? [streaming] : [])].flatMap(rowsOf);
  };
}

interface RowContext {
  readonly drawing: PiDrawing;
  readonly conversation: Conversation;
  readonly shown: RowOptions;
  readonly results: ReadonlyMap<string, SessionMessage>;
}

/** [X33] If Pi's components cannot draw a message, show one line that says so; no row is too wide. */
function safeRows(message: SessionMessage, wanted: RowContext): readonly string[] {
  const { width } = wanted.shown;
  try {
    return messageRows(message, wanted).map((row) => fitRow(row, width));
  } catch {
    return [fitRow(" materia: this message cannot be drawn", width)];
  }
}

function messageRows(message: SessionMessage, wanted: RowContext): readonly string[] {
  const { pi } = wanted.drawing;
  const { width } = wanted.shown;
  if (message.role === "user") return new pi.UserMessageComponent(messageText(message.content)).render(width);
  if (message.role !== "assistant") return [];
  const textRows = new pi.AssistantMessageComponent(message, false).render(width);
  const calls = message.content.flatMap((part) => (part.type === "toolCall" ? toolCallRows(part, wanted) : []));
  return [...textRows, ...calls];
}

type ToolCall = Extract<Extract<SessionMessage, { role: "assistant" }>["content"][number], { type: "toolCall" }>;

function toolCallRows({ name, id, arguments: args }: ToolCall, wanted: RowContext): readonly string[] {
  const { drawing, conversation, shown, results } = wanted;
  const { pi, tui } = drawing;
  const none = { showImages: false };
  const tool = new pi.ToolExecutionComponent(name, id, args, none, conversation.toolOf(name), tui, conversation.cwd);
  tool.setArgsComplete();
  const startedAt = conversation.startedAt?.(id);
  if (startedAt !== undefined && !results.has(id)) {
    // Drawn anew with each frame, Pi's component would count from now on, and start a timer each time.
    const state: unknown = Reflect.get(tool, "rendererState");
    if (typeof state === "object") Object.assign(state ?? {}, { startedAt, interval: true });
    tool.markExecutionStarted();
  }
  tool.setExpanded(shown.expanded);
  const result = results.get(id);
  if (result?.role === "toolResult") tool.updateResult(toolResult(result, result.isError));
  const partial = conversation.partialOutput(id);
  if (!result && v.is(ToolOutput, partial)) tool.updateResult(toolResult(partial, false), true);
  return tool.render(shown.width);
}

const ToolOutput = v.object({
  content: v.array(v.object({ type: v.string(), text: v.optional(v.string()) })),
  details: v.optional(v.unknown()),
});

function toolResult({ content, details }: v.InferOutput<typeof ToolOutput>, isError: boolean) {
  return { content: content.map(({ type, text = "" }) => ({ type, text })), details, isError };
}

function isComplete(message: SessionMessage, results: ReadonlyMap<string, SessionMessage>): boolean {
  if (message.role !== "assistant") return true;
  return message.content.every((part) => part.type !== "toolCall" || results.has(part.id));
}

function messageText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
