import { useEffect, useState } from "react";
import type { Issue } from "../../../core/model/issue.ts";
import type { FetchResult } from "../net/request.ts";

/** `busy` while a newer response is fetched. */
type FetchState<T> = { readonly busy: boolean } & (
  | { readonly kind: "loading" }
  | { readonly kind: "loaded"; readonly value: T }
  | { readonly kind: "refused"; readonly issues: readonly Issue[]; readonly again: () => void }
);

/**
 * Fetches again when `key` changes; null fetches nothing. While the same thing (`of`) is fetched again, the last
 * response stays.
 */
export function useFetched<T>(
  key: string | null,
  of: string,
  ask: (signal: AbortSignal) => Promise<FetchResult<T>>,
): FetchState<T> {
  const [known, setKnown] = useState<{ readonly key: string; readonly of: string; readonly answer: FetchResult<T> }>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (key === null) return undefined;
    const control = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await ask(control.signal);
      if (!control.signal.aborted) setKnown({ key, of, answer });
    };
    void load();
    return () => control.abort();
  }, [key, round]);
  const busy = key !== null && known?.key !== key;
  if (key === null || known?.of !== of) return { busy, kind: "loading" };
  const { answer } = known;
  if (answer.ok) return { busy, kind: "loaded", value: answer.value };
  return { busy, kind: "refused", issues: answer.issues, again: () => setRound((before) => before + 1) };
}
