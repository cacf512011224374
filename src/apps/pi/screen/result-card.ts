import { replaySteps, type CastStep } from "../../../core/cast/timeline.ts";
import { initialState } from "../../../core/cast/state/initial-state.ts";
import { castBoard } from "../../../core/view/progress/board.ts";
import { castStartOf } from "../../../shell/store/cast-file.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { COMMAND_PREFIX } from "../session/project.ts";
import { addUsage, NO_USAGE, totalsOf, type Usage } from "../../../core/cast/state/usage.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { quoteWord } from "../../../core/command/split-words.ts";
import { truncate, sanitizeForTerminal, oneLine, countedText } from "../../../core/model/text.ts";
import { statusSymbol, statusText } from "../../../core/view/cast-list.ts";
import { durationText, figuresText } from "../../../core/view/numbers.ts";
import {
  incompleteReason,
  lastReply,
  resultSteps,
  stepLines,
  stoppedHeadLine,
} from "../../../core/view/report/next-steps.ts";
import { columnsOf, cutColumns, line, plainText, toned, wrapLine, type Line } from "../../../core/view/line.ts";
import type { RunOutcome } from "../../../shell/context/run-context.ts";
import { markdownLine, type Card, type CardLine } from "./card.ts";
import { replyMarkdown } from "./visit-cards.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { modelText } from "../../../core/view/report/visit-detail.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import { castStatus, castFigures, hasResult } from "../../../core/cast/summary.ts";

/** The result of a cast: for the person, for the conversation, and as plain text. */
export interface CastResult {
  readonly card: Card;
  /** The text for the user's conversation. */
  readonly conversationText: string;
  readonly plainText: string;
  readonly lines: readonly Line[];
  readonly castId: string;
}

const WIDTH = 100;
const PREVIEW_ROWS = 12;
const MAX_REPLY_LENGTH = 1_500;

export interface ResultContext {
  readonly runDir: string;
  /** The project of the cast, if it is not Pi's folder: commands must name it. */
  readonly elsewhere?: string | undefined;
  /** [B30] The fleet that it ran on: commands must name it. */
  readonly on?: string | undefined;
  readonly items?: readonly ItemLog[];
  readonly workedMs?: number;
  /** The last report about the work, for a cast that ends with a judge. */
  readonly report?: string;
  readonly models?: readonly string[];
  readonly command?: string;
  readonly change?: string | undefined;
  /** [X38, X56] Whether a bare `continue` asks before it answers. */
  readonly asks?: boolean;
  /** Usage of an interrupted turn; the journal counts it when the cast is resumed. */
  readonly used?: Usage;
}

export type ObservedResult = Pick<ResultContext, "items" | "report" | "workedMs" | "models" | "command">;

/** [X11] */
export function castResultOf(end: RunOutcome, context: ResultContext): CastResult {
  const { runDir, elsewhere, on, workedMs, command, change, asks = false } = context;
  const { items = [], models = [], report = "", used = NO_USAGE } = context;
  const state = { ...end.state, usage: addUsage(end.state.usage, used) };
  const status = castStatus(state, false);
  const head = stoppedHeadLine(state, status, 60);
  const reason = end.kind === "broken" ? end.problem : incompleteReason(state);
  const reply = finalReply(state, items, report);
  const isReasonInReply = oneLine(reply, 10_000).includes(oneLine(reason, 10_000));
  const why = isReasonInReply ? [] : [line(toned(statusSymbol(status).tone ?? "plain", oneLine(reason, 600)))];
  const steps = resultSteps(state, status, { program: COMMAND_PREFIX, typed: command });
  const folder = elsewhere === undefined ? "" : ` --cwd ${quoteWord(elsewhere)}`;
  const place = `${folder}${on === undefined ? "" : ` --on ${quoteWord(on)}`}`;
  const here = steps.map(({ command: each, does }) => {
    const command = each.replace(/^\/materia \w+/, (start) => `${start}${place}`);
    return { command, does: asks && each.endsWith(`continue ${state.castId}`) ? "see it again and decide" : does };
  });
  const commands = stepLines(here);
  const foot = [line(toned("dim", `Files: ${runDir}`)), ...commands];
  const request = line(toned("dim", "Request: "), oneLine(state.request, 300));
  const time = workedMs === undefined ? "" : `${durationText(workedMs)} · `;
  const by = models.length === 0 ? "" : ` · ${models.map(modelText).join(", ")}`;
  const figures = `${time}${figuresText(castFigures(totalsOf(state)))}${by}`;
  const changed = change === undefined ? [] : [line(toned("dim", `changed ${change}`))];
  const top = [head, request, line(toned("dim", figures)), ...changed, ...why];
  const lines = [...top, ...withBlankLines(reply === "" ? [] : textLines(reply)), ...foot];
  const shown = (text: string): readonly CardLine[] => withBlankLines(text === "" ? [] : [markdownLine(text)]);
  const drawn = end.kind === "waiting" && !askedPersonMateria(state) ? replyMarkdown(reply) : reply;
  return {
    card: {
      id: `${state.castId}/end ${state.seq}`,
      lines: [...top, ...shown(previewOf(drawn)), ...commands],
      opened: [...top, ...shown(drawn), ...foot],
      wraps: true,
    },
    lines,
    conversationText: conversationTextOf(state, reason, reply, runDir),
    castId: state.castId,
    plainText: plainText(lines.flatMap((each) => wrapLine(each, WIDTH))),
  };
}

