import { failWith, error, fail, ok, type Result, type Issue } from "../../core/model/issue.ts";
import type { NewCast } from "../store/cast-store.ts";
import { sql, withDatabaseErrors } from "../store/postgres/database.ts";
import type { ConnectedFleet } from "./open-fleet.ts";
import { packCast, treeValues, type PackingHost, type TreeChoice } from "./submit-cast.ts";
import { Cron } from "croner";
import { valueOr } from "../system/files.ts";

/** [B23] A command that the fleet submits again and again. */
export interface Schedule {
  readonly id: number;
  readonly cron: string;
  readonly zone: string;
  readonly command: string;
  /** The branch whose files each cast gets; null for the files at the time of `add`. */
  readonly follows: string | null;
  readonly by: string;
  readonly nextAt: string;
  readonly lastCast: string | null;
  /** Why the last time submitted nothing. */
  readonly problem: string | null;
}

export interface NewSchedule extends PackingHost {
  readonly plan: NewCast;
  readonly cron: string;
  readonly zone: string;
  readonly tree: TreeChoice;
  readonly priority: number;
}

/** The first time, by the clock of this machine. The clock of the database decides when later times are due. */
export function firstScheduledTime(text: string, zone: string, now: number): Result<number> {
  const cron = parseCron(text);
  const message = `there is no time zone "${zone}"`;
  const zoneIssues = isTimeZone(zone) ? [] : [error("bad_option", "--zone", message, "--zone Europe/Berlin")];
  if (!cron.ok || zoneIssues.length > 0) return fail(...(cron.ok ? [] : cron.issues), ...zoneIssues);
  const next = nextCronTime(cron.value, now, zone);
  return next === undefined ? failWith("bad_schedule", text, "this time never comes") : ok(next);
}

export async function addSchedule(fleet: ConnectedFleet, asked: NewSchedule): Promise<Result<Schedule>> {
  const next = firstScheduledTime(asked.cron, asked.zone, Date.now());
  if (!next.ok) return next;
  const packed = await packCast(fleet, asked.plan, asked, asked.tree);
  if (!packed.ok) return packed;
  const { file, brings, tree } = packed.value;
  const { project, queue } = fleet.profile;
  const values = [
    project,
    queue,
    asked.priority,
    asked.cron,
    asked.zone,
    JSON.stringify(file),
    JSON.stringify(brings),
    ...treeValues(tree),
    new Date(next.value).toISOString(),
  ];
  return withDatabaseErrors(fleet.profile.name, async () => {
    const [row] = await fleet.database.query<{ id: number }>({ text: ADD_SCHEDULE, values });
    const made = (await readSchedules(fleet)).find(({ id }) => id === row?.id);
    return made ? ok(made) : failWith("database_failed", fleet.profile.name, "the schedule was not stored");
  });
}

const SCHEDULE_COLUMNS = `id, cron, zone, file::json ->> 'command' as command,
  case when (source ->> 'follows')::boolean then source ->> 'branch' end as follows, submitted_by as by,
  to_char(next_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "nextAt", last_cast as "lastCast", problem`;

const ADD_SCHEDULE = "select materia.add_schedule($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as id";

export async function listSchedules(fleet: ConnectedFleet): Promise<Result<readonly Schedule[]>> {
  return withDatabaseErrors(fleet.profile.name, async () => ok(await readSchedules(fleet)));
}

function readSchedules({ database, profile }: ConnectedFleet): Promise<readonly Schedule[]> {
  const text = `select ${SCHEDULE_COLUMNS} from materia.schedules where project = $1 order by id`;
  return database.query<Schedule & Record<string, unknown>>({ text, values: [profile.project] });
}

export async function removeSchedule(fleet: ConnectedFleet, id: number): Promise<Result<undefined>> {
  return withDatabaseErrors(fleet.profile.name, async () => {
    const removed = sql`select materia.remove_schedule(${id}, ${fleet.profile.project}) as removed`;
    const [row] = await fleet.database.query<{ removed: boolean }>(removed);
    if (row?.removed) return ok(undefined);
    const message = `project ${fleet.profile.project} has no schedule ${id}`;
    return failWith("unknown_schedule", String(id), message, `"fleet schedule list" shows them`);
  });
}

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
    return failWith("bad_schedule", text, `a time has five fields, this one has ${words.length}`, USAGE);
  const issues = CRON_FIELDS.flatMap((field, index) => fieldIssues(field, words, index));
  if (issues.length > 0) return fail(...issues);
  const [, , day = "", , weekday = ""] = words;
  // As in crontab: two restricted kinds of days are alternatives, and a star, with a step or not, restricts nothing.
  return ok({ pattern: words.join(" "), domAndDow: day.startsWith("*") || weekday.startsWith("*") });
}

function fieldIssues({ name, range, value }: CronField, words: readonly string[], index: number): readonly Issue[] {
  const word = words[index] ?? "";
  const part = String.raw`(?:\*|${value}(?:-${value})?)(?:/${NUMBER})?`;
  const pattern = words.map((_, other) => (other === index ? word : "*")).join(" ");
  const isValid =
    new RegExp(`^${part}(?:,${part})*$`, "i").test(word) &&
    valueOr(() => openCron({ pattern, domAndDow: true }, "UTC"), undefined) !== undefined;
  return isValid ? [] : [error("bad_schedule", word, `"${word}" is no ${name}: it takes ${range}`, USAGE)];
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
  return valueOr(() => new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "", false);
}
