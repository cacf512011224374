import { error, fail, ok, type Issue, type Result } from "./issue.ts";

/** When something happens again and again, in the words of cron: minute, hour, day of the month, month, day of the week. */
export interface CronSchedule {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /** Where both kinds of days are named, either of them is enough; where one is `*`, the other decides. */
  readonly eitherDay: boolean;
}

interface CronField {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const CRON_FIELDS = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12, names: MONTHS },
  // Sunday is 0, and 7 as well.
  { name: "day of the week", from: 0, to: 7, names: WEEKDAYS },
] as const satisfies readonly CronField[];

const USAGE = `five fields: minute hour day month weekday, such as "0 3 * * 1-5"`;

/** [B23] Every field that cannot be read is told at once. */
export function parseCron(text: string): Result<CronSchedule> {
  const words = text.trim().split(/\s+/);
  if (words.length !== CRON_FIELDS.length) {
    const count = text.trim() === "" ? 0 : words.length;
    return fail(error("bad_schedule", text, `a time has five fields, this one has ${count}`, USAGE));
  }
  const read = CRON_FIELDS.map((field, index) => readField(words[index] ?? "", field));
  const issues = read.flatMap((each, index) =>
    each ? [] : [badField(words[index] ?? "", CRON_FIELDS[index] ?? CRON_FIELDS[0])],
  );
  if (issues.length > 0) return fail(...issues);
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = read;
  const [, , day = "", , weekday = ""] = words;
  return ok({
    minutes: minutes ?? [],
    hours: hours ?? [],
    days: days ?? [],
    months: months ?? [],
    weekdays: [...new Set((weekdays ?? []).map((each) => each % 7))],
    eitherDay: !day.startsWith("*") && !weekday.startsWith("*"),
  });
}

function badField(word: string, { name, from, to, ...field }: CronField): Issue {
  const names = field.names ? `, or ${field.names.slice(0, 3).join(", ")}…` : "";
  return error("bad_schedule", word, `"${word}" is no ${name}: it takes ${from} to ${to}${names}`, USAGE);
}

/** `*`, `5`, `1-5`, `*\/15`, `10-50/10`, and lists of these. */
function readField(word: string, field: CronField): readonly number[] | undefined {
  const parts = word.split(",").map((part) => readPart(part, field));
  const values = parts.flatMap((part) => part ?? []);
  return parts.includes(undefined) ? undefined : [...new Set(values)].toSorted((a, b) => a - b);
}

function readPart(part: string, field: CronField): readonly number[] | undefined {
  const [, range = "", step] = /^([^/]+)(?:\/([0-9]{1,2}))?$/.exec(part) ?? [];
  const by = step === undefined ? 1 : Number(step);
  if (range === "" || by === 0) return undefined;
  const [first = "", last, ...more] = range.split("-");
  const from = range === "*" ? field.from : valueOf(first, field);
  // A step behind one value goes on to the end, as in other crons.
  const open = range === "*" || step !== undefined ? field.to : from;
  const to = last === undefined ? open : valueOf(last, field);
  if (from === undefined || to === undefined || from > to || more.length > 0) return undefined;
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function valueOf(word: string, { from, to, names = [] }: CronField): number | undefined {
  const named = names.indexOf(word.toLowerCase());
  if (named !== -1) return named + from;
  const value = /^[0-9]{1,2}$/.test(word) ? Number(word) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

const DAY_MS = 86_400_000;
/** A leap day comes at most eight years after another. */
const MAX_DAYS_AHEAD = 8 * 366 + 2;

/**
 * [B23] The first time behind `after` (milliseconds) that a schedule names, by the clocks of a time zone; nothing where it never
 * comes. A time that clocks skip comes an hour later, one that they show twice comes once.
 */
export function nextCronTime(cron: CronSchedule, after: number, zone: string): number | undefined {
  const offsetAt = zoneOffsets(zone);
  const today = startOfDay(after + offsetAt(after));
  for (let day = 0; day < MAX_DAYS_AHEAD; day += 1) {
    const date = today + day * DAY_MS;
    if (!matchesDay(cron, new Date(date))) continue;
    for (const hour of cron.hours)
      for (const minute of cron.minutes) {
        const time = localToUtc(date + (hour * 60 + minute) * 60_000, offsetAt);
        if (time > after) return time;
      }
  }
  return undefined;
}

/** Whether there is a time zone of this name. */
export function isTimeZone(zone: string): boolean {
  try {
    zoneOffsets(zone);
    return true;
  } catch {
    return false;
  }
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

function matchesDay({ months, days, weekdays, eitherDay }: CronSchedule, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const [day, weekday] = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())];
  return eitherDay ? day || weekday : day && weekday;
}

type OffsetAt = (time: number) => number;

/** What clocks show → when they show it. Written as if they were those of UTC. */
function localToUtc(shown: number, offsetAt: OffsetAt): number {
  const before = offsetAt(shown - DAY_MS);
  for (const offset of [before, offsetAt(shown + DAY_MS)])
    if (offsetAt(shown - offset) === offset) return shown - offset;
  return shown - before;
}

/** How far the clocks of a zone are ahead of UTC at a moment. Throws where there is no such zone. */
function zoneOffsets(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
      ["year", "month", "day", "hour", "minute", "second"] as const
    ).map((type) => parts.get(type));
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
  };
}
