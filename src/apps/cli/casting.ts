import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import type { CastingCommand } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { hasForeignCastIssue, ok, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { namesSpecificCast, prepareCommand, prepareStoppedCast } from "../../shell/commands/prepare.ts";
import { type PreparedCast, exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { markLookedAt } from "../../shell/workspace/inbox.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import { printText, jsonText, type CliContext } from "./terminal/io.ts";
import { openProgress, progressKindFor } from "./terminal/progress.ts";
import { printResult } from "./print-result.ts";
import { commandCallerFor, askYesOrNo, askForAnswer, askToTrustCast } from "./terminal/prompts.ts";
import { listenForInterrupt } from "./terminal/interrupt.ts";

/** Commands that start or resume a cast. */
export async function runCastingCommand(command: CastingCommand, request: CliContext): Promise<Result<number>> {
  const asker = await commandCallerFor(request);
  const prepared = await prepareCommand(command, asker);
  if (prepared.ok) return runPrepared(request, prepared.value);
  // [S14] Only a named cast can be trusted.
  const isAsked = namesSpecificCast(command) && hasForeignCastIssue(prepared.issues);
  if (!isAsked || !(await askToTrustCast(request.io, prepared.issues))) return prepared;
  const again = await prepareCommand(command, { ...asker, trustsCast: true });
  return again.ok ? runPrepared(request, again.value) : again;
}

async function runPrepared(request: CliContext, prepared: PreparedCast): Promise<Result<number>> {
  const { io, options } = request;
  const { cwd, startFolder: below } = request.workspace.place;
  if (below !== undefined && !options.quiet)
    printText(io, `note: working in ${sanitizeForTerminal(cwd)}, the project's folder`);
  if (!options.quiet) for (const note of prepared.notes) printText(io, `note: ${note}`);
  const progress = openProgress(io, progressKindFor(io, options), prepared.timeline);
  let isAsleep = false;
  const interrupt = listenForInterrupt(io, () => isAsleep);
  const { signal, released } = interrupt;
  const onSteps: typeof progress.onSteps = (steps) => {
    isAsleep = steps.at(-1)?.after.phase.kind === "sleeping";
    progress.onSteps(steps);
  };
  const end = await prepared.run({ signal, released, ...progress, onSteps });
  interrupt.stop();
  progress.stop();
  if (end.ok) for (const remark of prepared.remarks(end.value)) printText(io, `note: ${remark}`);
  if (!end.ok) return end;
  // [B21] The cast that was submitted first with this key, if another one was.
  const { castId } = end.value.state;
  const already = prepared.isKnown === true || castId !== prepared.castId;
  if (!options.detach) return finishOrAsk(request, castId, end.value);
  io.out(options.json ? `${jsonText({ castId, ...(already ? { already } : {}) })}\n` : `${castId}\n`);
  return ok(0);
}

/** Shows how it ended. If it waits for a person and one is here, asks and resumes. */
async function finishOrAsk(request: CliContext, castId: CastId, end: RunOutcome): Promise<Result<number>> {
  const { io, options, workspace } = request;
  if (end.kind === "waiting" && io.canAsk && !options.json && !options.quiet) {
    const shown = end.state.phase.kind === "waiting" ? end.state.phase.reply : "";
    const answer = await (askedPersonMateria(end.state)
      ? askYesOrNo(io, shown, castId)
      : askForAnswer(io, shown, castId));
    const again = answer && (await prepareStoppedCast(castId, answer, await commandCallerFor(request)));
    if (again) return again.ok ? runPrepared(request, again.value) : again;
  }
  printResult(request, end);
  // [YI4] A person has just seen how it ended; one who waits may have gone.
  if (end.kind === "ended" && io.live && !options.quiet) await markLookedAt(workspace, castId);
  return ok(exitCodeFor(end));
}
