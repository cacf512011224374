import { eventText } from "../report/event-lines.ts";
import type { LimitName } from "../../cast/state/event.ts";
import type { ParallelRun } from "../../cast/state/parallel-run.ts";
import type { CastPhase } from "../../cast/state/state.ts";
import { currentItem } from "../../cast/state/current-item.ts";
import { countOf } from "../../cast/state/persistent-map.ts";
import { NO_USAGE, addUsage, totalsOf, type Usage } from "../../cast/state/usage.ts";
import { socketOf } from "../../compile/graph.ts";
import type { SocketId } from "../../model/ids.ts";
import { oneLine, countedText, parseMillis, withoutCutMarks } from "../../model/text.ts";
import { statusSpan, statusSymbol } from "../cast-list.ts";
import { nameText, visitLabel } from "../graph/labels.ts";
import { itemProgressLine, type ItemProgress } from "./item-progress.ts";
import { workedMsSince, type CastTimeline } from "../../cast/timeline.ts";
import { figuresLine, figuresText, ageText, durationText, doneCountText, sleepText, workTimeText } from "../numbers.ts";
import { pathLine, castPath, currentSocket, type CastPath } from "./cast-path.ts";
import { originText, type CastOrigin } from "../report/story.ts";
import { FULL_DETAIL, textLines, titleText } from "../report/handoff-lines.ts";
import { nextStepLine, nextSteps, type NextStep } from "../report/next-steps.ts";
import {
  wrapColumns,
  DEFAULT_WIDTH,
  fitLine,
  line,
  lineColumns,
  shortenToFit,
  toned,
  wrapLine,
  type Line,
} from "../line.ts";
import {
  castStatus,
  type CastLiveness,
  type CastStatus,
  castFigures,
  type CastFigures,
  workTime,
  type WorkTime,
} from "../../cast/summary.ts";

/** [C14] The current status of a cast. */
export interface CastBoard extends CastFigures, WorkTime {
  readonly castId: string;
  readonly status: CastStatus;
  /** The loadout, or the chain of targets and the cast it continues. */
  readonly loadout: string;
  readonly request: string;
  readonly position: {
    readonly socket: SocketId;
    readonly materia: string;
    readonly visit: number;
    readonly ms: number;
    /** [V15] The number of running item casts, during a parallel loop. */
    readonly atWork?: { readonly loop: string; readonly count: number };
  } | null;
  readonly item: { readonly number: number; readonly of: number; readonly title: string } | null;
  /** The current or last list; null before the first list. */
  readonly walk: ItemProgress | null;
  readonly rehearsed?: true;
  readonly last: { readonly text: string; readonly ageMs: number } | null;
  /** Why it ended, and the limit that stopped it. */
  readonly reason: string | null;
  readonly limit: LimitName | null;
  /** [Z11] Set while the cast sleeps or is paused; its text: `anthropic limit, resets 03:00 (2 h 13 min)`. */
  readonly asleep: (Pick<SleepingPhase, "until" | "provider" | "model" | "reason"> & { readonly text: string }) | null;
  /** The question to a person, while the cast waits for the answer. */
  readonly question: string | null;
  readonly path: CastPath;
  readonly next: readonly NextStep[];
}

type SleepingPhase = Extract<CastPhase, { kind: "sleeping" }>;

export interface BoardOptions {
  readonly now: number;
  readonly alive?: CastLiveness;
  /** The usage of the current turn, which the journal counts at its end. */
  readonly used?: Usage;
  readonly program?: string;
  readonly lineage?: CastOrigin;
}

export function castBoard(timeline: CastTimeline, options: BoardOptions): CastBoard {
  const { now, alive = true, program = "materia", lineage, used = NO_USAGE } = options;
  const { state, clock } = timeline;
  const usage = addUsage(state.usage, used);
  const status = castStatus(state, alive);
  // Time passes only for a running cast.
  const until = status === "running" ? now : parseMillis(clock.lastAt, now);
  const { castId, request, phase } = state;
  const ended = phase.kind === "ended" ? phase : null;
  return {
    castId,
    status,
    loadout: originText(state.graph.name, lineage),
    request,
    position: positionOf(timeline, until),
    item: currentItemOf(timeline),
    walk: itemProgressOf(timeline, status),
    ...castFigures(totalsOf({ done: state.done, usage })),
    ...(state.rehearsed ? { rehearsed: true } : {}),
    ...workTime(clock, { status, now }),
    last: lastEventOf(timeline, now),
    reason: ended && withoutCutMarks(ended.reason),
    limit: ended?.limit?.limit ?? null,
    asleep: sleepOf(phase, now),
    question: phase.kind === "waiting" ? phase.reply : null,
    path: castPath(state, timeline.order),
    next: nextSteps(state, status, program),
  };
}

function sleepOf(phase: CastPhase, now: number): CastBoard["asleep"] {
  if (phase.kind !== "sleeping") return null;
  const { until, provider, model, reason } = phase;
  return { until, provider, model, reason, text: sleepText(phase, now) };
}

function lastEventOf({ last }: CastTimeline, now: number): CastBoard["last"] {
  const words = last && eventText(last.before, last.event);
  return words ? { text: words.text, ageMs: Math.max(0, now - parseMillis(last.event.at, now)) } : null;
}

