import { useEffect, useState } from "react";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { VisitFileName } from "../../../../../../core/wire/casts.ts";
import { getVisitFile } from "../../../net/api.ts";
import type { KnownCast } from "../state/use-cast.ts";

export type VisitFile =
  | { readonly kind: "loading" }
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string };

/** How long a file that an event has told of is waited for; a busy disk may be that far behind. */
const WAITS_MS = [200, 400, 800, 1_600, 3_200];

/** A file of a visit, read anew when the visit has gone on; null for one that cannot be there. */
export function useVisitFile(cast: KnownCast, visit: VisitRecord, name: VisitFileName | null): VisitFile {
  const { castId } = cast.castFile;
  const { socket, visit: number } = visit;
  // Where nobody drives the cast, nothing more is written.
  const waits = cast.alive ? WAITS_MS : WAITS_MS.slice(0, 1);
  const stage = `${visit.outcome} ${visit.repairs} ${visit.to === null} ${cast.alive}`;
  const [file, setFile] = useState<{ readonly key: string; readonly value: VisitFile }>({
    key: "",
    value: LOADING,
  });
  const key = `${castId} ${socket} ${number} ${name ?? ""}`;
  useEffect(() => {
    if (name === null) return undefined;
    const control = new AbortController();
    const load = async (): Promise<void> => {
      const value = await readFile(castId, { socket, visit: number, name }, { waits, signal: control.signal });
      if (!control.signal.aborted) setFile({ key, value });
    };
    void load();
    return () => control.abort();
  }, [castId, socket, number, name, key, stage]);
  if (name === null) return NONE;
  return file.key === key ? file.value : LOADING;
}

const NONE: VisitFile = { kind: "none" };
const LOADING: VisitFile = { kind: "loading" };

async function readFile(
  castId: string,
  file: Parameters<typeof getVisitFile>[1],
  { waits, signal }: { readonly waits: readonly number[]; readonly signal: AbortSignal },
): Promise<VisitFile> {
  for (const wait of [...waits, null]) {
    const answer = await getVisitFile(castId, file, signal);
    if (!answer.ok) return NONE;
    if (answer.status !== 204) return { kind: "text", text: answer.value };
    if (wait === null || signal.aborted) return NONE;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return NONE;
}
