import { appendAll } from "../../model/lists.ts";
import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastStart, CastState } from "../../cast/state/state.ts";
import {
  replaySteps,
  type CastStep,
  UNSTARTED_CLOCK,
  advanceClock,
  workedMsSince,
  type WorkClock,
} from "../../cast/timeline.ts";
import { totalsOf, totalTokens, type Usage } from "../../cast/state/usage.ts";
import { oneLine } from "../../model/text.ts";
import { statusSpan, statusSymbol, statusText } from "../cast-list.ts";
import { nameText, conversationText, visitLabel } from "../graph/labels.ts";
import { figuresLine, figuresText, durationText, ageText, amountText, workTimeText } from "../numbers.ts";
import { nextStepLine, nextSteps } from "./next-steps.ts";
import { type DetailLevel, currentItemText, BRIEF_DETAIL, FULL_DETAIL } from "./handoff-lines.ts";
import { wrapColumns, DEFAULT_WIDTH, fitLine, line, toned, wrapLine, type Line, shortenToFit } from "../line.ts";
import { castStatus, type CastLiveness, castFigures, workTime } from "../../cast/summary.ts";
import { initialState } from "../../cast/state/initial-state.ts";
import type { SocketId } from "../../model/ids.ts";
import { advanceVisits, NO_VISITS, visitNumber, type VisitRecord } from "../../history/visits.ts";
import { changedFileNames, fileChangesText } from "../file-changes.ts";
import { eventLines } from "./event-lines.ts";
import { describeEvent } from "./event-table.ts";

const MAX_VISIT_LINES = 2_000;

/** [C52] Nobody reads a hundred thousand lines of one visit; its beginning and its end say what happened. */
function withoutMiddle(lines: readonly Line[]): readonly Line[] {
  if (lines.length <= MAX_VISIT_LINES) return lines;
  const left = `… ${amountText(lines.length - MAX_VISIT_LINES)} lines left out; --json has all events`;
  const half = MAX_VISIT_LINES / 2;
  return [...lines.slice(0, half), line(INDENT, toned("dim", left)), ...lines.slice(-half)];
}

/** Further lines for below the head of a visit. */
export type VisitNotes = (visit: { readonly socket: SocketId; readonly visit: number }) => readonly Line[];

/** Writes the story step by step. The lines of a visit come when it ends, because its head says how long it took. */
export function createStoryWriter(
  start: CastState,
  width = DEFAULT_WIDTH,
  extent: DetailLevel = BRIEF_DETAIL,
  aside: VisitNotes = () => [],
) {
  let state = start;
  let clock = UNSTARTED_CLOCK;
  let worked = clock;
  let visits = NO_VISITS;
  let open: OpenVisit | null = null;
  const close = (usage: Usage | null): readonly Line[] => {
    const visit = open;
    open = null;
    if (!visit) return [];
    const head = visitHeadingLine(visit, { usage, ms: workedMsSince(clock, visit.since), width });
    return [[], head, ...aside(visit.record).map((each) => line(INDENT, ...each)), ...withoutMiddle(visit.lines)];
  };
  const advance = ({ event, before, after }: CastStep): void => {
    state = after;
    visits = advanceVisits(visits, event);
    clock = advanceClock(clock, before, event);
  };
  const write = (step: CastStep): readonly Line[] => {
    const { event, before } = step;
    advance(step);
    const idleMs = clock.idleMs - worked.idleMs;
    // Raising a limit does not resume a stopped cast: the time until the resume is idle too.
    if (event.type !== "limits_raised") worked = clock;
    if (visits.visit?.firstSeq === event.seq) {
      open = { record: visits.visit, item: currentItemText(before, 200), since: clock, lines: [] };
      return [];
    }
    if (event.type === "visit_completed") {
      const files = fileLines(event, extent).map((each) => line(INDENT, ...each));
      return open ? [...close(event.usage), ...files] : [visitCompletedLine(event), ...files];
    }
    const wholeCast = castEventLines(step, width, idleMs);
    if (wholeCast) return [...close(null), ...wholeCast];
    const indented = (detail: DetailLevel): readonly Line[] =>
      eventLines(before, event, width - INDENT.length, detail).map((each) => line(INDENT, ...each));
    if (!open) return indented(event.type === "cast_waiting" ? FULL_DETAIL : extent);
    if (event.type === "cast_waiting") open.asked = { after: open.lines.length, whole: indented(FULL_DETAIL) };
    appendAll(open.lines, indented(extent));
    return [];
  };
  const fitted = (lines: readonly Line[]): readonly Line[] => lines.map((each) => fitLine(each, width));
  return {
    write: (step: CastStep): readonly Line[] => fitted(write(step)),
    skip: (step: CastStep): void => {
      advance(step);
      [worked, open] = [clock, null];
    },
    flush: (): readonly Line[] => {
      // [Q14] A person who has not answered needs the whole question.
      if (open?.asked && state.phase.kind === "waiting")
        open.lines.splice(open.asked.after, Infinity, ...open.asked.whole);
      return fitted(close(null));
    },
    current: () => ({ state, clock }),
  };
}

const INDENT = "    ";

interface VisitHead {
  readonly record: VisitRecord;
  /** `item 2 of 3: Parse the flags`; empty outside loops. */
  readonly item: string;
}

interface OpenVisit extends VisitHead {
  readonly since: WorkClock;
  readonly lines: Line[];
  /** The question to a person, and after which lines it follows. */
  asked?: { readonly after: number; readonly whole: readonly Line[] };
}

