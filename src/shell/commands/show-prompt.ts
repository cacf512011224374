import { failWith, ok } from "../../core/model/issue.ts";
import type { CastId } from "../../core/model/ids.ts";
import { agentVisits, findVisit } from "../../core/history/facts.ts";
import { visitKey } from "../../core/history/visits.ts";
import { visitLabel } from "../../core/view/graph/labels.ts";
import { line, toned } from "../../core/view/line.ts";
import { promptPartLines, promptParts, type SentPrompt } from "../../core/view/report/prompt-parts.ts";
import { readArtifactText, type CastStore, type LoadedCast, type VisitRef } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";
import type { CommandResult } from "./command-output.ts";

/** [C53] What the agent of a visit was sent. */
export async function promptOutput(store: CastStore, cast: LoadedCast, named: string | undefined): CommandResult {
  const visit = findVisit(agentVisits(cast), named);
  if (!visit.ok) return visit;
  const { socket, visit: number, materia } = visit.value;
  const { castId } = cast;
  const sent = await readSentPrompt(store, castId, visit.value);
  if (!sent) return failWith("missing_file", visitKey(socket, number), "the transcript of this visit is missing");
  return ok({
    code: 0,
    data: { castId, socket, visit: number, materia, ...sent },
    lines: (width) => [
      line(toned("strong", `${visitLabel(socket, materia)}, visit ${number}`)),
      ...promptPartLines(sent, Math.min(width, 120)),
    ],
  });
}

/** [C53] What the agent of a visit was sent, compared with the last visit of its socket. */
export async function readSentPrompt(
  store: CastStore,
  castId: CastId,
  { socket, visit }: VisitRef,
): Promise<SentPrompt | undefined> {
  const read = (number: number): Promise<string | undefined> =>
    readArtifactText(store, castId, { socket, visit: number, name: TRANSCRIPT_FILE });
  const transcript = await read(visit);
  return transcript === undefined ? undefined : promptParts(transcript, visit > 1 ? await read(visit - 1) : undefined);
}
