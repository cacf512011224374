import type { KeyId } from "@earendil-works/pi-tui";
import type { Widget } from "../screen/widget.ts";
import { piTui } from "../session/pi-tui.ts";
import { runUnlessReplaced, type UserSession } from "../session/user-session.ts";

/** The keys while a cast runs; each function returns whether it used the key. */
export interface CastKeyHandlers {
  /** [X35] Esc: interrupts. */
  readonly onEscape: () => void;
  /** [X6] Handles a key or a command that leaves Pi; returns false if that is being asked already. */
  readonly onLeave: () => boolean;
  /** [X61] Handles `/reload`, which would interrupt the cast; returns false if that is being asked already. */
  readonly onReload: () => boolean;
  /** [X57] Sends the typed text to Pi's own agent. */
  readonly onSendToPi: (text: string) => void;
  /** [X36] Takes back a kept text; returns false if there is none. */
  readonly onTakeBack: () => boolean;
}

const QUIT_COMMANDS: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** Listens while the keys have no other meaning: no dialog is open and Pi is idle (leaving always counts). The returned function stops listening. */
export function onCastKeys({ ctx }: UserSession, widget: Widget | undefined, keys: CastKeyHandlers): () => void {
  if (ctx.mode !== "tui" || !widget) return () => undefined;
  const take = (data: string): boolean => {
    const typed = ctx.ui.getEditorText().trim();
    // In every session and every state: nobody leaves a running cast without being asked.
    if (typed === "" && matchesAnyKey(data, "ctrl+d", "ctrl+c")) return keys.onLeave();
    const entered = matchesAnyKey(data, "enter") ? enteredCommand(typed, widget.chosenCompletion()) : "";
    if (QUIT_COMMANDS.has(entered)) return keys.onLeave();
    if (entered === "/reload") return keys.onReload();
    if (!ctx.isIdle()) return false;
    if (matchesAnyKey(data, "alt+up")) return keys.onTakeBack();
    // [X35] Pi's own meanings come first: Esc closes an open list of completions, and leaves a `!` command.
    const isFree = !typed.startsWith("!") && !widget.isCompleting();
    if (isFree && matchesAnyKey(data, "escape")) return takeKey(keys.onEscape);
    const isMessage = typed !== "" && !/^[/!]/.test(typed);
    if (isMessage && matchesAnyKey(data, "alt+enter")) return takeKey(() => keys.onSendToPi(typed));
    return false;
  };
  const off = ctx.ui.onTerminalInput((data) => {
    if (piTui().isKeyRelease(data) || !widget.isInFront()) return undefined;
    const isTaken = runUnlessReplaced(() => take(data)) ?? false;
    return isTaken ? { consume: true } : undefined;
  });
  return () => runUnlessReplaced(off);
}

/** Enter also runs the command that is chosen in the list of completions. */
function enteredCommand(typed: string, chosen: string | undefined): string {
  return chosen !== undefined && /^\/\S*$/.test(typed) ? `/${chosen}` : typed;
}

export function matchesAnyKey(data: string, ...keys: readonly KeyId[]): boolean {
  return keys.some((key) => piTui().matchesKey(data, key));
}

function takeKey(act: () => void): true {
  act();
  return true;
}
