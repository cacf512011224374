import { personAsked } from "../../core/cast/question.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastingCommand } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { isForeign, ok, type Result } from "../../core/model/issue.ts";
import { harmless } from "../../core/model/values/text.ts";
import { namesCast, prepare, prepareAgain } from "../../shell/commands/prepare.ts";
import type { PreparedCast } from "../../shell/casting/drive/prepared-cast.ts";
import type { RunEnd } from "../../shell/run/run-cast.ts";
import { printText, jsonText } from "./terminal/lines.ts";
import type { Request } from "./terminal/request.ts";
import { openProgress, progressKind } from "./terminal/progress.ts";
import { exitCode } from "../../shell/casting/exit-code.ts";
import { printResult } from "./result.ts";
import { askerOf } from "./terminal/asker.ts";
import { onInterrupt } from "./terminal/interrupt.ts";
import { askJudge, askPerson, trustsForeign } from "./terminal/person.ts";

/** Everything that sets a cast going or keeps it going. */
export async function runCasting(command: CastingCommand, request: Request): Promise<Result<number>> {
  const asker = await askerOf(request);
  const prepared = await prepare(command, asker);
  if (prepared.ok) return run(request, prepared.value);
  // [S10] Only a cast that was named can be agreed to.
  const isAsked = namesCast(command) && isForeign(prepared.issues);
  if (!isAsked || !(await trustsForeign(request.io, prepared.issues))) return prepared;
  const again = await prepare(command, { ...asker, trustsCast: true });
  return again.ok ? run(request, again.value) : again;
}

async function run(request: Request, prepared: PreparedCast): Promise<Result<number>> {
  const { io, options } = request;
  const { cwd, below } = request.workspace.place;
  if (below !== undefined && !options.quiet) printText(io, `note: working in ${harmless(cwd)}, the project's folder`);
  if (!options.quiet) for (const note of prepared.notes) printText(io, `note: ${note}`);
  const progress = openProgress(io, progressKind(io, options), prepared.trail);
  const interrupt = onInterrupt(io);
  const end = await prepared.run({ signal: interrupt.signal, ...progress });
  interrupt.stop();
  progress.stop();
  if (end.ok) for (const remark of prepared.remarks(end.value)) printText(io, `note: ${remark}`);
  if (!end.ok) return end;
  // [B21] Another one where its key came first.
  const { castId } = end.value.state;
  const already = prepared.isKnown === true || castId !== prepared.castId;
  if (!options.detach) return finish(request, castId, end.value);
  io.out(options.json ? `${jsonText({ castId, ...(already ? { already } : {}) })}\n` : `${castId}\n`);
  return ok(0);
}

/** Shows how it ended; where a person is wanted and there is one, asks, and goes on. */
async function finish(request: Request, castId: CastId, end: RunEnd): Promise<Result<number>> {
  const { io, options, workspace } = request;
  if (end.kind === "waiting" && io.canAsk && !options.json && !options.quiet) {
    const shown = replyOf(end.state);
    const answer = await (personAsked(end.state) ? askJudge(io, shown, castId) : askPerson(io, shown, castId));
    const again = answer && (await prepareAgain(castId, answer, await askerOf(request)));
    if (again) return again.ok ? run(request, again.value) : again;
  }
  printResult({ io, options, end, root: workspace.root });
  return ok(exitCode(end));
}

function replyOf({ phase }: CastState): string {
  return phase.kind === "waiting" ? phase.reply : "";
}
