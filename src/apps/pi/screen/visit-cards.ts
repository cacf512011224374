import type { CastEvent, EventOf } from "../../../core/cast/state/event.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import {
  advanceClock,
  type CastStep,
  UNSTARTED_CLOCK,
  workedMsSince,
  type WorkClock,
} from "../../../core/cast/timeline.ts";
import { advanceVisits, NO_VISITS, type VisitRecord } from "../../../core/history/visits.ts";
import { findObject } from "../../../core/handoff/find-object.ts";
import { isWorkItem } from "../../../core/model/handoff.ts";
import { countedText, oneLine } from "../../../core/model/text.ts";
import { conditionText, conditionTone } from "../../../core/view/graph/labels.ts";
import { costText } from "../../../core/view/numbers.ts";
import { eventLines } from "../../../core/view/report/event-lines.ts";
import {
  contextOf,
  currentItemText,
  FULL_DETAIL,
  handoffLines,
  titleText,
} from "../../../core/view/report/handoff-lines.ts";
import { fileChangesText } from "../../../core/view/file-changes.ts";
import { modelText } from "../../../core/view/report/visit-detail.ts";
import { fileLines, visitHeadingLine } from "../../../core/view/report/story.ts";
import { line, lineText, toned, type Line } from "../../../core/view/line.ts";
import { callLines, callSummary, IDLE_ACTIVITY, type AgentActivity } from "./agent-activity.ts";
import { markdownLine, type Card, type CardLine } from "./card.ts";

/** Wider than any screen: a card is cut or wrapped when it is drawn. */
const WIDTH = 400;
const INDENT = "    ";
const GAP = "  ";

/** These events come after everything that belongs to a completed visit. */
const CLOSING_EVENTS = /^(?:visit_started|loop_entered|cast_resumed|cast_ended)$/;

type HandedEvent = EventOf<"handoff_accepted"> | EventOf<"output_accepted">;

interface CurrentVisit {
  record: VisitRecord;
  readonly item: string;
  readonly since: WorkClock;
  readonly lines: CardLine[];
  handed?: HandedEvent;
  completed?: { readonly event: EventOf<"visit_completed">; readonly ms: number };
  way: Line;
}

/** [X10] One card for each finished visit: its head and route, and when open everything it handed over. */
export function createVisitCards({ castId }: CastState) {
  let visits = NO_VISITS;
  let clock = UNSTARTED_CLOCK;
  let visit: CurrentVisit | undefined;
  const close = (activity: AgentActivity): readonly Card[] => {
    const done = visit?.completed ? [visitCard(castId, visit, activity)] : [];
    if (done.length > 0) visit = undefined;
    return done;
  };
  const follow = ({ event, before }: CastStep, activity: AgentActivity): readonly Card[] => {
    visits = advanceVisits(visits, event);
    clock = advanceClock(clock, before, event);
    const cards = CLOSING_EVENTS.test(event.type) ? close(activity) : [];
    if (visits.visit?.firstSeq === event.seq) {
      visit = { record: visits.visit, item: currentItemText(before, 200), since: clock, lines: [], way: [] };
    } else if (visit && visits.visit) {
      visit.record = visits.visit;
      if (event.type === "visit_completed") visit.completed = { event, ms: workedMsSince(clock, visit.since) };
      recordEvent(visit, before, event);
    }
    // Of a loop that was to run its items at once.
    if (event.type === "loop_forked" && event.base === null)
      return [...cards, { lines: eventLines(before, event, WIDTH, FULL_DETAIL), wraps: true }];
    return cards;
  };
  // No card for earlier steps: they were reported when they happened.
  return { follow, discardPending: () => void close(IDLE_ACTIVITY) };
}

function recordEvent(visit: CurrentVisit, before: CastState, event: CastEvent): void {
  if (event.type === "handoff_accepted" || event.type === "output_accepted") visit.handed = event;
  const storyLines = eventLines(before, event, WIDTH - INDENT.length, FULL_DETAIL);
  if (event.type === "edge_taken" || event.type === "limit_reached") visit.way = storyLines[0] ?? [];
  const shown = isHanded(event)
    ? handedLines(event)
    : event.type === "visit_completed"
      ? fileLines(event, FULL_DETAIL)
      : storyLines;
  visit.lines.push(...shown.map((each) => (each[0]?.tone === "markdown" ? each : [...line(INDENT), ...each])));
}

/** What an approval hands on stands above it already. */
function isHanded(event: CastEvent): event is CastEvent & HandedEvent {
  return (event.type === "handoff_accepted" || event.type === "output_accepted") && event.approved === undefined;
}

