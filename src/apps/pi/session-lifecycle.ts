import { existsSync, writeFileSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
  runUnlessReplaced,
  runUnlessReplacedAsync,
  isCastEntry,
  type SeenCasts,
  type UserSession,
} from "./session/user-session.ts";

const ANNOUNCE_DELAY_MS = 250;

/** [X27, X60] After Pi has started: one line about unfinished casts of this project, and news of those that others run. The returned function stops it. */
export function watchProjectCasts(user: UserSession, seen: SeenCasts): () => void {
  const { ctx } = user;
  let stop: (() => void) | undefined;
  const start = async (): Promise<void> => {
    const { unfinishedCastsText, followOtherCasts, showInboxCount } = await import("./casts/other-casts.ts");
    const own = new Set(seen.keys());
    const stops = await Promise.all(
      [followOtherCasts, showInboxCount].map((follow) => runUnlessReplacedAsync(() => follow(user, seen))),
    );
    stop = () => stops.forEach((each) => each?.());
    if (isOver) stop();
    const text = await runUnlessReplaced(() => unfinishedCastsText(ctx, own));
    if (text !== undefined) runUnlessReplaced(() => ctx.ui.notify(text, "info"));
  };
  let isOver = false;
  // If the greeting fails, say nothing.
  const timer = setTimeout(() => void start().catch(() => undefined), ANNOUNCE_DELAY_MS).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop?.();
  };
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
