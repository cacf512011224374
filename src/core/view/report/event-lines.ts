import { isReported } from "../../cast/timeline.ts";
import type { CastEvent } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import { socketOf } from "../../compile/graph.ts";
import { oneLine } from "../../model/text.ts";
import { visitLabel } from "../graph/labels.ts";
import { fitLine, line, toned, type Line, type Span } from "../line.ts";
import { describeEvent, type EventReport } from "./event-table.ts";
import { BRIEF_DETAIL, noteLines, type DetailLevel } from "./handoff-lines.ts";

/** [C15] The lines of the story for one event, given the cast before it. */
export function eventLines(
  before: CastState,
  event: CastEvent,
  width: number,
  detail: DetailLevel = BRIEF_DETAIL,
): readonly Line[] {
  const { tone, words, quote = "", storyLines } = describeEvent(before, event);
  const lines = storyLines ? storyLines(width, detail) : noteLines(tone, words, quote, width);
  return isFirstEstimate(before, event) ? [...lines, ...noteLines("rework", ESTIMATED, "", width)] : lines;
}

const ESTIMATED = "no usage was reported: tokens and cost are estimated from the text";

/** [A30] Said once in a cast. */
function isFirstEstimate(before: CastState, event: CastEvent): boolean {
  return "usage" in event && event.usage?.estimated === true && before.usage.estimated !== true;
}

/** [C11] `12:03:11 Build (Socket-4) visit 2, item 1 of 3: …`, in the time of the journal; nothing for bookkeeping. */
export function eventLine(before: CastState, event: CastEvent, width = 160): Line | undefined {
  const text = eventText(before, event);
  const time = /^\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)/.exec(event.at)?.[1] ?? "--:--:--";
  return text && fitLine(line(toned("dim", `${time} `), text), width);
}

export function eventText(before: CastState, event: CastEvent): Required<Span> | undefined {
  if (!isReported(before, event)) return undefined;
  const report = describeEvent(before, event);
  const text = reportText(before, report);
  return { tone: report.tone, text: isFirstEstimate(before, event) ? `${text} (${ESTIMATED})` : text };
}

/** [W36] The same for the journal view, where bookkeeping has its line too. */
export function journalText(before: CastState, event: CastEvent): Required<Span> {
  return eventText(before, event) ?? { tone: "dim", text: reportText(before, describeEvent(before, event)) };
}

const MAX_QUOTE_LENGTH = 300;

function reportText({ graph }: CastState, { socket, words, quote = "" }: EventReport): string {
  const label = socket === undefined ? "" : `${visitLabel(socket, socketOf(graph, socket).materia)} `;
  return `${label}${words}${oneLine(quote, MAX_QUOTE_LENGTH)}`.trimEnd();
}
