import { useEffect, useState } from "react";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import { getVisitFile } from "../../../net/api.ts";
import type { LoadedCast } from "../state/use-cast.ts";

export type VisitFile =
  | { readonly kind: "loading" }
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string };

/** A file of a visit, read anew when the visit has gone on; null for one that cannot be there. */
export function useVisitFile(cast: LoadedCast, visit: VisitRecord, name: string | null): VisitFile {
  const { castId } = cast.castFile;
  const { socket, visit: number } = visit;
  const stage = `${visit.outcome} ${visit.repairs} ${visit.to === null}`;
  const [file, setFile] = useState<{ readonly key: string; readonly value: VisitFile }>({
    key: "",
    value: { kind: "loading" },
  });
  const key = `${castId} ${socket} ${number} ${name ?? ""}`;
  useEffect(() => {
    const control = new AbortController();
    if (name === null) return undefined;
    const load = async (): Promise<void> => {
      const answer = await getVisitFile(castId, { socket, visit: number, name }, control.signal);
      if (control.signal.aborted) return;
      setFile({ key, value: answer.ok ? { kind: "text", text: answer.value } : { kind: "none" } });
    };
    void load();
    return () => control.abort();
  }, [castId, socket, number, name, key, stage]);
  if (name === null) return NONE;
  return file.key === key ? file.value : LOADING;
}

const NONE: VisitFile = { kind: "none" };
const LOADING: VisitFile = { kind: "loading" };
