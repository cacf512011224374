import type { CastEvent, EventOf } from "../../../core/cast/state/event.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { type CastStep, workedMsSince, type WorkClock } from "../../../core/cast/timeline.ts";
import { advanceVisits, NO_VISITS, visitNumber, type VisitRecord } from "../../../core/history/visits.ts";
import { oneLine, countedText } from "../../../core/model/text.ts";
import { conditionText } from "../../../core/view/graph/labels.ts";
import {
  currentItemText,
  handoffLines,
  outputLines,
  quoteLines,
  FULL_DETAIL,
} from "../../../core/view/report/handoff-lines.ts";
import { fileChangesText } from "../../../core/view/file-changes.ts";
import { liveArgumentText } from "../../../core/view/report/visit-detail.ts";
import { createStoryWriter, visitHeadLine } from "../../../core/view/report/story.ts";
import { line, lineText, toned, type Line } from "../../../core/view/line.ts";
import type { TurnProgress } from "../../../shell/ports.ts";
import { CALL_MARKS } from "./agent-activity.ts";
import { markdownLine, type Card, type CardLine } from "./card.ts";

export interface VisitCards {
  /** The cards that this step completes. */
  readonly follow: (step: CastStep) => readonly Card[];
  /** Activity of the current visit's agent. */
  readonly recordProgress: (progress: TurnProgress) => void;
  /** No card for earlier steps: they were reported when they happened. */
  readonly discardPending: () => void;
}

/** Wider than any screen: a card is cut or wrapped when it is drawn. */
const WIDTH = 400;

/** These events start a new part of the story. */
const CLOSING_EVENTS: ReadonlySet<CastEvent["type"]> = new Set([
  "visit_started",
  "loop_entered",
  "cast_resumed",
  "cast_ended",
]);

/** After these the same visit may continue. */
const PAUSING_EVENTS: ReadonlySet<CastEvent["type"]> = new Set(["cast_resumed", "cast_ended"]);

/** [X10] One card for each finished visit: its head and route, and when open everything it handed over. */
export function createVisitCards(start: CastState): VisitCards {
  const teller = createStoryWriter(start, WIDTH, FULL_DETAIL);
  let visits = NO_VISITS;
  let visit: CurrentVisit | undefined;
  /** A visit that an earlier run had started: the story closed it there. */
  let resumed: Line[] | undefined;
  let told: readonly Line[] = [];
  let route: Line[] = [];
  let way: Line = [];
  let files: string | undefined;
  const deeds = createToolCalls();
  const close = (): readonly Card[] => {
    const id = `${start.castId}/${visit ? visitNumber(visit.record) : 0}`;
    const cards = told.length === 0 ? [] : [visitCard({ id, told, route, way, files, deeds, handed: visit?.handed })];
    [told, route, way] = [[], [], []];
    return cards;
  };
  const follow = (step: CastStep): readonly Card[] => {
    const { event } = step;
    visits = advanceVisits(visits, event);
    const item = currentItemText(step.before, 200);
    const lines = teller.write(step).filter((each) => each.length > 0);
    if (CLOSING_EVENTS.has(event.type)) {
      const cards = close();
      // The story writer flushes the start of a visit with the next head, which is not the last word about it.
      resumed = PAUSING_EVENTS.has(event.type) ? [...(resumed ?? []), ...lines.slice(resumed ? 0 : 1)] : undefined;
      if (visits.visit?.firstSeq === event.seq) {
        visit = { record: visits.visit, item, since: teller.current().clock };
        deeds.clear();
      }
      return cards;
    }
    if (event.type === "visit_completed") {
      files = fileChangesText(event.files);
      told = resumed && visit ? [headLine(visit, event, teller.current().clock), ...resumed] : lines;
      resumed = undefined;
      return [];
    }
    if (visit && (event.type === "handoff_accepted" || event.type === "output_accepted")) visit.handed = event;
    if (event.type === "edge_taken" || event.type === "limit_reached") way = lines[0] ?? [];
    if (told.length > 0) route.push(...lines);
    else resumed?.push(...lines);
    return [];
  };
  return { follow, recordProgress: deeds.recordProgress, discardPending: () => void close() };
}

type HandedEvent = EventOf<"handoff_accepted"> | EventOf<"output_accepted">;

interface CurrentVisit {
  readonly record: VisitRecord;
  readonly item: string;
  readonly since: WorkClock;
  handed?: HandedEvent;
}

function headLine(visit: CurrentVisit, { usage }: EventOf<"visit_completed">, clock: WorkClock): Line {
  return visitHeadLine(visit, { usage, ms: workedMsSince(clock, visit.since), width: WIDTH });
}

interface CardParts {
  readonly id: string;
  readonly told: readonly Line[];
  readonly route: readonly Line[];
  readonly way: Line;
  readonly handed: HandedEvent | undefined;
  /** The changed files. */
  readonly files: string | undefined;
  readonly deeds: ToolCalls;
}

/** A closed card has two lines: a cast of fifty visits must not bury the conversation. */
function visitCard({ id, told, route, way, handed, files, deeds }: CardParts): Card {
  const [head = [], ...rest] = told;
  const did = [files, deeds.summary()].flatMap((text) => (text === undefined ? [] : [toned("dim", `${text}${GAP}`)]));
  const taken = [...did, ...way.filter(({ text }) => text.trim() !== "")];
  const said = handed ? firstWords(handed, lineText(taken)) : [];
  const lines = said.length + taken.length === 0 ? [head] : [head, summaryLine(said, taken)];
  return { id, lines, opened: [head, ...deeds.lines(), ...withMarkdown(rest, handed), ...route] };
}

