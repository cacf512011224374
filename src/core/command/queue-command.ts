import * as v from "valibot";
import { wholeNumber } from "../model/schemas.ts";

export const CLOCK_TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d$/;

const kind = v.literal("queue");
const text = v.pipe(v.string(), v.minLength(1, "is empty"));
const flag = v.exactOptional(v.literal(true));
/** The number in the list, or the id: a running queue changes the numbers. */
const at = v.union([wholeNumber(1), text]);

/** [YQ1] The requests that a project has queued. */
export const QueueCommand = v.variant("action", [
  v.strictObject({ kind, action: v.literal("list") }),
  v.strictObject({
    kind,
    action: v.literal("add"),
    text,
    /** The text never names a file. */
    literal: flag,
    /** Each entry of the text is a request, as of a file. */
    split: flag,
    loadout: v.exactOptional(text),
    model: v.exactOptional(text),
    budget: v.exactOptional(wholeNumber(0)),
    key: v.exactOptional(text),
  }),
  v.strictObject({ kind, action: v.literal("remove"), at }),
  v.strictObject({ kind, action: v.literal("move"), at, to: at }),
  v.strictObject({
    kind,
    action: v.literal("run"),
    until: v.exactOptional(v.pipe(v.string(), v.regex(CLOCK_TIME, "is no time of the day"))),
    costUsd: v.exactOptional(v.pipe(v.number(), v.minValue(0, "must not be negative"))),
    atOnce: v.pipe(wholeNumber(1), v.maxValue(100, "must be at most 100")),
  }),
]);
export type QueueCommand = Readonly<v.InferOutput<typeof QueueCommand>>;
export type QueueRun = Extract<QueueCommand, { readonly action: "run" }>;

/** [YQ4] The next such time on the clock of this machine, also over midnight and a change of summer time. */
export function nextClockTime(time: string, now: Date): Date {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (at <= now) {
    at.setDate(at.getDate() + 1);
    at.setHours(hours, minutes, 0, 0);
  }
  return at;
}

const LIST_ENTRY = /^(?:[-*+]|\d{1,9}[.)])\s+(?:\[(?<mark>[ xX])\]\s+)?(?<text>.*)$/;
const HEADING = /^#{1,6}\s+(?<text>.*?)\s*#*$/;

/** [YQ2] The requests of a text: the entries of a Markdown list, else its headings with what follows them, else its lines. */
export function splitRequests(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.some((line) => LIST_ENTRY.test(line))) return splitAt(lines, LIST_ENTRY, /^\s+\S/);
  if (lines.some((line) => HEADING.test(line))) return splitAt(lines, HEADING, /^/);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Lines that continue an entry belong to it; a ticked entry is done. */
function splitAt(lines: readonly string[], begins: RegExp, continues: RegExp): readonly string[] {
  const entries: { readonly lines: string[]; readonly isDone: boolean }[] = [];
  let isOpen = false;
  for (const line of lines) {
    const found = begins.exec(line)?.groups;
    if (found) entries.push({ lines: [found["text"] ?? ""], isDone: /x/i.test(found["mark"] ?? "") });
    isOpen = found !== undefined || (isOpen && (line.trim() === "" || continues.test(line)));
    if (!found && isOpen) entries.at(-1)?.lines.push(line);
  }
  return entries
    .filter(({ isDone }) => !isDone)
    .map((entry) => entry.lines.join("\n").trim())
    .filter((entry) => entry !== "");
}
