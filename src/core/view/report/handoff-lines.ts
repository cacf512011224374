import type { EventOf } from "../../cast/state/event.ts";
import { HANDOFF_FIELDS, isWorkItem, itemKey } from "../../model/handoff.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../model/text.ts";
import { amountText } from "../numbers.ts";
import { wrapColumns, line, toned, type Line, type Span, type Tone } from "../line.ts";
import type { CastState } from "../../cast/state/state.ts";
import { currentItem } from "../../cast/state/current-item.ts";
import { nameText } from "../graph/labels.ts";
import type { EventReport } from "./event-table.ts";

export interface DetailLevel {
  readonly titles: number;
  readonly lines: number;
  /** Characters to read of a text: a huge text must not slow the story down. */
  readonly read: number;
}

export const BRIEF_DETAIL: DetailLevel = { titles: 5, lines: 3, read: 2_000 };
export const FULL_DETAIL: DetailLevel = { titles: Infinity, lines: Infinity, read: Infinity };

/** The fields of a handoff, and where it departed from the contract. */
export function handoffLines(
  event: EventOf<"handoff_accepted">,
  width: number,
  extent: DetailLevel = BRIEF_DETAIL,
): readonly Line[] {
  const { handoff } = event;
  return [
    ...(event.approved ? [line(toned("dim", "handed on unchanged"))] : []),
    ...workItemLines(handoff["workItems"], width, extent),
    ...satisfiedLines(handoff["satisfied"]),
    ...quoteLines(contextOf(event), width, extent),
    ...extraFieldLines(handoff),
    ...contractLines(event, width),
  ];
}

/** The words of a handoff, or the beginning of a reply without any. */
export function contextOf({ handoff: { context }, excerpt = "" }: EventOf<"handoff_accepted">): string {
  return typeof context === "string" && context.trim() !== "" ? context : excerpt;
}

/** [Q2] The result of a command: its first line names the command; after a failure its last lines say why. */
export function commandResultLines({ handoff }: EventOf<"handoff_accepted">, width: number): readonly Line[] {
  const { context, satisfied } = handoff;
  const printed = filledLines(typeof context === "string" ? context : "");
  return [...satisfiedLines(satisfied), ...headAndTailLines(printed, [1, satisfied === true ? 0 : 7], width)];
}

function filledLines(text: string): readonly string[] {
  return sanitizeForTerminal(text)
    .split("\n")
    .filter((each) => each.trim() !== "");
}

/** The first and the last lines, and how many are left out between them. */
function headAndTailLines(
  lines: readonly string[],
  [first, last]: readonly [first: number, last: number],
  width: number,
): readonly Line[] {
  const rest = lines.slice(first);
  const more = Math.max(0, rest.length - last);
  const quoted = (each: string): Line => line(toned("dim", "│ "), oneLine(each, Math.max(10, width - 2)));
  return [
    ...lines.slice(0, first).map(quoted),
    ...(more > 0 ? [line(toned("dim", `│ … ${countedText(more, "more line")}`))] : []),
    ...rest.slice(more).map(quoted),
  ];
}

/** Our words, then as much of a quoted text as three lines hold. */
export function noteLines(tone: Tone, words: string, quote: string, width: number): readonly Line[] {
  const shown = oneLine(quote, Math.max(20, 3 * width - words.length));
  const [first = "", ...rest] = wrapColumns(`${words}${shown}`, Math.max(20, width));
  const head: readonly (string | Span)[] = first.startsWith(words)
    ? [toned(tone, words), first.slice(words.length)]
    : [toned(tone, first)];
  return [line(...head), ...rest.map((each) => line("  ", each))];
}

/** [C15] A quoted text of many lines keeps its first and last lines, and says how many are left out. */
export function longNoteLines(tone: Tone, words: string, quote: string, width: number): readonly Line[] {
  const lines = filledLines(quote);
  if (lines.length <= 1) return noteLines(tone, words, quote, width);
  return [line(toned(tone, words.trimEnd())), ...headAndTailLines(lines, [3, 5], width)];
}

function workItemLines(workItems: Json | undefined, width: number, extent: DetailLevel): readonly Line[] {
  if (!Array.isArray(workItems)) return [];
  const items: readonly Json[] = workItems;
  if (items.length === 0) return [line("handed over no work items")];
  const shown = items.slice(0, extent.titles).map((item, index) => {
    const title = isWorkItem(item) ? item.title : "";
    return line(toned("dim", `  ${index + 1}. `), titleText(title, width - 6));
  });
  const more = items.length - shown.length;
  return [
    line(`handed over ${countedText(items.length, "work item")}`),
    ...shown,
    ...(more > 0 ? [line(toned("dim", `  … and ${more} more`))] : []),
  ];
}

/** A title in one line. An invisible title gets a name, because lists must show something. */
export function titleText(title: string, limit: number): string {
  return oneLine(title, Math.max(1, limit)) || "(untitled)";
}

