import type { KeyId } from "@earendil-works/pi-tui";
import type { Widget } from "../screen/widget.ts";
import { piTui } from "../session/pi-tui.ts";
import { runUnlessReplaced, type UserSession } from "../session/user-session.ts";

/** What the keys mean while a cast runs; each says whether it has taken the key. */
export interface CastKeyHandlers {
  /** [X35] Esc: interrupts. */
  readonly onEscape: () => void;
  /** [X6] A key or a word that leaves Pi. */
  readonly onLeave: () => void;
  /** [X36] Keeps what is typed for when the cast is over. */
  readonly onKeep: (text: string) => void;
  /** [X36] Takes back what is kept; not where nothing is. */
  readonly onTakeBack: () => boolean;
}

const QUIT_COMMANDS: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** Listens where a key means nothing else: no dialog in front of the editor and, unless it leaves, Pi at rest. The answer stops listening. */
export function onCastKeys({ ctx }: UserSession, widget: Widget | undefined, keys: CastKeyHandlers): () => void {
  if (ctx.mode !== "tui" || !widget) return () => undefined;
  const take = (data: string): boolean => {
    const typed = ctx.ui.getEditorText().trim();
    // Whoever answers just now, and in whichever session: nobody leaves a cast without a word.
    if (typed === "" && matchesAnyKey(data, "ctrl+d", "ctrl+c")) return takeKey(keys.onLeave);
    if (QUIT_COMMANDS.has(typed) && matchesAnyKey(data, "enter")) return takeKey(keys.onLeave);
    if (!ctx.isIdle()) return false;
    if (matchesAnyKey(data, "alt+up")) return keys.onTakeBack();
    if (typed === "" && matchesAnyKey(data, "escape")) return takeKey(keys.onEscape);
    if (typed !== "" && matchesAnyKey(data, "alt+enter")) return takeKey(() => keys.onKeep(typed));
    return false;
  };
  const off = ctx.ui.onTerminalInput((data) => {
    if (piTui().isKeyRelease(data) || !widget.isInFront()) return undefined;
    const isTaken = runUnlessReplaced(() => take(data)) ?? false;
    return isTaken ? { consume: true } : undefined;
  });
  return () => runUnlessReplaced(off);
}

function matchesAnyKey(data: string, ...keys: readonly KeyId[]): boolean {
  return keys.some((key) => piTui().matchesKey(data, key));
}

function takeKey(act: () => void): true {
  act();
  return true;
}
