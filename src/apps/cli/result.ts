import type { Options } from "../../core/command/options.ts";
import { never } from "../../core/model/never.ts";
import { harmless, oneLine } from "../../core/model/text.ts";
import { statusMark, statusOf, statusText } from "../../core/view/casts.ts";
import { amountText, costText, countedText } from "../../core/view/numbers.ts";
import { nextSteps } from "../../core/view/tell/next-step.ts";
import { line, toned } from "../../core/view/text/line.ts";
import { tokensOf } from "../../core/cast/usage.ts";
import type { RunEnd } from "../../shell/run/run-cast.ts";
import type { Io } from "./io.ts";
import { printLines } from "./lines.ts";

/** [C10] */
export function exitCode(end: RunEnd): number {
  if (end.kind === "waiting") return 4;
  const { phase } = end.state;
  if (end.kind === "broken" || phase.kind !== "ended") return 1;
  switch (phase.outcome) {
    case "completed":
      return 0;
    case "failed":
      return 1;
    case "not_satisfied":
      return 3;
    case "aborted":
      return 130;
    default:
      return never(phase.outcome);
  }
}

/** How it ended and what can be done now. Events have already told programs; they get no prose. */
export function printResult({ io, options, end, root }: { readonly io: Io; readonly options: Options; readonly end: RunEnd; readonly root: string }): void {
  if (end.kind === "broken") io.err(`The cast stopped: ${harmless(end.problem)}\n"materia recast ${end.state.castId}" goes on from its journal.\n`);
  if (options.json) return;
  const { state } = end;
  const said = saidLast(end);
  if (options.quiet) {
    io.out(said === "" ? "" : `${harmless(said)}\n`);
    return;
  }
  const status = statusOf(state, false);
  const mark = statusMark(status);
  const { visits, itemsDone, items } = state.done;
  const figures = [countedText(visits, "visit"), ...(items === 0 ? [] : [`${itemsDone} of ${items} items`]), `${amountText(tokensOf(state.usage))} tokens`, costText(state.usage.cost)];
  const reason = state.phase.kind === "ended" && state.phase.outcome !== "completed" ? oneLine(state.phase.reason, 600) : "";
  const { castId } = state;
  printLines(io, [
    line({ ...mark, text: `${mark.text} ${statusText(status)}` }, "  ", toned("strong", oneLine(state.graph.name, 100)), "  ", toned("dim", castId)),
    line(toned("dim", figures.join(" · "))),
    ...(reason === "" ? [] : [line(toned(mark.tone ?? "plain", reason))]),
    ...(said === "" ? [] : [line(""), ...harmless(said).split("\n").slice(0, 40).map((text) => line(text)), line("")]),
    ...[{ command: `materia show ${castId}`, does: "the story" }, ...nextSteps(state, status)].map(({ command, does }) => line(toned("accent", command), toned("dim", `  ${does}`))),
    line(toned("dim", `Files: ${root}/${castId}`)),
  ]);
}

function saidLast({ state }: RunEnd): string {
  if (state.phase.kind === "waiting") return state.phase.reply;
  return state.phase.kind === "ended" && (state.phase.outcome === "completed" || state.phase.outcome === "not_satisfied") ? (state.handed?.text.trim() ?? "") : "";
}
