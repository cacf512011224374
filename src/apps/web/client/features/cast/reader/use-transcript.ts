import { useMemo } from "react";
import { parseTranscript, type TranscriptBlock } from "../state/blocks.ts";
import type { VisitProps } from "./reader.tsx";
import { useVisitFile } from "./use-visit-file.ts";

/** What the agent said and did: as it comes while the visit lasts, from its transcript afterwards. */
export function useTranscript({ cast, visit }: VisitProps): readonly TranscriptBlock[] {
  const live = cast.progress.blocksOf(visit.socket, visit.visit);
  const isAgent = cast.castFile.graph.materia[visit.materia]?.type === "agent";
  // While it lasts the words come by the stream; the transcript is there when a turn is over.
  const file = useVisitFile(
    cast,
    visit,
    isAgent && (visit.outcome !== "running" || visit.repairs > 0) ? "transcript.jsonl" : null,
  );
  const kept = useMemo(() => (file.kind === "text" ? parseTranscript(file.text) : []), [file]);
  return visit.to === null && live.length > 0 ? live : kept.length > 0 ? kept : live;
}
