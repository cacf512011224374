import type { CastEvent, EventOf } from "../../cast/state/event.ts";
import type { CastState } from "../../cast/state/state.ts";
import type { CastStep } from "../../cast/cast-step.ts";
import { totalTokens, type Usage } from "../../cast/state/usage.ts";
import type { SocketId } from "../../model/ids.ts";
import { statusSymbol, statusText } from "../cast-list.ts";
import { nameText, visitLabel } from "../graph/labels.ts";
import { UNSTARTED_CLOCK, advanceClock, workedMsSince, type WorkClock } from "../../cast/timeline.ts";
import { ageText, amountText, durationText } from "../numbers.ts";
import { DEFAULT_WIDTH, fitLine, line, squeezeLine, toned, type Line } from "../line.ts";
import { changedFileNames, fileChangesText, changedMeanwhileText } from "../file-changes.ts";
import { eventLines, currentItemText, noteLines } from "./event-lines.ts";
import { BRIEF_DETAIL, FULL_DETAIL, type DetailLevel } from "./handoff-lines.ts";

/** Tells steps as they come. A visit is told when it is over, because its head says how long it took. */
interface StoryWriter {
  readonly write: (step: CastStep) => readonly Line[];
  /** What is still held back of the visit in hand. */
  readonly flush: () => readonly Line[];
  readonly current: () => { readonly state: CastState; readonly clock: WorkClock };
}

/** What else is known of a visit, for below its head. */
export type VisitNotes = (visit: { readonly socket: SocketId; readonly visit: number }) => readonly Line[];

export function createStoryWriter(
  start: CastState,
  width = DEFAULT_WIDTH,
  extent: DetailLevel = BRIEF_DETAIL,
  aside: VisitNotes = () => [],
): StoryWriter {
  let state = start;
  let clock = UNSTARTED_CLOCK;
  let worked = clock;
  let visits = 0;
  let open: OpenVisit | null = null;
  const close = (usage: Usage | null): readonly Line[] => {
    const visit = open;
    open = null;
    if (!visit) return [];
    const head = visitHeadLine(visit, { usage, ms: workedMsSince(clock, visit.since), width });
    const known = aside(visit.event).map((each) => line(INDENT, ...each));
    return [[], head, ...known, ...visit.lines];
  };
  const tell = ({ event, before, after }: CastStep): readonly Line[] => {
    state = after;
    clock = advanceClock(clock, before, event);
    const idleMs = clock.idleMs - worked.idleMs;
    // Raising a limit of a stopped cast does not set it going: it still stands idle.
    if (event.type !== "limits_raised") worked = clock;
    if (event.type === "visit_started") {
      visits += 1;
      open = { event, number: visits, item: currentItemText(before, 200), since: clock, lines: [] };
      return [];
    }
    if (event.type === "visit_completed") {
      const files = fileLines(event, extent);
      return open ? [...close(event.usage), ...files] : [visitCompletedLine(event), ...files];
    }
    const wholeCast = castEventLines(before, event, { width, idleMs });
    if (wholeCast) return [...close(null), ...wholeCast];
    const told = (much: DetailLevel): readonly Line[] =>
      eventLines(before, event, width - INDENT.length, much).map((each) => line(INDENT, ...each));
    if (!open) return told(event.type === "cast_waiting" ? FULL_DETAIL : extent);
    if (event.type === "cast_waiting") open.asked = { after: open.lines.length, whole: told(FULL_DETAIL) };
    open.lines.push(...told(extent));
    return [];
  };
  const fitted = (lines: readonly Line[]): readonly Line[] => lines.map((each) => fitLine(each, width));
  return {
    write: (step) => fitted(tell(step)),
    flush: () => {
      // [Q14] Who has not answered yet needs all that they are asked.
      if (open?.asked && state.phase.kind === "waiting")
        open.lines.splice(open.asked.after, Infinity, ...open.asked.whole);
      return fitted(close(null));
    },
    current: () => ({ state, clock }),
  };
}

const INDENT = "    ";

interface OpenVisit {
  readonly event: EventOf<"visit_started">;
  /** Among all visits of the cast. */
  readonly number: number;
  readonly item: string;
  readonly since: WorkClock;
  readonly lines: Line[];
  /** The question to a person, and behind which lines it stands. */
  asked?: { readonly after: number; readonly whole: readonly Line[] };
}

/** What happens to the cast as a whole, not in a visit. */
function castEventLines(
  before: CastState,
  event: CastEvent,
  { width, idleMs }: { readonly width: number; readonly idleMs: number },
): readonly Line[] | undefined {
  const stopped = before.phase.kind === "ended";
  if (event.type === "loop_entered") return [[], ...eventLines(before, event, width)];
  if (event.type === "limits_raised" && stopped) return [[], ...eventLines(before, event, width)];
  if (event.type === "cast_resumed") {
    const after = idleMs >= 1000 ? ` after ${ageText(idleMs)}` : "";
    return [
      ...(stopped ? [] : [[]]),
      line(toned("accent", `resumed by ${nameText(event.by)}${after}${changedMeanwhileText(event)}`)),
    ];
  }
  return event.type === "cast_ended" ? [[], ...endLines(event, width)] : undefined;
}

export function visitHeadLine(
  { event, number, item }: Pick<OpenVisit, "event" | "number" | "item">,
  { usage, ms, width }: { readonly usage: Usage | null; readonly ms: number; readonly width: number },
): Line {
  const before = line(
    `${String(number).padStart(2)}  `,
    toned("strong", visitLabel(event.socket, event.materia)),
    event.visit > 1 ? ` visit ${event.visit}` : "",
    toned("dim", `  ${durationText(ms)}${usage ? usageText(usage) : "  not completed"}`),
  );
  return item === ""
    ? before
    : squeezeLine({ before: line(...before, "  "), long: toned("dim", item), after: [] }, width);
}

/** The visit was told before, when the cast stopped in it. */
function visitCompletedLine({ socket, visit, usage }: EventOf<"visit_completed">): Line {
  return line(INDENT, `visit ${visit} of ${socket} completed${usageText(usage)}`);
}

/** [Y7] What the visit made of the files; by name where all is told. */
function fileLines({ files }: EventOf<"visit_completed">, extent: DetailLevel): readonly Line[] {
  const changed = fileChangesText(files);
  if (changed === undefined) return [];
  const names = extent === FULL_DETAIL ? changedFileNames(files).map((name) => `  ${name}`) : [];
  return [changed, ...names].map((text) => line(INDENT, toned("dim", text)));
}

/** A utility has no tokens to speak of. */
function usageText(usage: Usage): string {
  return totalTokens(usage) === 0 ? "" : `  ${amountText(totalTokens(usage))} tokens`;
}

function endLines({ outcome, reason }: EventOf<"cast_ended">, width: number): readonly Line[] {
  const { text, tone = "plain" } = statusSymbol(outcome);
  return noteLines(tone, `${text} ${statusText(outcome)}${reason.trim() === "" ? "" : ": "}`, reason, width);
}
