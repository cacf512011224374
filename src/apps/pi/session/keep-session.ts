import { existsSync, writeFileSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isCastEntry } from "./marks.ts";

/**
 * [X34] Pi writes a session only when a model has answered in it, which no cast does. Done when the session is left:
 * a file that Pi has not made itself would keep it from making one later.
 */
export function saveSessionFile(session: ExtensionContext["sessionManager"]): void {
  const file = session.getSessionFile();
  const header = session.getHeader();
  const entries = session.getEntries();
  if (file === undefined || header === null || existsSync(file) || !entries.some(isCastEntry)) return;
  const text = [header, ...entries].map((each) => `${JSON.stringify(each)}\n`).join("");
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch {
    // A disk that keeps no session has nobody left to tell.
  }
}
