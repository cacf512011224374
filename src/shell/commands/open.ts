import type { CommandOf } from "../../core/command/command.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { failWith, error, fail, ok, type Result } from "../../core/model/issue.ts";
import { visitLabel } from "../../core/view/graph/labels.ts";
import { line, toned } from "../../core/view/line.ts";
import { agentVisits, findVisit } from "../../core/history/facts.ts";
import type { VisitRecord } from "../../core/history/visits.ts";
import { loadPi, type Pi } from "../agents/pi-sdk.ts";
import { missingPiIssue } from "../agents/pi-models.ts";
import { validPrefix } from "../agents/transcript.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { readArtifactText, type LoadedCast } from "../store/cast-store.ts";
import { errorText } from "../system/files.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

export interface OpenedVisit extends Pick<VisitRecord, "socket" | "materia" | "visit"> {
  readonly castId: string;
  readonly session: string;
}

/** [C38] How to open it. */
export async function runOpen(workspace: Workspace, command: CommandOf<"open">): CommandResult {
  const opened = await openVisitSession(workspace, command);
  if (!opened.ok) return opened;
  const { socket, materia, visit, castId, session } = opened.value;
  return answer({ castId, socket, visit, materia, session }, () => [
    line(`The conversation of ${visitLabel(socket, materia)}, visit ${visit}, is a session of Pi now; open it with`),
    line(toned("accent", `  pi --session ${quoteWord(session)}`)),
  ]);
}

/** [C38] Copies the conversation into Pi's sessions, or into `folder`. The cast stays unchanged. */
export async function openVisitSession(
  workspace: Workspace,
  { castId: named, visit: name, trust }: CommandOf<"open">,
  folder?: string,
): Promise<Result<OpenedVisit>> {
  const cast = await loadNamedCast(workspace.store, named);
  if (!cast.ok) return cast;
  // [S14] A model with all of the user's tools would read text that a stranger wrote.
  const foreign = trust ? undefined : foreignCastIssue(workspace, cast.value.file);
  if (foreign) return fail(foreign);
  const found = await findVisitTranscript(workspace, cast.value, name);
  if (!found.ok) return found;
  const { visit, text } = found.value;
  const title = `${visitLabel(visit.socket, visit.materia)}, visit ${visit.visit} of ${cast.value.castId}`;
  try {
    const pi = await loadPi();
    const session = writePiSession(pi, { text, title, cwd: workspace.place.cwd, folder });
    return ok({ ...visit, castId: cast.value.castId, session });
  } catch (thrown) {
    const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
    return fail(
      isMissing
        ? missingPiIssue(thrown)
        : error("write_failed", "session", `no session was written: ${errorText(thrown)}`),
    );
  }
}

async function findVisitTranscript({ store }: Workspace, cast: LoadedCast, name: string | undefined) {
  const visit = findVisit(agentVisits(cast), name);
  if (!visit.ok) return visit;
  const transcript = await readArtifactText(store, cast.castId, { ...visit.value, name: TRANSCRIPT_FILE });
  const text = validPrefix(transcript ?? "");
  if (text !== "") return ok({ visit: visit.value, text });
  const place = `${visit.value.socket}#${visit.value.visit}`;
  return failWith("missing_file", place, "the conversation of this visit is missing");
}

interface VisitSession {
  readonly text: string;
  readonly title: string;
  readonly cwd: string;
  readonly folder: string | undefined;
}

/** Writes a Pi session with the conversation of a visit; returns its file. */
export function writePiSession(pi: Pi, { text, title, cwd, folder }: VisitSession): string {
  const session = pi.SessionManager.create(cwd, folder);
  const [file, header] = [session.getSessionFile(), session.getHeader()];
  if (file === undefined || header === null) throw new Error("Pi stores no sessions for this folder");
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
