import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import { line, lineText, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import { textOf } from "../../../shell/agents/turn.ts";
import { unlessReplaced } from "../session/user-session.ts";
import { drawn, paintLines } from "./card.ts";

const KEY = "materia";
const TICK_MS = 1_000;
const FRAME_MS = 100;
const RPC_WIDTH = 100;

/** What is drawn above the editor, and in one short line below it. */
export interface Picture {
  readonly lines: (width: number) => readonly Line[];
  readonly status: () => string;
}

export interface Widget {
  /** Something has changed: drawn soon, not each time. */
  readonly changed: () => void;
  /** Whether the editor has the keys, as it had when this was opened: no dialog stands in front of it. */
  readonly isInFront: () => boolean;
  readonly close: () => void;
}

interface Drawing {
  readonly draw: () => void;
  readonly isInFront: () => boolean;
}

/** [X8] Draws a picture until it is closed; time goes on between changes, so it is drawn anew every second. */
export function openWidget(ctx: ExtensionContext, wanted: Picture): Widget {
  const picture = unfailing(wanted);
  const { draw, isInFront } = ctx.mode === "tui" ? onScreen(ctx, picture) : asText(ctx, picture);
  let due: NodeJS.Timeout | undefined;
  let closed = false;
  const now = (): void => {
    // The tick draws for a change too; a frame that it forgot would come after the close.
    clearTimeout(due);
    due = undefined;
    unlessReplaced(() => {
      draw();
      ctx.ui.setStatus(KEY, picture.status());
    });
  };
  const tick = setInterval(now, TICK_MS);
  tick.unref();
  now();
  return {
    changed: () => {
      // An agent that was left behind may still speak.
      if (!closed) due ??= setTimeout(now, FRAME_MS).unref();
    },
    isInFront,
    close: () => {
      closed = true;
      clearInterval(tick);
      clearTimeout(due);
      unlessReplaced(() => {
        ctx.ui.setWidget(KEY, undefined);
        ctx.ui.setStatus(KEY, undefined);
      });
    },
  };
}

/** [X13] Timers and Pi's own screen ask for it, where an exception would end Pi; what went wrong is drawn in its place. */
function unfailing({ lines, status }: Picture): Picture {
  const wrong = (thrown: unknown): string => `materia cannot draw this: ${oneLine(textOf(thrown), 200)}`;
  return {
    lines: (width) => {
      try {
        return lines(width);
      } catch (thrown) {
        return [line(toned("bad", wrong(thrown)))];
      }
    },
    status: () => {
      try {
        return status();
      } catch (thrown) {
        return wrong(thrown);
      }
    },
  };
}

function onScreen(ctx: ExtensionContext, picture: Picture): Drawing {
  let screen: { readonly tui: Redrawn; readonly editor: unknown } | undefined;
  ctx.ui.setWidget(KEY, (tui, theme) => {
    screen = { tui, editor: focusOf(tui) };
    return drawn((width) => paintLines(picture.lines(Math.max(1, width - 2)), width, theme));
  });
  return {
    draw: () => screen?.tui.requestRender(),
    isInFront: () => screen === undefined || focusOf(screen.tui) === screen.editor,
  };
}

interface Redrawn {
  readonly requestRender: () => void;
}

/** Not among what Pi promises of its screen; without it nothing is known to be in front. */
function focusOf(tui: object): unknown {
  const screen: { readonly getFocusedComponent?: () => unknown } = tui;
  return screen.getFocusedComponent?.();
}

/** A client that draws by itself gets plain lines, and only when they differ. */
function asText(ctx: ExtensionContext, picture: Picture): Drawing {
  let last = "";
  const draw = (): void => {
    const lines = picture.lines(RPC_WIDTH).map(lineText);
    const text = lines.join("\n");
    if (text === last) return;
    last = text;
    ctx.ui.setWidget(KEY, lines);
  };
  return { draw, isInFront: () => true };
}
