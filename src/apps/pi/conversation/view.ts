import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Component, KeyId, OverlayHandle, TUI } from "@earendil-works/pi-tui";
import { oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import { loadPi, type Pi } from "../../../shell/agents/pi/pi.ts";
import { paintLines } from "../cards/card.ts";
import { piTui } from "../tui/tui.ts";
import { createConversationRows } from "./blocks.ts";
import type { Conversations, TitledConversation } from "./conversations.ts";
import { CONVERSATIONS_KEY } from "../input/own-keys.ts";

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
