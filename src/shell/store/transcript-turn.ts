import { parseTranscriptLine } from "../../core/cast/transcript.ts";
import type { AgentProgress } from "../../core/wire/stream.ts";
import { createTranscriptProgress } from "../../core/wire/transcript-progress.ts";
import type { Subscription, TranscriptUpdate, VisitRef } from "./cast-store.ts";

/** The activity of a visit's agent, read from the transcript of the visit. */
export function followTranscriptTurn(
  visit: VisitRef,
  transcript: Subscription<TranscriptUpdate>,
): Subscription<readonly AgentProgress[]> {
  const progressOf = createTranscriptProgress(visit);
  return {
    next: async () => {
      const first = await transcript.next();
      // A restart only says that the transcript is read from its start.
      const update = first.kind === "restarted" ? await transcript.next() : first;
      return (update.kind === "lines" ? update.lines : []).flatMap((line) => {
        const message = parseTranscriptLine(line);
        return message ? progressOf(message) : [];
      });
    },
    close: transcript.close,
  };
}
