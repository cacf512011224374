import type { CastId } from "../../core/model/ids.ts";
import type { VisitDetail } from "../../core/view/report/visit-detail.ts";
import { readTurns } from "../../core/cast/transcript.ts";
import { readArtifactText, type CastStore, type VisitRef, type LoadedCast } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";
import { failWith } from "../../core/model/issue.ts";
import { agentVisits, findVisit } from "../../core/history/facts.ts";
import { visitKey } from "../../core/history/visits.ts";
import { visitLabel } from "../../core/view/graph/labels.ts";
import { line, toned } from "../../core/view/line.ts";
import { promptPartLines, promptParts, type SentPrompt } from "../../core/view/report/prompt-parts.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** [C39] Files of a visit beside its events; `parts` limits what is read. */
export async function readVisitDetail(
  store: CastStore,
  castId: CastId,
  { socket, visit }: VisitRef,
  parts: "talk" | "all",
): Promise<VisitDetail> {
  const read = async (name: string): Promise<string | null> =>
    (await readArtifactText(store, castId, { socket, visit, name })) ?? null;
  const talk = readTalk((await read(TRANSCRIPT_FILE)) ?? "");
  const nothing = { prompt: null, stdout: null, stderr: null };
  if (parts === "talk") return { socket, visit, ...talk, ...nothing };
  const prompt = (await read("prompt.md")) ?? (await read("input.json"));
  return { socket, visit, ...talk, prompt, stdout: await read("stdout.txt"), stderr: await read("stderr.txt") };
}

/** An interrupted turn comes last, with what it had said. */
function readTalk(transcript: string): Pick<VisitDetail, "model" | "usage" | "replies"> {
  const { replies, unfinished, usage, model = null } = readTurns(transcript);
  const isLeft = unfinished.text !== "" || unfinished.tools.length > 0;
  return { model, usage, replies: isLeft ? [...replies, unfinished] : replies };
}

/** [C53] What the agent of a visit was sent. */
export async function promptOutput(store: CastStore, cast: LoadedCast, named: string | undefined): CommandResult {
  const visit = findVisit(agentVisits(cast), named);
  if (!visit.ok) return visit;
  const { socket, visit: number, materia } = visit.value;
  const { castId } = cast;
  const sent = await readSentPrompt(store, castId, visit.value);
  if (!sent) return failWith("missing_file", visitKey(socket, number), "the transcript of this visit is missing");
  return answer({ castId, socket, visit: number, materia, ...sent }, (width) => [
    line(toned("strong", `${visitLabel(socket, materia)}, visit ${number}`)),
    ...promptPartLines(sent, Math.min(width, 120)),
  ]);
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