/** [X55] What was handed over, by its kind: a plan, a verdict, or text. */
function handedLines(event: HandedEvent): readonly CardLine[] {
  if (event.type === "output_accepted") return markdownLines(event.text);
  const { workItems, satisfied, context, ...rest } = event.handoff;
  return [
    ...satisfiedLine(satisfied),
    ...(Array.isArray(workItems) ? [line(planText(workItems.length))] : []),
    ...markdownLines(Array.isArray(workItems) ? planMarkdown(workItems, context) : contextOf(event)),
    ...handoffLines({ ...event, handoff: rest, excerpt: undefined }, WIDTH, FULL_DETAIL),
  ];
}

function markdownLines(text: string): readonly CardLine[] {
  return text.trim() === "" ? [] : [markdownLine(text, INDENT.length)];
}

function planText(count: number): string {
  return `handed over ${countedText(count, "work item")}`;
}

function satisfiedLine(satisfied: unknown): readonly Line[] {
  if (typeof satisfied !== "boolean") return [];
  const condition = satisfied ? "satisfied" : "not_satisfied";
  return [line(toned(conditionTone(condition), conditionText(condition)))];
}

/** A plan as Markdown, which is readable as plain text, too. */
function planMarkdown(workItems: readonly unknown[], context: unknown): string {
  const items = workItems.map((item, index) => {
    const { title, context: about } = isWorkItem(item) ? item : { title: "", context: "" };
    const number = `${index + 1}. `;
    const indent = " ".repeat(number.length);
    const below = about.trim().replaceAll("\n", `\n${indent}`);
    return `${number}**${titleText(title, 300)}**${below === "" ? "" : `\n\n${indent}${below}`}`;
  });
  return [...(typeof context === "string" && context.trim() !== "" ? [context] : []), items.join("\n")].join("\n\n");
}

/** A reply as people read it: a plan as a list. */
export function replyMarkdown(reply: string): string {
  const plan = workItemListIn(reply);
  return plan ? planMarkdown(plan.items, plan.object["context"]) : reply;
}

export function workItemListIn(reply: string) {
  const object = findObject(reply)?.object;
  const items = object?.["workItems"];
  return object && Array.isArray(items) && items.every(isWorkItem) ? { object, items } : undefined;
}

/** A closed card has two lines: a cast of fifty visits must not bury the conversation. */
function visitCard(castId: string, visit: CurrentVisit, activity: AgentActivity): Card {
  const { record, handed, lines, item, way, completed } = visit;
  const files = fileChangesText(completed?.event.files);
  const did = [files ?? "", callSummary(activity)].flatMap((text) =>
    text === "" ? [] : [toned("dim", `${text}${GAP}`)],
  );
  const taken = [...did, ...way.filter(({ text }) => text.trim() !== "")];
  const words = (handed ? firstWords(handed, lineText(taken)) : []).map((span) => ({
    ...span,
    gives: true as const,
  }));
  const { model } = record;
  const isAsked = model !== null && modelText(model) === model;
  const name = isAsked ? oneLine(model.slice(model.indexOf("/") + 1), 60) : "";
  const gap = words.length > 0 && taken.length > 0 ? GAP : "";
  const figures = { usage: completed?.event.usage ?? null, ms: completed?.ms ?? 0, width: WIDTH };
  const head: CardLine = [
    ...visitHeadingLine({ record, item: "" }, figures),
    ...line(toned("dim", isAsked ? ` · ${costText(record.usage.cost)} · ${name}` : "")),
    ...(item === "" ? [] : line(GAP, toned("dim", item)).map((span) => ({ ...span, gives: true as const }))),
  ];
  const summary = words.length + taken.length === 0 ? [] : [[...line(INDENT), ...words, ...line(gap, ...taken)]];
  return {
    id: `${castId}/${record.socket}#${record.visit}`,
    lines: [head, ...summary],
    opened: [head, ...callLines(activity).map((each) => line(INDENT, ...each)), ...lines],
  };
}

/** The first words of the handoff. A verdict that the route shows already is not repeated. */
function firstWords(event: HandedEvent, way: string): Line {
  // A heading without its mark.
  if (event.type === "output_accepted")
    return line(oneLine(event.text.trim().split("\n", 1).join("").replace(/^#+ +/, ""), WIDTH));
  const { workItems, satisfied } = event.handoff;
  if (Array.isArray(workItems)) {
    const titles = workItems.map((item) => (isWorkItem(item) ? titleText(item.title, 60) : ""));
    return line(planText(titles.length), toned("dim", titles.length === 0 ? "" : `: ${titles.join(" · ")}`));
  }
  const [first = []] = handoffLines(event, WIDTH);
  if (typeof satisfied !== "boolean") return first;
  const given = contextOf(event);
  const reason = given.trim() === "" ? "" : `“${oneLine(given, WIDTH)}”`;
  const isShown = way.includes(conditionText(satisfied ? "satisfied" : "not_satisfied"));
  const verdict = isShown ? [] : satisfiedLine(satisfied).flat();
  return line(...verdict, verdict.length === 0 || reason === "" ? "" : " ", reason);
}