function satisfiedLines(satisfied: Json | undefined): readonly Line[] {
  if (typeof satisfied !== "boolean") return [];
  return [line("said: ", satisfied ? toned("ok", "satisfied") : toned("rework", "not satisfied"))];
}

/** A text in quotation marks, so that nobody takes it for words of the program. */
export function quoteLines(text: string, width: number, { lines }: DetailLevel = BRIEF_DETAIL): readonly Line[] {
  const room = Math.max(10, width - 2);
  const said = oneLine(text, room * lines - 20);
  if (said === "") return [];
  const rows = wrapColumns(`“${said}”`, room).slice(0, lines + 1);
  return rows.map((each) => line(each));
}

/** Fields beyond those of the contract. */
function extraFieldLines(handoff: JsonObject): readonly Line[] {
  const { state } = handoff;
  const set = isJsonObject(state) ? Object.keys(state).map((key) => `state.${key}`) : [];
  const own = Object.keys(handoff).filter((key) => key !== "state" && !HANDOFF_FIELDS.some((field) => field === key));
  return [...listLine("set", set), ...listLine("gave", own)];
}

function listLine(word: string, names: readonly string[]): readonly Line[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 8).map((name) => oneLine(name, 40));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  return [line(`${word} ${shown.join(", ")}${more}`)];
}

function contractLines({ found, dropped, hints = [] }: EventOf<"handoff_accepted">, width: number): readonly Line[] {
  const where = found === "fenced" ? "the object stood in a code fence" : "the object stood inside other text";
  return [
    ...(found === "exact" ? [] : [line(toned("dim", where))]),
    ...listLine("dropped", dropped).map((each) => line(...each.map(({ text }) => toned("rework", text)))),
    ...hints.slice(0, 8).map((hint) => line(toned("dim", `  ${oneLine(hint, Math.max(20, width))}`))),
  ];
}

/** The first lines of a plain text, and how much there is of it. */
export function textLines(text: string, chars: number, width: number, extent: DetailLevel): readonly Line[] {
  const lines = text
    .slice(0, extent.read)
    .split(/[\n\r\u2028\u2029]+/)
    .flatMap((each) => indentedLines(each, extent.read, width - 2));
  if (lines.length === 0) return [line(toned("dim", "no text"))];
  const shown = lines.slice(0, extent.lines).map((each) => line(each));
  const whole = lines.length <= extent.lines && text.length <= extent.read;
  return whole ? shown : [...shown, line(toned("dim", `… ${amountText(chars)} characters in all`))];
}

/** A wrapped line keeps its indent: the context of an item is indented below its title. */
function indentedLines(text: string, read: number, width: number): readonly string[] {
  const indent = " ".repeat(Math.min(/^ */.exec(text)?.[0].length ?? 0, DEEPEST_INDENT));
  return wrapColumns(oneLine(text, read), Math.max(10, width - indent.length)).map((each) => `${indent}${each}`);
}

const DEEPEST_INDENT = 8;

/** `item 2 of 3: Parse the flags`, of the current item; empty outside loops. */
export function currentItemText(state: CastState, limit: number): string {
  const item = currentItem(state);
  if (!item || !state.pass) return "";
  return `item ${state.pass.cursor + 1} of ${state.pass.items.length}: ${titleText(item.title, limit)}`;
}

/** `WI-2 of 3`: the items of a parallel loop end in any order, so reports name them by key. */
export function itemPositionText({ pass }: CastState, index: number): string {
  return `${itemKey(index)} of ${pass?.items.length ?? 0}`;
}

/** [V15] The end of a cast that worked on one item of a parallel loop. */
export function itemEndedReport(before: CastState, event: EventOf<"item_ended">): EventReport {
  const { index, outcome, reason, commit, gaveUp, worker } = event;
  const at = itemPositionText(before, index);
  const on = worker === undefined ? "" : ` on ${oneLine(worker, 80)}`;
  if (outcome === "failed" || outcome === "aborted")
    return { tone: "bad", words: `${at} ${outcome}${on}: `, quote: reason };
  if (gaveUp !== undefined) return { tone: "bad", words: `${at} given up by its own cast${on}` };
  const kept = commit === null ? ", without changes" : `, kept as ${shortCommit(commit)}`;
  return { tone: "plain", words: `${at} finished${on}${kept}` };
}

const MAX_FILES_NAMED = 5;

/** The files of a conflict: the first `most` by name, then how many more there are. */
export function conflictFilesText(files: readonly string[], most = MAX_FILES_NAMED): string {
  const named = files.slice(0, most).map((file) => oneLine(nameText(file), 80));
  const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
  return [...named, ...more].join(", ") || "no file";
}

/** As much of a commit as people compare. */
export function shortCommit(commit: string): string {
  return nameText(commit.slice(0, 9));
}