/** Lines for events of the whole cast; nothing for events of a visit. */
function castEventLines({ before, event }: CastStep, width: number, idleMs: number): readonly Line[] | undefined {
  const { type } = event;
  const isStopped = before.phase.kind === "ended";
  if (type === "loop_entered" || type === "cast_ended" || (type === "limits_raised" && isStopped))
    return [[], ...eventLines(before, event, width)];
  if (type !== "cast_resumed") return undefined;
  const after = idleMs >= 1000 ? ` after ${ageText(idleMs)}` : "";
  const { tone, words, quote = "" } = describeEvent(before, event);
  return [...(isStopped ? [] : [[]]), line(toned(tone, `${words}${after}${quote}`))];
}

export function visitHeadingLine(
  { record, item }: VisitHead,
  { usage, ms, width }: { readonly usage: Usage | null; readonly ms: number; readonly width: number },
): Line {
  const talk = conversationText(record.conversation);
  const before = line(
    `${String(visitNumber(record)).padStart(2)}  `,
    toned("strong", visitLabel(record.socket, record.materia)),
    record.visit > 1 ? ` visit ${record.visit}` : "",
    toned("dim", talk === "" ? "" : ` · ${talk}`),
    toned("dim", `  ${durationText(ms)}${usage ? usageText(usage) : "  not completed"}`),
  );
  if (item === "") return before;
  return shortenToFit({ before: line(...before, "  "), long: toned("dim", item), after: [] }, width);
}

/** The end of a visit whose lines came earlier, when the cast stopped in it. */
function visitCompletedLine({ socket, visit, usage }: EventOf<"visit_completed">): Line {
  return line(INDENT, `visit ${visit} of ${socket} completed${usageText(usage)}`);
}

/** [Y7] The files that the visit changed; their names only in full detail. */
export function fileLines({ files }: EventOf<"visit_completed">, extent: DetailLevel): readonly Line[] {
  const changed = fileChangesText(files);
  if (changed === undefined) return [];
  const names = extent === FULL_DETAIL ? changedFileNames(files).map((name) => `  ${name}`) : [];
  return [changed, ...names].map((text) => line(toned("dim", text)));
}

/** Empty for a utility, which uses no tokens. */
function usageText(usage: Usage): string {
  return totalTokens(usage) === 0 ? "" : `  ${amountText(totalTokens(usage))} tokens`;
}

export interface StoryOptions {
  /** [C52] The events of one page, by `seq`; all of them if unset. */
  readonly shown?: { readonly from: number; readonly to: number };
  readonly width?: number;
  /** Whether a process runs the cast, and the current time, which its duration needs. */
  readonly alive?: CastLiveness;
  readonly now?: number;
  /** The word before a command: `materia`, or `/materia` in Pi. */
  readonly program?: string;
  readonly lineage?: CastOrigin;
  /** How much of each text to show. */
  readonly extent?: DetailLevel;
  readonly aside?: VisitNotes;
  /** The models, if known. */
  readonly models?: string;
}

/** The targets of a linked cast, and the cast that it continues. */
export interface CastOrigin {
  readonly targets: readonly string[];
  readonly fromCastId: string | null;
}

/** [C15] The story of a cast: head, visits in order, its end, and the next commands. */
export function storyLines(start: CastStart, events: Iterable<CastEvent>, options: StoryOptions = {}): readonly Line[] {
  const { width = DEFAULT_WIDTH, alive = false, program = "materia", lineage, now = 0 } = options;
  const first = initialState(start);
  const writer = createStoryWriter(first, width, options.extent, options.aside);
  const body: Line[] = [];
  const { from, to } = options.shown ?? { from: 0, to: Infinity };
  for (const step of replaySteps(first, events)) {
    const { seq } = step.event;
    if (seq === to + 1) appendAll(body, writer.flush());
    if (seq >= from && seq <= to) appendAll(body, writer.write(step));
    else writer.skip(step);
  }
  appendAll(body, writer.flush());
  const { state, clock } = writer.current();
  const status = castStatus(state, alive);
  const figures = `${workTimeText(workTime(clock, { status, now }))} · ${figuresText(castFigures(totalsOf(state)))}`;
  const texts = [
    oneLine(originText(state.graph.name, lineage), 3 * width),
    `Request: ${oneLine(state.request, 3 * width)}`,
    ...(options.models === undefined ? [] : [`Model: ${oneLine(options.models, 3 * width)}`]),
  ];
  return [
    line(toned("strong", `Cast ${state.castId}`), "  ", statusSpan(status)),
    ...wrapLine(figuresLine(figures, state.rehearsed), width),
    ...texts.flatMap((text) => wrapColumns(text, width)).map((text) => line(text)),
    ...body,
    ...(state.phase.kind === "ended" ? [] : [[], line(statusSymbol(status), ` ${statusText(status)}`)]),
    ...nextSteps(state, status, program).flatMap((step) =>
      wrapLine(line("  ", ...nextStepLine(step, width - 2)), width),
    ),
  ].map((each) => fitLine(each, width));
}

/** `Full-Auto`, or `linked: Context-Check → Build, continued from …`. */
export function originText(
  loadout: string,
  { targets, fromCastId }: CastOrigin = { targets: [], fromCastId: null },
): string {
  const chain = targets.length > 1 ? `linked: ${targets.map(nameText).join(" → ")}` : nameText(loadout);
  return fromCastId === null ? chain : `${chain}, continued from ${nameText(fromCastId)}`;
}
