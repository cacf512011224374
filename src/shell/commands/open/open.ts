import type { OpenCommand } from "../../../core/command/command.ts";
import { quoteWord } from "../../../core/command/words.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { visitText } from "../../../core/view/graph/words.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import { agentVisits, visitNamed, type NamedVisit } from "../../../core/view/watch/visit-named.ts";
import { loadPi } from "../../agents/pi/pi.ts";
import { noPi } from "../../agents/pi/preflight.ts";
import { writeSession } from "../../agents/pi/visit-session.ts";
import { soundPart } from "../../agents/transcript.ts";
import { foreignIssue } from "../../casting/workspace/foreign.ts";
import { castNamed } from "../../casting/workspace/named-cast.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { LoadedCast } from "../../store/cast-store.ts";
import { problemText } from "../../system/problem.ts";
import type { Answer } from "../answer/answer.ts";

/** A conversation that can be gone on with. */
export interface OpenedVisit extends NamedVisit {
  readonly castId: string;
  /** The session's file. */
  readonly session: string;
}

/** [C38] What the command line says about it: how it is opened. */
export async function open(workspace: Workspace, command: OpenCommand): Promise<Result<Answer>> {
  const opened = await openVisit(workspace, command);
  if (!opened.ok) return opened;
  const { socket, materia, visit, castId, session } = opened.value;
  return ok({
    code: 0,
    data: { castId, socket, visit, materia, session },
    lines: () => [
      line(`The conversation of ${visitText(socket, materia)}, visit ${visit}, is a session of Pi now; open it with`),
      line(toned("accent", `  pi --session ${quoteWord(session)}`)),
    ],
  });
}

/** [C38] A copy of the conversation among Pi's own sessions, in `folder` where one is named; the cast stays as it is. */
export async function openVisit(
  workspace: Workspace,
  { castId: named, visit: name, trust }: OpenCommand,
  folder?: string,
): Promise<Result<OpenedVisit>> {
  const id = await castNamed(workspace.store, named);
  if (!id.ok) return id;
  const cast = await workspace.store.load(id.value);
  if (!cast.ok) return cast;
  // [S10] What somebody else wrote would be read by a model that has all of the user's tools.
  const foreign = trust ? undefined : foreignIssue(workspace, cast.value.file);
  if (foreign) return fail(foreign);
  const found = await visitWithWords(workspace, cast.value, name);
  if (!found.ok) return found;
  const { visit, text } = found.value;
  const title = `${visitText(visit.socket, visit.materia)}, visit ${visit.visit} of ${id.value}`;
  try {
    const pi = await loadPi();
    const session = writeSession(pi, { text, title, cwd: workspace.place.cwd, folder });
    return ok({ ...visit, castId: id.value, session });
  } catch (thrown) {
    const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ERR_MODULE_NOT_FOUND";
    return fail(
      isMissing ? noPi(thrown) : error("cannot_write", "session", `no session was written: ${problemText(thrown)}`),
    );
  }
}

async function visitWithWords(
  { store }: Workspace,
  cast: LoadedCast,
  name: string | undefined,
): Promise<Result<{ readonly visit: NamedVisit; readonly text: string }>> {
  const visit = visitNamed(agentVisits(cast), name);
  if (!visit.ok) return visit;
  const part = await store.readArtifact(cast.castId, { ...visit.value, name: "transcript.jsonl" });
  const text = part ? soundPart(Buffer.from(part.bytes).toString("utf8")) : "";
  if (text !== "") return ok({ visit: visit.value, text });
  const place = `${visit.value.socket}#${visit.value.visit}`;
  return fail(error("missing_file", place, "the conversation of this visit is not there any more"));
}
