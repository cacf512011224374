import type { CronSchedule } from "./cron.ts";

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
