import { useState } from "react";
import { hasForeignCastIssue, type Issue } from "../../../core/model/issue.ts";
import type { TypedCommand, TypedCommandRequest } from "../../../core/wire/commands.ts";
import { runCommand, fetchCommandOutput } from "../net/api.ts";
import { toast } from "../ui/toasts.tsx";
import type { GenericSchema } from "valibot";
import { sendAndAskTrust } from "./use-catalog.ts";
import { useFetched } from "./use-fetched.ts";

/** Sends a command and shows a notice, or keeps the issues for the dialog (`quiet`). */
export function useCommand({ quiet = false }: { readonly quiet?: boolean } = {}) {
  const [busy, setBusy] = useState<TypedCommand | null>(null);
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  /** The id of the started or resumed cast (empty for other commands); null after a refusal. */
  const run = async (
    command: TypedCommand,
    done: string,
    settings: Omit<TypedCommandRequest, "command"> = {},
  ): Promise<string | null> => {
    setBusy(command);
    setIssues([]);
    const answer = await sendAndAskTrust((trust) => runCommand({ command, ...settings, ...(trust ? { trust } : {}) }));
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
  return {
    busy,
    issues,
    /** [S14] Refused because somebody else started the cast; the issues list all that would run. */
    isForeign: hasForeignCastIssue(issues),
    /** [C32] Refused because another cast uses the same files. */
    isTreeInUse: issues.some(({ code }) => code === "cast_running"),
    run,
  };
}

const DEBOUNCE_MS = 250;

/** The output of a command, sent whenever it changes; the last one stays while another is fetched. Null sends nothing. */
export function useCommandOutput<const S extends GenericSchema>(request: TypedCommandRequest | null, shape: S) {
  const asked = useFetched(request && JSON.stringify(request), "", async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    // An aborted request is not sent, and its answer not read.
    return fetchCommandOutput(request as TypedCommandRequest, shape, signal); // null fetches nothing
  });
  return {
    value: asked.kind === "loaded" ? asked.value : null,
    issues: asked.kind === "refused" ? asked.issues : NO_ISSUES,
    busy: asked.busy,
  };
}

const NO_ISSUES: readonly Issue[] = [];
