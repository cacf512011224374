import type { Options } from "../../core/command/options.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../core/model/text.ts";
import { statusSymbol, statusText } from "../../core/view/cast-list.ts";
import { figuresLine, figuresText } from "../../core/view/numbers.ts";
import { incompleteReason, lastReply, stoppedHeadLine, stoppedStepLines } from "../../core/view/report/next-steps.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { totalsOf } from "../../core/cast/state/usage.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import { type CliContext, type Io, printLines } from "./terminal/io.ts";
import { castStatus, castFigures } from "../../core/cast/summary.ts";

/** Prints the outcome and the next commands. Programs have received the events and get no prose. */
export function printResult({ io, options, workspace: { root } }: CliContext, end: RunOutcome): void {
  if (end.kind === "broken")
    io.err(
      `The cast stopped: ${sanitizeForTerminal(end.problem)}\n"${commandPrefix(io, options)} recast ${end.state.castId}" continues it.\n`,
    );
  if (options.json) return;
  const { state } = end;
  const said = lastReply(state);
  const reason = oneLine(incompleteReason(state), 600);
  const status = castStatus(state, false);
  const isSaid = oneLine(said, 600) === reason;
  if (options.quiet) {
    if (said !== "") io.out(`${sanitizeForTerminal(said)}\n`);
    const why = reason === "" || isSaid ? "" : `: ${reason}`;
    io.err(`${statusText(status)} ${state.castId}${why}\n`);
    return;
  }
  printLines(io, [
    stoppedHeadLine(state, status, 100),
    figuresLine(figuresText(castFigures(totalsOf(state))), state.rehearsed),
    ...(reason === "" || isSaid ? [] : [line(toned(statusSymbol(status).tone ?? "plain", reason))]),
    ...(said === ""
      ? []
      : [line(""), ...replyLines(said, state.phase.kind === "waiting" ? Infinity : MAX_REPLY_LINES), line("")]),
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
