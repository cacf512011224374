import { basename } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import { unlessReplaced } from "../session/user-session.ts";

const BELL = "\u0007";

/** [X41] Calls a person who looks elsewhere: the bell, and the title of the window until they type again. */
export function callPerson(ctx: ExtensionContext, words: string): void {
  unlessReplaced(() => {
    if (ctx.mode !== "tui") return;
    process.stdout.write(BELL);
    ctx.ui.setTitle(`materia: ${oneLine(words, 60)} - ${basename(ctx.cwd)}`);
  });
}

/** The title as Pi itself writes it. */
export function stopCalling(ctx: ExtensionContext): void {
  unlessReplaced(() => {
    const name = ctx.sessionManager.getSessionName();
    if (ctx.mode === "tui") ctx.ui.setTitle(["π", ...(name ? [name] : []), basename(ctx.cwd)].join(" - "));
  });
}
