import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import type { CastingCommand, CommandOf, ContinueCommand } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { hasForeignCastIssue, ok, type Result } from "../../core/model/issue.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../core/model/text.ts";
import { namesSpecificCast, prepareCommand, prepareStoppedCast } from "../../shell/commands/prepare.ts";
import { type PreparedCast, exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { markLookedAt } from "../../shell/workspace/inbox.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import { printText, jsonText, type CliContext, listenForInterrupt, type Io, printLines } from "./terminal/io.ts";
import { openProgress } from "./terminal/progress.ts";
import { askForExtensions, commandCallerFor, askYesOrNo, askForAnswer, askToTrustCast } from "./terminal/prompts.ts";
import type { Options } from "../../core/command/options.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { statusSymbol, statusText } from "../../core/view/cast-list.ts";
import { figuresLine, figuresText } from "../../core/view/numbers.ts";
import { incompleteReason, lastReply, stoppedHeadLine, stoppedStepLines } from "../../core/view/report/next-steps.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { totalsOf } from "../../core/cast/state/usage.ts";
import { castStatus, castFigures } from "../../core/cast/summary.ts";
import { buildTimeline } from "../../core/cast/timeline.ts";
import { watchCast } from "../../shell/casting/watch-cast.ts";
import { followFleetCast } from "../../shell/commands/prepare-on-fleet.ts";
import { loadNamedCast } from "../../shell/workspace/workspace.ts";
import { castStartOf } from "../../shell/store/cast-file.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { Resumption } from "../../shell/casting/resume-cast.ts";
import { castOfBareContinue, loadGateReview } from "../../shell/commands/waiting-review.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

export async function runCastingCommand(typed: CastingCommand, request: CliContext): Promise<Result<number>> {
  const command = typed.kind === "continue" ? await withAnswer(typed, request) : typed;
  if (!command) return ok(4);
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
  const progress = openProgress(io, options, prepared.timeline);
  let isAsleep = false;
  const interrupt = listenForInterrupt(io, () => isAsleep);
  const { signal, released } = interrupt;
  const onSteps: typeof progress.onSteps = (steps) => {
    isAsleep = steps.at(-1)?.after.phase.kind === "sleeping";
    progress.onSteps(steps);
  };
  const asking = canAnswer(request) ? { askPerson: askForExtensions(io, progress.hold) } : {};
  const end = await prepared.run({ signal, released, ...progress, ...asking, onSteps });
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
  if (end.kind === "waiting" && canAnswer(request)) {
    const answer = await askAboutWaiting(request, end.state);
    const again = answer && (await prepareStoppedCast(castId, answer, await commandCallerFor(request)));
    if (again) return again.ok ? runPrepared(request, again.value) : again;
  }
  printResult(request, end);
  // [YI4] A person has just seen how it ended; one who waits may have gone.
  if (end.kind === "ended" && io.live && !options.quiet) await markLookedAt(workspace, castId);
  return ok(exitCodeFor(end));
}

function canAnswer({ io, options }: CliContext): boolean {
  return io.canAsk && !options.json && !options.quiet;
}

async function askAboutWaiting({ io, workspace }: CliContext, state: CastState): Promise<Resumption | undefined> {
  const { castId, phase } = state;
  if (askedPersonMateria(state)) return askYesOrNo(io, await loadGateReview(workspace, state, io.columns()), castId);
  return askForAnswer(io, phase.kind === "waiting" ? phase.reply : "", castId);
}

/** [Q16] Without a message a person at a terminal sees what the cast waits with, and answers; undefined if they leave. */
async function withAnswer(command: ContinueCommand, request: CliContext): Promise<ContinueCommand | undefined> {
  const { workspace } = request;
  const castId = canAnswer(request) ? await castOfBareContinue(workspace, command) : undefined;
  const cast = castId === undefined ? undefined : await workspace.store.load(castId);
  if (!cast?.ok || cast.value.state.phase.kind !== "waiting") return command;
  const answer = await askAboutWaiting(request, cast.value.state);
  if (!answer) return undefined;
  const text = "text" in answer ? answer.text : "";
  return { ...command, castId: cast.value.state.castId, text, reject: answer.kind === "reject" };
}

/** Prints the outcome and the next commands. Programs have received the events and get no prose. */
export function printResult({ io, options, workspace: { root } }: CliContext, end: RunOutcome): void {
  if (end.kind === "broken")
    io.err(
      `The cast stopped: ${sanitizeForTerminal(end.problem)}\n"${commandPrefix(io, options)} recast ${end.state.castId}" continues it.\n`,
    );
  if (options.json && !options.quiet) return;
  const { state } = end;
  const reply = lastReply(state);
  const reason = oneLine(incompleteReason(state), 600);
  const status = castStatus(state, false);
  const isReasonInReply = oneLine(reply, 600) === reason;
  if (options.quiet) {
    if (reply !== "" && !options.json) io.out(`${sanitizeForTerminal(reply)}\n`);
    const why = reason === "" || isReasonInReply ? "" : `: ${reason}`;
    io.err(`${statusText(status)} ${state.castId}${why}\n`);
    return;
  }
  printLines(io, [
    stoppedHeadLine(state, status, 100),
    figuresLine(figuresText(castFigures(totalsOf(state))), state.rehearsed),
    ...(reason === "" || isReasonInReply ? [] : [line(toned(statusSymbol(status).tone ?? "plain", reason))]),
    ...(reply === ""
      ? []
      : [line(""), ...replyLines(reply, state.phase.kind === "waiting" ? Infinity : MAX_REPLY_LINES), line("")]),
    ...stoppedStepLines(state, status, commandPrefix(io, options)),
    line(toned("dim", `Files: ${sanitizeForTerminal(root)}${options.on === undefined ? "/" : ", "}${state.castId}`)),
  ]);
}

/** Options that make a command find this cast again. */
function commandPrefix(io: Io, { cwd, artifacts, on }: Options): string {
  const onFleet = on === undefined ? "" : ` --on ${quoteWord(on)}`;
  const inFolder = cwd === undefined ? "" : ` --cwd ${quoteWord(cwd)}`;
  return `${io.program}${onFleet}${inFolder}${artifacts === undefined ? "" : ` --artifacts ${quoteWord(artifacts)}`}`;
}

const MAX_REPLY_LINES = 40;

/** [Q14] Never cut the question to a person. */
function replyLines(said: string, most: number): readonly Line[] {
  const lines = sanitizeForTerminal(said).split("\n");
  const more = lines.length - most;
  return [
    ...lines.slice(0, most).map((text) => line(text)),
    ...(more > 0 ? [line(toned("dim", `… ${countedText(more, "more line")}`))] : []),
  ];
}

/** [C33] Shows a cast as its driver sees it; Ctrl+C ends the watching, not the cast. */
export async function runWatchCommand(
  { castId: named }: CommandOf<"watch">,
  request: CliContext,
): Promise<Result<number>> {
  const { io, options, workspace } = request;
  const { store } = workspace;
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return cast;
  const { file, events } = cast.value;
  const progress = openProgress(io, options, () => buildTimeline(initialState(castStartOf(file)), events));
  // [C33] A program gets the whole cast, also one that has ended.
  if (options.json) io.out(events.map((event) => `${jsonText(event)}\n`).join(""));
  const interrupt = listenForInterrupt(io);
  const listening = { ...progress, signal: interrupt.signal };
  const end = await (workspace.fleet
    ? followFleetCast(workspace, cast.value, listening)
    : watchCast(store, cast.value, listening));
  interrupt.stop();
  progress.stop();
  if (!end.ok) return end;
  printResult(request, end.value);
  return ok(exitCodeFor(end.value));
}
