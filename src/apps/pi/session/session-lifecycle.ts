import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { runUnlessReplaced, isCastEntry } from "./user-session.ts";

const ANNOUNCE_DELAY_MS = 250;

/** [X27] One line about unfinished casts of this project, after Pi has started. */
export function announceUnfinishedCasts(ctx: ExtensionContext): void {
  if (!ctx.hasUI || !existsSync(join(ctx.cwd, ".pi"))) return;
  setTimeout(() => {
    import("./unfinished-casts.ts")
      .then(({ unfinishedCastsText: unfinishedText }) => runUnlessReplaced(() => unfinishedText(ctx)))
      .then((text) => text !== undefined && runUnlessReplaced(() => ctx.ui.notify(text, "info")))
      // If the greeting fails, say nothing.
      .catch(() => undefined);
  }, ANNOUNCE_DELAY_MS).unref();
}

/** [X34] Pi writes a session only after a model has answered in it, which no cast does. Do it when the session is left: a file that Pi has not made would keep it from making one later. */
export function saveSessionFile(session: ExtensionContext["sessionManager"]): void {
  const file = session.getSessionFile();
  const header = session.getHeader();
  const entries = session.getEntries();
  if (file === undefined || header === null || existsSync(file) || !entries.some(isCastEntry)) return;
  const text = [header, ...entries].map((each) => `${JSON.stringify(each)}\n`).join("");
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch {
    // The session is gone: nobody can read an error.
  }
}