/** The last words, and before those of a judge the report that it judged; for a cast that ends in a list all its items. */
function finalReply(state: CastState, items: readonly ItemLog[], report: string): string {
  const { handed, graph } = state;
  const isDone = hasResult(state);
  const endsInList = handed !== null && handed.item !== null && socketOf(graph, handed.socket).loop !== null;
  if (isDone && endsInList && items.length > 0) return itemLogsText(items);
  const last = lastReply(state);
  if (!isDone || state.satisfied === undefined || report.trim() === "" || report.trim() === last) return last;
  return [report.trim(), last === "" ? "" : `${handed?.materia ?? "Judge"}: ${last}`].join("\n\n").trim();
}

export function textLines(text: string): readonly Line[] {
  return sanitizeForTerminal(text)
    .split("\n")
    .map((each) => line(each));
}

function withBlankLines<T extends CardLine>(text: readonly T[]): readonly (T | Line)[] {
  return text.length === 0 ? [[]] : [[], ...text, []];
}

/** The first lines; a long line counts as the rows that it takes, and is cut if it takes too many. */
function previewOf(text: string): string {
  const lines = text.split("\n");
  const shown: string[] = [];
  let rows = PREVIEW_ROWS;
  for (const each of lines) {
    if (rows <= 0) break;
    shown.push(cutColumns(each, rows * WIDTH));
    rows -= Math.max(1, Math.ceil(columnsOf(each) / WIDTH));
  }
  const more = lines.length - shown.length;
  return more === 0 ? shown.join("\n") : [...shown, "", `… ${countedText(more, "more line")}`].join("\n");
}

/** [X12] Keep it short: every later request of the user carries it. */
function conversationTextOf(state: CastState, reason: string, said: string, runDir: string): string {
  const head = `A materia cast ${statusText(castStatus(state, false))}: ${oneLine(state.graph.name, 100)}`;
  return [
    `${head} (${state.castId}), ${figuresText(castFigures(totalsOf(state)))}.`,
    `Request: ${oneLine(state.request, 300)}`,
    ...(reason === "" ? [] : [`Reason: ${oneLine(reason, 600)}`]),
    ...(said === "" ? [] : [`Result: ${truncate(sanitizeForTerminal(said), MAX_REPLY_LENGTH)}`]),
    `Files: ${runDir}`,
  ].join("\n");
}

export interface ItemLog {
  readonly title: string;
  readonly how: "done" | "given_up";
  /** The last words of the builder; a judge's words are left out. */
  readonly said: string;
}

/** [X11] Collects the items of a cast as they end. */
export function createItemLogs() {
  let logs = new Map<number, ItemLog>();
  const titles = new Map<number, string>();
  const itemWork = new Map<string, string>();
  const models = new Set<string>();
  let said = "";
  let report = "";
  return {
    result: () => ({
      items: [...logs].toSorted(([a], [b]) => a - b).map(([, log]) => log),
      report,
      models: [...models],
    }),
    followItem: ({ event, after: { castId } }: CastStep) => {
      addModel(models, event);
      itemWork.set(castId, workText(event) ?? itemWork.get(castId) ?? "");
    },
    follow: ({ event, before }: CastStep) => {
      addModel(models, event);
      if (event.type === "loop_entered") [logs, said] = [new Map(), ""];
      said = workText(event) ?? said;
      report = workText(event) ?? report;
      if (event.type === "item_started") titles.set(event.index, event.title);
      if (event.type === "item_ended" && event.advanced !== null) {
        const { index, child, gaveUp, handed } = event;
        const how = gaveUp === undefined ? "done" : "given_up";
        logs.set(index, { title: titles.get(index) ?? "", how, said: itemWork.get(child) || (handed?.text ?? "") });
      }
      if (event.type !== "cursor_advanced" || before.pass === null) return;
      const { cursor, items } = before.pass;
      const gaveUp = before.phase.kind === "leaving" && before.phase.gaveUp;
      logs.set(cursor, { title: items[cursor]?.title ?? "", how: gaveUp ? "given_up" : "done", said });
      said = "";
    },
  };
}

export function storedResult({ file, events, timeline }: LoadedCast): ObservedResult {
  const logs = createItemLogs();
  for (const step of replaySteps(initialState(castStartOf(file)), events)) logs.follow(step);
  const { elapsedMs } = castBoard(timeline, { now: Date.now(), program: COMMAND_PREFIX });
  return { ...logs.result(), command: file.command, workedMs: elapsedMs };
}

function addModel(models: Set<string>, event: CastEvent): void {
  if ("model" in event && typeof event.model === "string") models.add(event.model);
}

/** A text about the work; a bare satisfied says nothing about it. */
function workText(event: CastEvent): string | undefined {
  if (event.type === "output_accepted") return event.text;
  if (event.type !== "handoff_accepted" || typeof event.handoff["satisfied"] === "boolean") return undefined;
  const { context } = event.handoff;
  return typeof context === "string" && context.trim() !== "" ? context : undefined;
}

const ITEM_MARKS = { done: "✓", given_up: "✗ given up:" } as const;

/** As a Markdown list, which is readable as plain text, too. */
function itemLogsText(logs: readonly ItemLog[]): string {
  return logs
    .map(({ title, how, said }, at) => {
      const words = oneLine(said.trim(), 200);
      return `${at + 1}. ${ITEM_MARKS[how]} **${titleText(title, 120)}**${words === "" ? "" : `: ${words}`}`;
    })
    .join("\n");
}
