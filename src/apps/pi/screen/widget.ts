import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine, thrownMessage } from "../../../core/model/text.ts";
import { line, lineText, toned, type Line } from "../../../core/view/line.ts";
import { runUnlessReplaced } from "../session/user-session.ts";
import { paintLines } from "./card.ts";

const WIDGET_KEY = "materia";
const TICK_MS = 1_000;
const FRAME_MS = 100;
const RPC_WIDTH = 100;

export interface WidgetContent {
  readonly lines: (width: number) => readonly Line[];
  readonly status: () => string;
}

export interface Widget {
  readonly scheduleDraw: () => void;
  /** Whether the editor still receives the keys, so that no dialog is in front of it. */
  readonly isInFront: () => boolean;
  readonly isCompleting: () => boolean;
  readonly chosenCompletion: () => string | undefined;
  readonly close: () => void;
}

interface WidgetRenderer extends Pick<Widget, "isInFront" | "isCompleting" | "chosenCompletion"> {
  readonly draw: () => void;
}

/** [X8] Draws a picture until it is closed, and again every second: time passes between changes. */
export function openWidget(ctx: ExtensionContext, wanted: WidgetContent): Widget {
  const picture = catchDrawErrors(wanted);
  const { draw, ...focus } = ctx.mode === "tui" ? drawInTerminal(ctx, picture) : drawAsText(ctx, picture);
  let due: NodeJS.Timeout | undefined;
  let closed = false;
  let status: string | undefined;
  const now = (): void => {
    // The tick draws pending changes too; otherwise a frame could come after the close.
    clearTimeout(due);
    due = undefined;
    runUnlessReplaced(() => {
      draw();
      const text = picture.status();
      if (text !== status) ctx.ui.setStatus(WIDGET_KEY, text);
      status = text;
    });
  };
  const tick = setInterval(now, TICK_MS);
  tick.unref();
  now();
  return {
    scheduleDraw: () => {
      // A detached agent may still report.
      if (!closed) due ??= setTimeout(now, FRAME_MS).unref();
    },
    ...focus,
    close: () => {
      closed = true;
      clearInterval(tick);
      clearTimeout(due);
      runUnlessReplaced(() => {
        ctx.ui.setWidget(WIDGET_KEY, undefined);
        ctx.ui.setStatus(WIDGET_KEY, undefined);
      });
    },
  };
}

/** [X13] Timers and Pi's screen call this, where an exception would end Pi: draw the error instead. */
function catchDrawErrors({ lines, status }: WidgetContent): WidgetContent {
  const orProblem = <T>(drawn: () => T, problem: (words: string) => T): T => {
    try {
      return drawn();
    } catch (thrown) {
      return problem(`materia cannot draw this: ${oneLine(thrownMessage(thrown), 200)}`);
    }
  };
  const drawProblem = (words: string): readonly Line[] => [line(toned("bad", words))];
  return {
    lines: (width) => orProblem(() => lines(width), drawProblem),
    status: () => orProblem(status, (words) => words),
  };
}

function drawInTerminal(ctx: ExtensionContext, picture: WidgetContent): WidgetRenderer {
  let screen: { readonly tui: { readonly requestRender: () => void }; readonly editor: unknown } | undefined;
  ctx.ui.setWidget(WIDGET_KEY, (tui, theme) => {
    screen = { tui, editor: focusedComponent(tui) };
    const render = (width: number) =>
      paintLines(limitRows(picture.lines(Math.max(1, width - 2)), terminalRows(tui)), width, theme);
    return { render, invalidate: () => undefined };
  });
  return {
    draw: () => screen?.tui.requestRender(),
    isInFront: () => screen === undefined || focusedComponent(screen.tui) === screen.editor,
    isCompleting: () => shownList(screen?.tui) !== undefined,
    chosenCompletion: () => shownList(screen?.tui)?.autocompleteList?.getSelectedItem?.()?.value,
  };
}

/** [X39] At most a third of the screen: the position, and the newest activity. */
function limitRows(lines: readonly Line[], rows: number): readonly Line[] {
  const most = Math.max(MIN_ROWS, Math.floor(rows / 3));
  if (lines.length <= most) return lines;
  // The newest activity stands above the two lines about keys.
  const last = Math.min(most - 1, Math.floor(most / 2) + 1);
  return [...lines.slice(0, most - last), ...lines.slice(lines.length - last)];
}

const MIN_ROWS = 3;

function terminalRows(tui: object): number {
  const { terminal }: { readonly terminal?: { readonly rows?: number } } = tui;
  return terminal?.rows ?? process.stdout.rows ?? 24;
}

/** Pi's editor, as far as it is used; Pi does not document the list. */
interface CompletingEditor {
  readonly isShowingAutocomplete?: () => boolean;
  readonly autocompleteList?: { readonly getSelectedItem?: () => { readonly value: string } | null };
}

function shownList(tui: object | undefined): CompletingEditor | undefined {
  const focused = tui && focusedComponent(tui);
  if (typeof focused !== "object" || focused === null) return undefined;
  const editor: CompletingEditor = focused;
  return editor.isShowingAutocomplete?.() ? editor : undefined;
}

/** Pi does not document this function; without it no dialog is known to be in front. */
function focusedComponent(tui: object): unknown {
  const screen: { readonly getFocusedComponent?: () => unknown } = tui;
  return screen.getFocusedComponent?.();
}

/** A client that draws by itself gets plain lines, and only when they differ. */
function drawAsText(ctx: ExtensionContext, picture: WidgetContent): WidgetRenderer {
  let last = "";
  const draw = (): void => {
    const lines = picture.lines(RPC_WIDTH).map(lineText);
    const text = lines.join("\n");
    if (text === last) return;
    last = text;
    ctx.ui.setWidget(WIDGET_KEY, lines);
  };
  return { draw, isInFront: () => true, isCompleting: () => false, chosenCompletion: () => undefined };
}
