import { useState, useEffect } from "react";
import { hasForeignCastIssue, type Issue } from "../../../core/model/issue.ts";
import type { TypedCommand, TypedCommandRequest } from "../../../core/wire/commands.ts";
import { runCommand, fetchCommandOutput } from "../net/api.ts";
import { toast } from "../ui/toasts.tsx";
import type { GenericSchema, InferOutput } from "valibot";
import { sendWithTrust } from "./use-catalog.ts";

type CommandSettings = Omit<TypedCommandRequest, "command">;

export interface CommandState {
  /** The command that the server is running. */
  readonly busy: TypedCommand | null;
  readonly issues: readonly Issue[];
  /** [S14] Refused because somebody else started the cast; the issues list all that would run. */
  readonly isForeign: boolean;
  /** [C32] Refused because another cast uses the same files. */
  readonly isTreeInUse: boolean;
  /** The id of the started or resumed cast (empty for other commands); null after a refusal. */
  readonly run: (command: TypedCommand, done: string, settings?: CommandSettings) => Promise<string | null>;
}

/** Sends a command and shows a notice, or keeps the issues for the dialog (`quiet`). */
export function useCommand({ quiet = false }: { readonly quiet?: boolean } = {}): CommandState {
  const [busy, setBusy] = useState<TypedCommand | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const run: CommandState["run"] = async (command, done, settings = {}) => {
    setBusy(command);
    setIssues([]);
    const answer = await sendWithTrust((trust) => runCommand({ command, ...settings, ...(trust ? { trust } : {}) }));
    setBusy(null);
    if (answer.ok) {
      if (!quiet) toast({ text: done, tone: "ok" });
      return "castId" in answer.value ? answer.value.castId : "";
    }
    setIssues(answer.issues);
    // A dialog asks about trust: no notice for that.
    if (!quiet && !hasForeignCastIssue(answer.issues))
      for (const { message, hint } of answer.issues)
        toast({ text: hint === undefined ? message : `${message}: ${hint}`, tone: "bad" });
    return null;
  };
  const isBusyTree = issues.some(({ code }) => code === "cast_running");
  return { busy, issues, isForeign: hasForeignCastIssue(issues), isTreeInUse: isBusyTree, run };
}

/** The output of a command; the last one stays while another is fetched. */
interface CommandOutput<T> {
  readonly value: T | null;
  readonly issues: readonly Issue[];
  readonly busy: boolean;
}

/** Do not send a request at every letter. */
const DEBOUNCE_MS = 250;

/** Sends the request whenever it changes; null sends nothing. */
export function useCommandOutput<const S extends GenericSchema>(
  requested: TypedCommandRequest | null,
  shape: S,
): CommandOutput<InferOutput<S>> {
  const request = useStableValue(requested);
  const [asked, setAsked] = useState<CommandOutput<InferOutput<S>>>({
    value: null,
    issues: [],
    busy: request !== null,
  });
  useEffect(() => {
    if (request === null) return undefined;
    const control = new AbortController();
    setAsked((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      const ask = async (): Promise<void> => {
        const answer = await fetchCommandOutput(request, shape, control.signal);
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
  }, [request, shape]);
  return asked;
}

/** The first of equal JSON values: an effect must not run again for an equal request. */
function useStableValue<T>(value: T): T {
  const [stable, setStable] = useState(value);
  if (JSON.stringify(stable) === JSON.stringify(value)) return stable;
  setStable(value);
  return value;
}
