import { appendAll } from "../../model/lists.ts";
import type { CastEvent } from "../../cast/state/event.ts";
import type { CastStart, CastState } from "../../cast/state/state.ts";
import { replaySteps } from "../../cast/timeline.ts";
import type { SocketId } from "../../model/ids.ts";
import { advanceVisits, NO_VISITS, visitNumber, type VisitRecord } from "../../history/visits.ts";
import { oneLine } from "../../model/text.ts";
import { statusText } from "../cast-list.ts";
import { conversationText, visitLabel } from "../graph/labels.ts";
import { totalTokens } from "../../cast/state/usage.ts";
import { amountText, costText } from "../numbers.ts";
import { eventLines } from "./event-lines.ts";
import { currentItemText } from "./handoff-lines.ts";
import { fileChangesText } from "../file-changes.ts";
import { storyLines, type StoryOptions } from "./story.ts";
import { lineText, type Line } from "../line.ts";
import {
  firstArgumentText,
  modelText,
  toolCallsOf,
  turnsText,
  visitSections,
  type VisitDetail,
} from "./visit-detail.ts";
import type { ToolCall } from "../../cast/transcript.ts";
import { initialState } from "../../cast/state/initial-state.ts";

export interface MarkdownOptions extends StoryOptions {
  readonly detailOf: (visit: { readonly socket: SocketId; readonly visit: number }) => VisitDetail | undefined;
}

const WIDTH = 2_000;

/** [C49] The story of a cast as Markdown: a heading for each visit, replies as quotations. */
export function storyMarkdown(
  start: CastStart,
  events: readonly CastEvent[],
  options: MarkdownOptions,
): readonly string[] {
  const [title, ...head] = storyLines(start, events.slice(0), { ...options, width: WIDTH }).map(lineText);
  const facts = head.slice(0, Math.max(0, head.indexOf("")));
  const lines = [`# ${escapeMarkdown(title ?? "")}`, "", ...facts.map((text) => `- ${escapeMarkdown(text)}`)];
  let visits = NO_VISITS;
  for (const { before, event } of replaySteps(initialState(start), events)) {
    visits = advanceVisits(visits, event);
    const { visit } = visits;
    if (visit?.firstSeq === event.seq) appendAll(lines, headMarkdown(before, visit, options.detailOf(visit)));
    else appendAll(lines, eventMarkdown(before, event));
  }
  return [...lines, ""];
}

function eventMarkdown(before: CastState, event: CastEvent): readonly string[] {
  switch (event.type) {
    case "output_accepted":
    case "turn_answered":
      return quoteBlock(event.text);
    case "handoff_accepted": {
      const { context, ...handoff } = event.handoff;
      const fields = eventLines(before, { ...event, handoff, ...NO_EXCERPT }, WIDTH);
      return [...bulletLines(fields.map(lineText)), ...(typeof context === "string" ? quoteBlock(context) : [])];
    }
    case "visit_completed": {
      const { usage, files } = event;
      const tokens = totalTokens(usage);
      const used = tokens === 0 ? "" : `${amountText(tokens)} tokens, ${costText(usage.cost)}`;
      return bulletLines([used, fileChangesText(files) ?? ""]);
    }
    case "cast_resumed":
      return ["", `*Resumed by ${escapeMarkdown(oneLine(event.by, 100))}.*`];
    case "cast_ended":
      return ["", `**${statusText(event.outcome)}**`, ...quoteBlock(event.reason)];
    default:
      return bulletLines(eventLines(before, event, WIDTH).map(lineText));
  }
}

/** The full text follows, so the excerpt would repeat it. */
const NO_EXCERPT = { excerpt: undefined };

function headMarkdown(before: CastState, record: VisitRecord, detail: VisitDetail | undefined): readonly string[] {
  const { socket, materia, visit, conversation } = record;
  const again = visit > 1 ? `, visit ${visit}` : "";
  const model = detail?.model ? `model: ${modelText(detail.model)}` : "";
  return [
    "",
    `## ${visitNumber(record)}. ${escapeMarkdown(visitLabel(socket, materia))}${again}`,
    "",
    ...bulletLines([currentItemText(before, 200), conversationText(conversation), model]),
    ...(detail ? toolsMarkdown(toolCallsOf(detail)) : []),
  ];
}

function toolsMarkdown(tools: readonly ToolCall[]): readonly string[] {
  return tools.map((call) => {
    const outcome = call.failed === null ? "no answer" : call.failed ? "**failed**" : "ok";
    const argument = oneLine(firstArgumentText(call), 200);
    const ticks = ticksAround(argument, 1);
    const pad = ticks.length === 1 ? "" : " ";
    const code = argument === "" ? "" : ` ${ticks}${pad}${argument}${pad}${ticks}`;
    return `- ${escapeMarkdown(oneLine(call.name, 40))}${code}: ${outcome}`;
  });
}

/** [C49] One visit as Markdown, with its prompt and its output in fences. */
export function visitMarkdown(detail: VisitDetail, story: readonly Line[], castId: string): readonly string[] {
  const { model, replies } = detail;
  const [head, ...rest] = story.map(lineText);
  return [
    `# ${escapeMarkdown((head ?? "").trim())}`,
    "",
    `- cast ${castId}`,
    ...bulletLines([model === null ? "" : `model: ${modelText(model)}`, replies.length === 0 ? "" : turnsText(detail)]),
    ...visitSections(detail).flatMap((part) =>
      section(part.title, "tools" in part ? toolsMarkdown(part.tools) : fencedBlock(part.text)),
    ),
    ...section("What came of it", bulletLines(rest)),
    "",
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ["", `## ${title}`, "", ...lines];
}

/** Numbered lines are a list below the line before them. */
function bulletLines(texts: readonly string[]): readonly string[] {
  const used = texts.map((text) => escapeMarkdown(text.trim())).filter((text) => text !== "");
  return used.map((text) => `${/^\d+\. /.test(text) ? " " : "-"} ${text}`);
}

/** Text of agents and people stays inside its quotation, even if it contains Markdown. */
function quoteBlock(text: string): readonly string[] {
  return text.trim() === "" ? [] : ["", ...text.split(/\r?\n/).map((each) => `> ${each}`.trimEnd()), ""];
}

function fencedBlock(text: string): readonly string[] {
  const fence = ticksAround(text, 3);
  return [`${fence}text`, ...text.replace(/\n$/, "").split(/\r?\n/), fence];
}

/** A fence of more backticks than any run in the text: an equal run would end it. */
function ticksAround(text: string, least: number): string {
  return "`".repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
}

/** Escapes names in our own words, so that they cannot act as markup. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, String.raw`\$&`);
}
