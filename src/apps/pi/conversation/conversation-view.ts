import type { ExtensionContext, Theme, ToolExecutionComponent } from "@earendil-works/pi-coding-agent";
import type { Component, KeyId, OverlayHandle, TUI } from "@earendil-works/pi-tui";
import { oneLine } from "../../../core/model/text.ts";
import { line, toned, type Line } from "../../../core/view/line.ts";
import { loadPi, type Pi } from "../../../shell/agents/pi-sdk.ts";
import { paintLines, fitRow } from "../screen/card.ts";
import { piTui, CONVERSATIONS_KEY } from "../session/pi-tui.ts";
import type { Conversations, TitledConversation, Conversation, SessionMessage } from "./conversations.ts";
import * as v from "valibot";

/** [X43] What the agents of a cast say and do, over the whole screen, until the person has seen enough. */
export async function showConversations(ctx: ExtensionContext, conversations: Conversations): Promise<void> {
  const pi = await loadPi();
  let handle: OverlayHandle | undefined;
  let stop = (): void => undefined;
  await ctx.ui.custom<undefined>(
    (tui, theme, _keys, done) => {
      stop = conversations.onChange(() => tui.requestRender());
      return conversationView({
        pi,
        tui,
        theme,
        conversations,
        expanded: ctx.ui.getToolsExpanded(),
        isInFront: () => handle?.isFocused() ?? true,
        close: () => done(undefined),
      });
    },
    {
      overlay: true,
      overlayOptions: { width: "100%", maxHeight: "100%", row: 0, col: 0 },
      onHandle: (shown) => (handle = shown),
    },
  );
  stop();
}

interface ViewOptions {
  readonly pi: Pi;
  readonly tui: TUI;
  readonly theme: Theme;
  readonly conversations: Pick<Conversations, "all">;
  /** Whether the output of tools is shown whole from the beginning. */
  readonly expanded: boolean;
  /** Whether the keys come here. */
  readonly isInFront: () => boolean;
  readonly close: () => void;
}

/** Rows that are not the conversation's: the title and the keys. */
const FRAME_ROWS = 2;

export function conversationView(options: ViewOptions): Component {
  const { pi, tui, theme, conversations, isInFront, close } = options;
  const rowsOf = createConversationRows({ pi, tui, theme });
  const place: ScrollPosition = { expanded: options.expanded, below: 0, back: 0, height: 1 };
  const actions = keyActions(place, { count: () => conversations.all().length, close });
  return {
    invalidate: () => undefined,
    handleInput: (data) => {
      if (piTui().isKeyRelease(data)) return;
      for (const [key, act] of actions) if (piTui().matchesKey(data, key)) act();
      tui.requestRender();
    },
    render: (width) => {
      // Whatever asks the person something meanwhile stands below this, where nobody sees it.
      if (!isInFront()) queueMicrotask(close);
      const all = conversations.all();
      const at = Math.max(0, all.length - 1 - place.back);
      const shown = all[at];
      place.height = Math.max(1, tui.terminal.rows - FRAME_ROWS);
      const rows = shown ? rowsOf(shown, { width, expanded: place.expanded }) : [];
      const seen = visibleRows(rows, place);
      const title = titleLine(shown, { number: at + 1, of: all.length, below: place.below });
      const keys = width < WIDE_COLUMNS ? SHORT_KEY_HINTS : KEY_HINTS;
      return [...paintLines([title], width, theme), ...seen, ...paintLines([keys], width, theme)];
    },
  };
}

/** Where the person looks. */
interface ScrollPosition {
  expanded: boolean;
  /** Rows that follow the last one in view; at the end it follows what is said. */
  below: number;
  /** Which agent, counted from the newest: another one may begin meanwhile. */
  back: number;
  height: number;
}

