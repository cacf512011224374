import { ifHere, type Here } from "../session/here.ts";

const ESCAPES = new Set(["\u001b", "\u001b[27u"]);

/** [X5] Esc stops the cast where it means nothing else: nothing typed, and no dialog in front of the editor. */
export function onEscape({ ctx }: Here, abort: () => void): () => void {
  if (ctx.mode !== "tui") return () => undefined;
  let dialogs = 0;
  const off = ctx.ui.onTerminalInput((data) => {
    if (!ESCAPES.has(data) || dialogs > 0) return undefined;
    const free = ifHere(() => ctx.isIdle() && ctx.ui.getEditorText() === "") ?? false;
    if (!free) return undefined;
    abort();
    return { consume: true };
  });
  return () => {
    dialogs = 0;
    ifHere(off);
  };
}
