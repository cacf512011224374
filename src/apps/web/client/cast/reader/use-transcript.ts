import { useMemo } from "react";
import { blocksOf } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import type { VisitProps } from "./reader.tsx";
import { useVisitFile } from "./use-visit-file.ts";

/** What the agent said and did: as it comes while the visit lasts, from its transcript afterwards. */
export function useTranscript({ cast, visit }: VisitProps): readonly Block[] {
  const live = cast.progress.of(visit.socket, visit.visit);
  const file = useVisitFile(cast, visit, "transcript.jsonl");
  const kept = useMemo(() => (file.kind === "text" ? blocksOf(file.text) : []), [file]);
  return visit.to === null && live.length > 0 ? live : kept.length > 0 ? kept : live;
}
