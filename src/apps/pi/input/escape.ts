import type { Widget } from "../live/widget.ts";
import { unlessReplaced, type UserSession } from "../session/user-session.ts";

const ESCAPES: ReadonlySet<string> = new Set(["\u001b", "\u001b[27u"]);

/** [X5] Esc stops the cast where it means nothing else: Pi at rest, nothing typed, no dialog in front of the editor. */
export function onEscape({ ctx }: UserSession, widget: Widget | undefined, abort: () => void): () => void {
  if (ctx.mode !== "tui" || !widget) return () => undefined;
  const off = ctx.ui.onTerminalInput((data) => {
    if (!ESCAPES.has(data) || !widget.isInFront()) return undefined;
    const isFree = unlessReplaced(() => ctx.isIdle() && ctx.ui.getEditorText() === "") ?? false;
    if (!isFree) return undefined;
    abort();
    return { consume: true };
  });
  return () => unlessReplaced(off);
}