function keyActions(
  place: ScrollPosition,
  { count, close }: { readonly count: () => number; readonly close: () => void },
): ReadonlyMap<KeyId, () => void> {
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

/** As many rows as there is room for, empty ones included: what is behind must not be seen. */
function visibleRows(rows: readonly string[], place: ScrollPosition): readonly string[] {
  const { height } = place;
  place.below = Math.min(place.below, Math.max(0, rows.length - height));
  const end = rows.length - place.below;
  const seen = rows.slice(Math.max(0, end - height), end);
  return [...seen, ...Array.from({ length: height - seen.length }, () => "")];
}

function titleLine(
  shown: TitledConversation | undefined,
  { number, of, below }: { readonly number: number; readonly of: number; readonly below: number },
): Line {
  if (!shown) return line(toned("dim", "no agent has worked in a session of its own yet"));
  const mark = shown.isWorking() ? toned("accent", "▸ ") : toned("dim", "■ ");
  const which = of > 1 ? `  agent ${number} of ${of}` : "";
  const more = below > 0 ? `  ${below} more rows below` : "";
  return line(mark, toned("strong", oneLine(shown.title, 200)), toned("dim", `${which}${more}`));
}

const WIDE_COLUMNS = 80;
const SHORT_KEY_HINTS = line(toned("dim", "Esc closes · ↑↓ PgUp PgDn scroll · ←→ agents · Ctrl+O"));
const KEY_HINTS = line(toned("dim", "Esc closes · ↑↓ PgUp PgDn Home End scroll · ←→ agents · Ctrl+O whole output"));

/** What a conversation is drawn with: Pi's own components, so that an agent looks as it would in Pi. */
interface PiDrawing {
  readonly pi: Pi;
  readonly tui: TUI;
  readonly theme: Theme;
}

export interface RowOptions {
  readonly width: number;
  /** Whether the output of tools is shown whole. */
  readonly expanded: boolean;
}

/** The rows of a conversation. What is finished is drawn once; only what goes on is drawn again with each frame. */
function createConversationRows(
  drawing: PiDrawing,
): (conversation: Conversation, shown: RowOptions) => readonly string[] {
  let finished = new WeakMap<object, readonly string[]>();
  let last = "";
  return (conversation, shown) => {
    const look = `${shown.width} ${shown.expanded}`;
    if (look !== last) finished = new WeakMap();
    last = look;
    const streaming = conversation.streaming();
    const messages = conversation.messages().filter((message) => message !== streaming);
    const results = toolResultsById(messages);
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

/** [X33] Whoever has written it: what Pi's components cannot draw is one line that says so, and no row is too wide. */
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
  const said = new pi.AssistantMessageComponent(message, false).render(width);
  const calls = message.content.flatMap((part) => (part.type === "toolCall" ? toolCallRows(part, wanted) : []));
  return [...said, ...calls];
}

type ToolCall = Extract<Extract<SessionMessage, { role: "assistant" }>["content"][number], { type: "toolCall" }>;

function toolCallRows({ name, id, arguments: args }: ToolCall, wanted: RowContext): readonly string[] {
  const { drawing, conversation, shown, results } = wanted;
  const { pi, tui } = drawing;
  const none = { showImages: false };
  const tool = new pi.ToolExecutionComponent(name, id, args, none, conversation.toolOf(name), tui, conversation.cwd);
  tool.setArgsComplete();
  tool.markExecutionStarted();
  tool.setExpanded(shown.expanded);
  const result = results.get(id);
  if (result?.role === "toolResult") tool.updateResult(toolResult(result, result.isError));
  else showPartial(tool, conversation.partialOutput(id));
  return tool.render(shown.width);
}

const PartialOutput = v.object({
  content: v.array(v.object({ type: v.string(), text: v.optional(v.string()) })),
  details: v.optional(v.unknown()),
});

/** Pi types what a tool has said so far as anything. */
function showPartial(tool: ToolExecutionComponent, partial: unknown): void {
  if (v.is(PartialOutput, partial)) tool.updateResult(toolResult(partial, false), true);
}

interface ToolOutput {
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly details?: unknown;
}

function toolResult({ content, details }: ToolOutput, isError: boolean) {
  return { content: content.map(({ type, text = "" }) => ({ type, text })), details, isError };
}

function toolResultsById(messages: readonly SessionMessage[]): ReadonlyMap<string, SessionMessage> {
  return new Map(messages.flatMap((each) => (each.role === "toolResult" ? [[each.toolCallId, each] as const] : [])));
}

/** Whether nothing more can come to it. */
function isComplete(message: SessionMessage, results: ReadonlyMap<string, SessionMessage>): boolean {
  if (message.role !== "assistant") return true;
  return message.content.every((part) => part.type !== "toolCall" || results.has(part.id));
}

function messageText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
