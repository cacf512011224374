import { basename } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import { runUnlessReplaced } from "../session/user-session.ts";

const BELL = "\u0007";

/** [X41] Calls a person who looks elsewhere: the bell, a notice of the desktop, and the title of the window until they type again. */
export function notifyPerson(ctx: ExtensionContext, words: string): void {
  runUnlessReplaced(() => {
    if (ctx.mode !== "tui") return;
    const said = `materia: ${oneLine(words, 60)} - ${basename(ctx.cwd)}`;
    process.stdout.write(`${BELL}${desktopNotification(said, process.env)}`);
    ctx.ui.setTitle(said);
  });
}

/** Terminals that are known to pass a notice on to the desktop, each by its own sequence; any other might print it. */
export function desktopNotification(text: string, env: NodeJS.ProcessEnv): string {
  const { TERM_PROGRAM: program = "", TERM: term = "", TMUX, STY, VTE_VERSION } = env;
  const said = oneLine(text, 200).replaceAll(";", ",");
  // Whatever stands between keeps it to itself.
  if (TMUX !== undefined || STY !== undefined) return "";
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/i.test(program)) return `\u001b]9;${said}${BELL}`;
  if (term === "xterm-kitty") return `\u001b]99;;${said}\u001b\\`;
  if (VTE_VERSION !== undefined || /^(?:foot|rxvt-unicode)/.test(term))
    return `\u001b]777;notify;pi-materia;${said}${BELL}`;
  return "";
}

/** The title as Pi itself writes it. */
export function restoreTitle(ctx: ExtensionContext): void {
  runUnlessReplaced(() => {
    const name = ctx.sessionManager.getSessionName();
    if (ctx.mode === "tui") ctx.ui.setTitle(["π", ...(name ? [name] : []), basename(ctx.cwd)].join(" - "));
  });
}