function positionOf({ state, clock, visitSince }: CastTimeline, until: number): CastBoard["position"] {
  const socket = currentSocket(state.phase);
  if (socket === null) return null;
  const fork = activeForkOf(state.phase);
  const { materia } = socketOf(state.graph, socket);
  // During a parallel loop only item casts have visits.
  if (fork) return { socket, materia, visit: 0, ms: 0, atWork: { loop: fork.loop, count: fork.running.length } };
  const begun = state.phase.kind === "arriving" ? 1 : 0;
  const ms = begun === 1 ? 0 : workedMsSince(clock, visitSince, until);
  return { socket, materia, visit: countOf(state.visits, socket) + begun, ms };
}

/** The parallel run of a cast, also after it stopped in one. */
function activeForkOf(phase: CastPhase): ParallelRun | null {
  if (phase.kind === "failing" || phase.kind === "ended") return activeForkOf(phase.before);
  return phase.kind === "forked" ? phase.fork : null;
}

/** `visit 3 · 0:12`, or the number of running items. */
export function positionText({ visit, ms, atWork }: NonNullable<CastBoard["position"]>): string {
  if (!atWork) return `visit ${visit} · ${durationText(ms)}`;
  return atWork.count === 0 ? "no item at work" : `${countedText(atWork.count, "item")} at work`;
}

/** `Build`, or the parallel loop. */
export function positionName({ materia, atWork }: NonNullable<CastBoard["position"]>): string {
  return atWork ? `Loop ${nameText(atWork.loop)}` : materia;
}

function currentItemOf({ state }: CastTimeline): CastBoard["item"] {
  const item = activeForkOf(state.phase) ? undefined : currentItem(state);
  return item && state.pass ? { number: state.pass.cursor + 1, of: state.pass.items.length, title: item.title } : null;
}

function itemProgressOf({ state, walk }: CastTimeline, status: CastStatus): ItemProgress | null {
  if (!walk) return null;
  const { loop: _loop, ...progress } = walk;
  return state.pass ? { ...progress, current: status === "failed" ? "failed" : "current" } : progress;
}

/** The board as a few lines, for `status`, live progress and Pi. */
export function boardLines(board: CastBoard, width = DEFAULT_WIDTH): readonly Line[] {
  const { status, asleep, question } = board;
  const lines = [
    ...headLines(board, width),
    line(oneLine(board.request, 400)),
    pathLine(board.path, status, width),
    ...itemProgressLines(board, width),
    ...positionLines(board),
    ...(asleep ? [line(toned("wait", `${asleep.text} · nothing lost`))] : []),
    ...endLines(board, width),
    ...(question === null ? [] : textLines(question, question.length, width, FULL_DETAIL)),
  ];
  const steps = board.next.flatMap((step) => wrapLine(nextStepLine(step, width), width));
  return [...lines.map((each) => fitLine(each, width)), ...steps];
}

/** Without items: the board shows them on the line of the list. */
const NO_ITEM_COUNTS = { done: 0, total: 0 };

function headLines(board: CastBoard, width: number): readonly Line[] {
  const figures = `${workTimeText(board)} · ${figuresText({ ...board, items: NO_ITEM_COUNTS })}`;
  const before = line(statusSpan(board.status), "  ");
  const after = line(toned("dim", `  ${board.castId}`));
  const whole = line(...before, toned("strong", board.loadout), ...after);
  // The origin of a linked cast is long and needs separate lines.
  const head =
    lineColumns(whole) <= width
      ? [whole]
      : [
          line(...before, toned("dim", board.castId)),
          ...wrapColumns(board.loadout, width).map((text) => line(toned("strong", text))),
        ];
  // A redrawn board keeps its number of rows, so the mark of a rehearsal always has its row.
  const figuresRow = figuresLine(figures, board.rehearsed);
  return [...head, ...(board.rehearsed ? wrapLine(figuresRow, width) : [figuresRow])];
}

function itemProgressLines({ walk, item, items }: CastBoard, width: number): readonly Line[] {
  if (!walk) return [];
  const inAll = items.total === walk.size ? "" : ` (${doneCountText(items)} in all)`;
  const before = line(...itemProgressLine(walk), toned("dim", inAll));
  if (!item) return [before];
  const named = line(...before, `  item ${item.number} of ${item.of}: `);
  return [shortenToFit({ before: named, long: toned("strong", titleText(item.title, 400)), after: [] }, width)];
}

function positionLines({ position, status }: CastBoard): readonly Line[] {
  if (!position || status === "completed") return [];
  const waits = status === "waiting" ? toned("wait", "  waiting for you") : "";
  const name = position.atWork ? positionName(position) : visitLabel(position.socket, position.materia);
  return [line(name, toned("dim", `  ${positionText(position)}`), waits)];
}

function endLines({ reason, status, last }: CastBoard, width: number): readonly Line[] {
  const { tone = "plain" } = statusSymbol(status);
  if (reason !== null) return wrapColumns(oneLine(reason, 400), width).map((text) => line(toned(tone, text)));
  return last ? [line(toned("dim", `${ageText(last.ageMs)} ago: `), oneLine(last.text, 400))] : [];
}