/** The handed-over text as Markdown, in place of its plain lines. */
function withMarkdown(told: readonly Line[], handed: HandedEvent | undefined): readonly CardLine[] {
  const { text, lines } = handed ? replyTextOf(handed) : NO_REPLY;
  const plain = new Set(lines.map((each) => lineText(each).trim()));
  const isSaid = (each: Line): boolean => plain.has(lineText(each).trim());
  const at = told.findIndex(isSaid);
  if (text.trim() === "" || at === -1) return told;
  return [...told.slice(0, at), markdownLine(text, INDENT.length), ...told.slice(at).filter((each) => !isSaid(each))];
}

interface ReplyText {
  readonly text: string;
  /** As the story has it. */
  readonly lines: readonly Line[];
}

const NO_REPLY: ReplyText = { text: "", lines: [] };

/** The words of the agent: all of a plain text, or the context of a handoff. */
function replyTextOf(handed: HandedEvent): ReplyText {
  const room = WIDTH - INDENT.length;
  if (handed.type === "output_accepted")
    return handed.approved ? NO_REPLY : { text: handed.text, lines: outputLines(handed, room, FULL_DETAIL) };
  const { context } = handed.handoff;
  return typeof context === "string" ? { text: context, lines: quoteLines(context, room, FULL_DETAIL) } : NO_REPLY;
}

/** The first words of the handoff. If the route shows the outcome already, the reason instead. */
function firstWords(event: HandedEvent, way: string): Line {
  if (event.type === "output_accepted") {
    const [said = []] = outputLines({ ...event, approved: undefined }, WIDTH);
    // A heading without its mark.
    return said.map((span, at) => (at === 0 ? { ...span, text: span.text.replace(/^#+ +/, "") } : span));
  }
  const [first = []] = handoffLines({ ...event, approved: undefined }, WIDTH);
  const { workItems, satisfied, context } = event.handoff;
  if (Array.isArray(workItems) || typeof satisfied !== "boolean") return first;
  const given = typeof context === "string" && context.trim() !== "" ? context : (event.excerpt ?? "");
  const reason = given.trim() === "" ? "" : `“${oneLine(given, WIDTH)}”`;
  if (way.includes(conditionText(satisfied ? "satisfied" : "not_satisfied"))) return line(reason);
  return line(...first, reason === "" ? "" : ": ", reason);
}

/** The text gives way to the route. */
function summaryLine(said: Line, taken: Line): CardLine {
  const gap = said.length > 0 && taken.length > 0 ? GAP : "";
  return [...line(INDENT), ...said.map((span) => ({ ...span, gives: true as const })), ...line(gap, ...taken)];
}

const GAP = "  ";
const INDENT = "    ";

/** The tool calls of a visit, and the output of failed ones. */
export interface ToolCalls {
  readonly recordProgress: (progress: TurnProgress) => void;
  /** Another visit starts. */
  readonly clear: () => void;
  /** In a few words: the commands, and how many calls failed. */
  readonly summary: () => string | undefined;
  readonly lines: () => readonly Line[];
}

interface RecordedCall {
  readonly name: string;
  readonly text: string;
  readonly state: "running" | "done" | "failed";
  readonly said: string;
}

/** At most this many: more is not readable. */
const MAX_CALLS_KEPT = 60;

function createToolCalls(): ToolCalls {
  const deeds = new Map<string, RecordedCall>();
  const counts = { commands: 0, failed: 0, all: 0 };
  return {
    recordProgress: (progress) => {
      if (progress.kind === "tool_started") {
        const { id, name, args } = progress;
        counts.all += 1;
        if (COMMAND_TOOLS.has(name)) counts.commands += 1;
        deeds.set(id, { name, text: oneLine(liveArgumentText(args), 200), state: "running", said: "" });
        for (const oldest of [...deeds.keys()].slice(0, Math.max(0, deeds.size - MAX_CALLS_KEPT))) deeds.delete(oldest);
      }
      if (progress.kind !== "tool_ended") return;
      if (progress.failed) counts.failed += 1;
      const deed = deeds.get(progress.id);
      if (!deed) return;
      const said = progress.failed ? oneLine((progress.said ?? "").trim(), 300) : "";
      deeds.set(progress.id, { ...deed, state: progress.failed ? "failed" : "done", said });
    },
    clear: () => {
      deeds.clear();
      Object.assign(counts, { commands: 0, failed: 0, all: 0 });
    },
    summary: () => {
      const parts = [
        ...(counts.commands > 0 ? [`ran ${countedText(counts.commands, "command")}`] : []),
        ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
      ];
      return parts.length === 0 ? undefined : parts.join(", ");
    },
    lines: () => {
      const more = counts.all - deeds.size;
      const earlier = more > 0 ? [line(CALL_INDENT, toned("dim", `… ${countedText(more, "earlier call")}`))] : [];
      return [...earlier, ...[...deeds.values()].flatMap(toolCallLines)];
    },
  };
}

const COMMAND_TOOLS: ReadonlySet<string> = new Set(["bash", "powershell"]);
const CALL_INDENT = "    ";

function toolCallLines({ name, text, state, said }: RecordedCall): readonly Line[] {
  const call = COMMAND_TOOLS.has(name) ? `$ ${text}` : `${name} ${text}`;
  const why = said === "" ? [] : [line(CALL_INDENT, "  ", toned("bad", said))];
  return [line(CALL_INDENT, CALL_MARKS[state], toned("dim", call.trim())), ...why];
}
