import { useEffect, useState } from "react";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";
import type { VisitFileName } from "../../../../../../core/wire/casts.ts";
import { getVisitFile } from "../../../net/api.ts";
import type { WatchedCast } from "../state/use-cast.ts";

export type VisitFileState =
  | { readonly kind: "loading" }
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string };

/** How long a file that an event has told of is waited for; a busy disk may be that far behind. */
const RETRY_DELAYS_MS = [200, 400, 800, 1_600, 3_200];

/** A file of a visit, read anew when the visit has gone on; null for one that cannot be there. */
export function useVisitFile(cast: WatchedCast, visit: VisitRecord, name: VisitFileName | null): VisitFileState {
  const { castId } = cast.castFile;
  const { socket, visit: number } = visit;
  // Where nobody drives the cast, nothing more is written.
  const waits = cast.isAlive ? RETRY_DELAYS_MS : RETRY_DELAYS_MS.slice(0, 1);
  const stage = `${visit.outcome} ${visit.repairs} ${visit.to === null} ${cast.isAlive}`;
  const [file, setFile] = useState<{ readonly key: string; readonly value: VisitFileState }>({
    key: "",
    value: LOADING_FILE,
  });
  const key = `${castId} ${socket} ${number} ${name ?? ""}`;
  useEffect(() => {
    if (name === null) return undefined;
    const control = new AbortController();
    const load = async (): Promise<void> => {
      const value = await readVisitFile(castId, { socket, visit: number, name }, { waits, signal: control.signal });
      if (!control.signal.aborted) setFile({ key, value });
    };
    void load();
    return () => control.abort();
  }, [castId, socket, number, name, key, stage]);
  if (name === null) return NO_FILE;
  return file.key === key ? file.value : LOADING_FILE;
}

const NO_FILE: VisitFileState = { kind: "none" };
const LOADING_FILE: VisitFileState = { kind: "loading" };

async function readVisitFile(
  castId: string,
  file: Parameters<typeof getVisitFile>[1],
  { waits, signal }: { readonly waits: readonly number[]; readonly signal: AbortSignal },
): Promise<VisitFileState> {
  for (const wait of [...waits, null]) {
    const answer = await getVisitFile(castId, file, signal);
    if (!answer.ok) return NO_FILE;
    if (answer.status !== 204) return { kind: "text", text: answer.value };
    if (wait === null || signal.aborted) return NO_FILE;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return NO_FILE;
}
