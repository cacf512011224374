import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Pi } from "./pi.ts";

interface VisitSession {
  /** The sound part of a transcript. */
  readonly text: string;
  readonly title: string;
  readonly cwd: string;
  /** Where Pi keeps the sessions of this project, where that is known. */
  readonly folder: string | undefined;
}

/** A session of Pi that holds the conversation of a visit, as if it had been had there; gives its file. */
export function writePiSession(pi: Pi, { text, title, cwd, folder }: VisitSession): string {
  const session = pi.SessionManager.create(cwd, folder);
  const [file, header] = [session.getSessionFile(), session.getHeader()];
  if (file === undefined || header === null) throw new Error("Pi keeps no sessions here");
  const entries = pi.parseSessionEntries(text).filter(({ type }) => type !== "session");
  const last = entries.at(-1);
  const name = {
    type: "session_info",
    id: "materia0",
    parentId: last && "id" in last ? last.id : null,
    timestamp: new Date().toISOString(),
    name: title,
  };
  mkdirSync(dirname(file), { recursive: true });
  const lines = [header, ...entries, name].map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(file, lines.join(""), { flag: "wx", mode: 0o600 });
  return file;
}
