import { useEffect, useState } from "react";
import type { GenericSchema, InferOutput } from "valibot";
import type { Issue } from "../../../../core/model/issue.ts";
import { fetchCommandOutput } from "../net/api.ts";

/** What a command says; the last answer stays while another is asked for. */
interface CommandOutput<T> {
  readonly value: T | null;
  readonly issues: readonly Issue[];
  readonly busy: boolean;
}

/** Typing does not ask at every letter. */
const DEBOUNCE_MS = 250;

/** Asks whenever the command becomes another one; null asks nothing. */
export function useCommandOutput<const S extends GenericSchema>(
  command: string | null,
  shape: S,
): CommandOutput<InferOutput<S>> {
  const [asked, setAsked] = useState<CommandOutput<InferOutput<S>>>({ value: null, issues: [], busy: command !== null });
  useEffect(() => {
    if (command === null) return undefined;
    const control = new AbortController();
    setAsked((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      const ask = async (): Promise<void> => {
        const answer = await fetchCommandOutput(command, shape, { signal: control.signal });
        if (control.signal.aborted) return;
        setAsked(
          answer.ok
            ? { value: answer.value, issues: [], busy: false }
            : { value: null, issues: answer.issues, busy: false },
        );
      };
      void ask();
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [command, shape]);
  return asked;
}
