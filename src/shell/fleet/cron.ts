import { Cron } from "croner";
import { error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";

/** A parsed cron expression: five fields, as in crontab. */
export interface CronSchedule {
  readonly pattern: string;
  readonly domAndDow: boolean;
}

interface CronField {
  readonly name: string;
  readonly range: string;
  /** A value as crontab writes it. croner also takes L, W, # and ?, which other crons do not. */
  readonly value: string;
}

const NUMBER = String.raw`\d{1,2}`;
const MONTH = `(?:${NUMBER}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`;
const WEEKDAY = `(?:${NUMBER}|sun|mon|tue|wed|thu|fri|sat)`;
const CRON_FIELDS: readonly CronField[] = [
  { name: "minute", range: "0 to 59", value: NUMBER },
  { name: "hour", range: "0 to 23", value: NUMBER },
  { name: "day of the month", range: "1 to 31", value: NUMBER },
  { name: "month", range: "1 to 12, or jan, feb, mar…", value: MONTH },
  { name: "day of the week", range: "0 to 7, or sun, mon, tue…", value: WEEKDAY },
];

const USAGE = `five fields: minute hour day month weekday, such as "0 3 * * 1-5"`;

/** [B45] Reports every invalid field at once. */
export function parseCron(text: string): Result<CronSchedule> {
  const words = text.trim() === "" ? [] : text.trim().split(/\s+/);
  if (words.length !== CRON_FIELDS.length)
    return fail(error("bad_schedule", text, `a time has five fields, this one has ${words.length}`, USAGE));
  const issues = CRON_FIELDS.flatMap((field, index) => fieldIssues(field, words, index));
  if (issues.length > 0) return fail(...issues);
  const [, , day = "", , weekday = ""] = words;
  // As in crontab: two restricted kinds of days are alternatives, and a star, with a step or not, restricts nothing.
  return ok({ pattern: words.join(" "), domAndDow: day.startsWith("*") || weekday.startsWith("*") });
}

function fieldIssues({ name, range, value }: CronField, words: readonly string[], index: number): readonly Issue[] {
  const word = words[index] ?? "";
  const part = String.raw`(?:\*|${value}(?:-${value})?)(?:/${NUMBER})?`;
  const isValid =
    new RegExp(`^${part}(?:,${part})*$`, "i").test(word) &&
    isPattern(words.map((_, other) => (other === index ? word : "*")).join(" "));
  return isValid ? [] : [error("bad_schedule", word, `"${word}" is no ${name}: it takes ${range}`, USAGE)];
}

function isPattern(pattern: string): boolean {
  try {
    openCron({ pattern, domAndDow: true }, "UTC");
    return true;
  } catch {
    return false;
  }
}

/** `sloppyRanges`: "10/25" is 10 and every 25 after it, as in crontab. */
function openCron({ pattern, domAndDow }: CronSchedule, timezone: string): Cron {
  return new Cron(pattern, { mode: "5-part", paused: true, sloppyRanges: true, domAndDow, timezone });
}

/**
 * [B23] The first time after `after` (milliseconds), by the clocks of a time zone; undefined if there is none. A fixed time
 * that clocks skip comes right after the gap, one that they show twice comes once.
 */
export function nextCronTime(cron: CronSchedule, after: number, zone: string): number | undefined {
  return openCron(cron, zone).nextRun(new Date(after))?.getTime();
}

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
