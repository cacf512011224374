import type { KeyId } from "@earendil-works/pi-tui";
import type { Widget } from "../live/widget.ts";
import { piTui } from "../tui/tui.ts";
import { unlessReplaced, type UserSession } from "../session/user-session.ts";

/** What the keys mean while a cast runs; each says whether it has taken the key. */
export interface CastKeys {
  /** [X35] Esc: interrupts. */
  readonly onEscape: () => void;
  /** [X6] A key or a word that leaves Pi. */
  readonly onLeave: () => void;
  /** [X36] Keeps what is typed for when the cast is over. */
  readonly onKeep: (text: string) => void;
  /** [X36] Takes back what is kept; not where nothing is. */
  readonly onTakeBack: () => boolean;
}

const LEAVING: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** Listens where a key means nothing else: no dialog in front of the editor and, unless it leaves, Pi at rest. The answer stops listening. */
export function onCastKeys({ ctx }: UserSession, widget: Widget | undefined, keys: CastKeys): () => void {
  if (ctx.mode !== "tui" || !widget) return () => undefined;
  const take = (data: string): boolean => {
    const typed = ctx.ui.getEditorText().trim();
    // Whoever answers just now, and in whichever session: nobody leaves a cast without a word.
    if (typed === "" && isKey(data, "ctrl+d", "ctrl+c")) return taken(keys.onLeave);
    if (LEAVING.has(typed) && isKey(data, "enter")) return taken(keys.onLeave);
    if (!ctx.isIdle()) return false;
    if (isKey(data, "alt+up")) return keys.onTakeBack();
    if (typed === "" && isKey(data, "escape")) return taken(keys.onEscape);
    if (typed !== "" && isKey(data, "alt+enter")) return taken(() => keys.onKeep(typed));
    return false;
  };
  const off = ctx.ui.onTerminalInput((data) => {
    if (piTui().isKeyRelease(data) || !widget.isInFront()) return undefined;
    const isTaken = unlessReplaced(() => take(data)) ?? false;
    return isTaken ? { consume: true } : undefined;
  });
  return () => unlessReplaced(off);
}

function isKey(data: string, ...keys: readonly KeyId[]): boolean {
  return keys.some((key) => piTui().matchesKey(data, key));
}

function taken(act: () => void): true {
  act();
  return true;
}
