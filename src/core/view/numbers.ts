import { line, toned, type Line } from "./line.ts";
import { countedText, oneLine, parseMillis } from "../model/text.ts";
import type { ItemCounts, CastFigures, CastSummary, WorkTime } from "../cast/summary.ts";

/** `812`, `1.2 k`, `1.52 M`. The journal has the exact value. */
export function amountText(count: number): string {
  if (!Number.isFinite(count)) return "—";
  const step = SCALES.find(({ from }) => Math.abs(count) >= from);
  if (!step) return String(Math.round(count));
  return `${Number((count / step.unit).toPrecision(3))} ${step.sign}`;
}

/** A value that rounds up to a thousand of its unit is one of the next unit. */
const SCALES = [
  { from: 999.5e9, unit: 1e12, sign: "T" },
  { from: 999.5e6, unit: 1e9, sign: "G" },
  { from: 999.5e3, unit: 1e6, sign: "M" },
  { from: 999.5, unit: 1e3, sign: "k" },
] as const;

/** `12,345`. The browser would first load the rules of a language, which takes longer than a list. */
export function groupedText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `$3.84`; a cost below one cent is not shown as zero. */
export function costText(dollars: number): string {
  if (!Number.isFinite(dollars)) return "—";
  if (dollars > 0 && dollars < 0.005) return "<$0.01";
  return `$${dollars.toFixed(2)}`;
}

/** A duration: `0.4 s`, `0:12`, `23:41`, `1:02:03`. */
export function durationText(ms: number): string {
  const seconds = wholeSeconds(ms);
  if (seconds < 10) return `${ms >= 100 ? (Math.floor(ms / 100) / 10).toFixed(1) : "0"} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/** [C57] `4:10 · waits 2:03:00`. */
export function workTimeText({ elapsedMs, waitsMs }: WorkTime): string {
  return waitsMs === 0 ? durationText(elapsedMs) : `${durationText(elapsedMs)} · waits ${durationText(waitsMs)}`;
}

/** An age in its largest unit: `12 s`, `34 min`, `5 h`, `3 days`. */
export function ageText(ms: number): string {
  const seconds = wholeSeconds(ms);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** The time that is left: `45 s`, `12 min`, `2 h 13 min`, `3 days 4 h`. */
export function leftText(ms: number): string {
  const seconds = Math.ceil(Math.max(0, Number.isFinite(ms) ? ms : 0) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 48) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
  return `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** `Thursday, January 1`. */
export function dateText(day: Date): string {
  return `${WEEKDAYS[day.getDay()]}, ${MONTHS[day.getMonth()]} ${day.getDate()}`;
}

/** `Thursday, January 1, 2026, 14:05`. */
export function momentText(at: string): string {
  const day = new Date(at);
  return Number.isNaN(day.getTime()) ? at : `${dateText(day)}, ${day.getFullYear()}, ${hourText(day)}`;
}

function hourText(time: Date): string {
  return `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
}

const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** A moment as people read a clock here: `03:00`, or `18 Nov 03:00` on another day. */
export function clockText(at: string, now = Date.now()): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "an unknown time";
  const hour = hourText(time);
  if (time.toDateString() === new Date(now).toDateString()) return hour;
  return `${time.getDate()} ${MONTHS[time.getMonth()]?.slice(0, 3)} ${hour}`;
}

/** When a failed request is sent again. */
export function retryText(delayMs: number, now: number): string {
  if (delayMs < 1_000) return "trying again";
  const when =
    delayMs < 60_000 ? `in ${ageText(delayMs)}` : `at ${clockText(new Date(now + delayMs).toISOString(), now)}`;
  return `trying again ${when}`;
}

/** [Z11] `anthropic limit, resets 03:00 (2 h 13 min)`. */
export function sleepText({ until, provider }: NonNullable<CastSummary["asleep"]>, now: number): string {
  const left = parseMillis(until, now) - now;
  const when =
    left > 0 ? `resets ${clockText(until, now)} (${leftText(left)})` : `was reset at ${clockText(until, now)}`;
  return `${oneLine(provider, 60)} limit, ${when}`;
}

/** [G31] `1 of 2, 1 given up`, for places that say what it counts. */
export function doneCountText({ done, total, givenUp = 0 }: ItemCounts): string {
  return `${done} of ${total}${givenUpText(givenUp)}`;
}

/** [G31] `1 of 2 items done, 1 given up`. */
export function itemsDoneText({ done, total, givenUp = 0 }: ItemCounts): string {
  return `${done} of ${countedText(total, "item")} done${givenUpText(givenUp)}`;
}

function givenUpText(count: number): string {
  return count === 0 ? "" : `, ${count} given up`;
}

function wholeSeconds(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, Math.floor(ms / 1000)) : 0;
}

/** `4 visits · 1 of 3 items done · 821 tokens · $0.00`; items only if there are any. */
export function figuresText({ visits, items, tokens, cost }: CastFigures): string {
  return [
    countedText(visits, "visit"),
    ...(items.total === 0 ? [] : [itemsDoneText(items)]),
    `${amountText(tokens)} tokens`,
    costText(cost),
  ].join(" · ");
}

/** [C36] Marks the figures of a rehearsal, because a model would give others. */
export function figuresLine(text: string, rehearsed: boolean | undefined): Line {
  return line(toned("dim", `${text}${rehearsed ? " · " : ""}`), rehearsed ? toned("wait", "rehearsed") : "");
}
