import type { DraftCommand } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { countedText, sanitizeForTerminal } from "../../core/model/text.ts";
import { billLines } from "../../core/view/graph/bill.ts";
import { issueLines } from "../../core/view/issues.ts";
import {
  draftData,
  draftLines,
  makeDraft,
  readDraftCommand,
  type FinishedDraft,
  saveDraft,
} from "../../shell/commands/draft.ts";
import { agentSourceOf } from "../../shell/commands/prepare.ts";
import { runCastingCommand } from "./casting.ts";
import { listenForInterrupt, type CliContext, printAnswer, printLines, printText } from "./terminal/io.ts";
import { askYes, draftCallerFor } from "./terminal/prompts.ts";

/** [YD4] Words → a draft with its bill; saved with --save, cast with --cast after a yes. */
export async function runDraftCommand(command: DraftCommand, request: CliContext): Promise<Result<number>> {
  const { io, options, workspace } = request;
  const caller = draftCallerFor(request);
  const asked = await readDraftCommand(workspace, command, caller.texts, io.cwd);
  if (!asked.ok) return asked;
  const interrupt = listenForInterrupt(io, () => false);
  if (!options.quiet) printText(io, "Drafting…");
  const draft = await makeDraft(workspace, {
    ...asked.value,
    agents: agentSourceOf(caller),
    signal: interrupt.signal,
    onRound: (round, issues) => {
      if (options.quiet) return;
      printText(io, `Round ${round}: ${countedText(issues.length, "problem")}, sent back to the agent`);
      printLines(io, issueLines(issues), io.err);
    },
  });
  interrupt.stop();
  if (!draft.ok) return draft;
  const saved = command.save === undefined ? ok(undefined) : saveDraft(workspace.place, draft.value, command.save);
  if (!saved.ok) return saved;
  // With --json a cast prints its events, one a line; the draft goes before them.
  const data = { ...draftData(draft.value), saved: saved.value ?? null };
  const code = printAnswer(io, options, { code: 0, data, lines: (width) => draftLines(draft.value, width) });
  if (saved.value !== undefined) printText(io, `Saved as ${command.save ?? ""} in ${sanitizeForTerminal(saved.value)}`);
  if (command.cast === undefined || !(await mayCast(request, draft.value))) return ok(code);
  return runCastingCommand(
    { kind: "cast", prompt: command.cast, loadout: draft.value.name },
    { ...request, workspace: draft.value.workspace },
  );
}

/** [YD10] A person says yes after seeing the bill, or has typed --yes. */
async function mayCast({ io, options }: CliContext, { bill }: FinishedDraft): Promise<boolean> {
  if (options.yes) return true;
  if (!io.canAsk) {
    printText(io, "note: it was not cast, because nobody can be asked here; --yes says yes");
    return false;
  }
  printLines(io, billLines(bill), io.err);
  return askYes(io, "Cast it? [y/N] ");
}
