import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import * as v from "valibot";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { oneLine } from "../../../core/model/text.ts";
import { errorText } from "../../system/files.ts";
import { CastFile } from "../cast-file.ts";
import {
  currentFrom,
  type CurrentCast,
  type HasEnoughEvents,
  type FoldedCast,
  type CastFold,
  type JournalEnds,
  TIMELINE,
  type ArtifactBytes,
  type EventUpdate,
  type Subscription,
  type ByteRange,
  type TranscriptUpdate,
} from "../cast-store.ts";
import { parseEventJson } from "../files/read-journal.ts";
import { sql, type Database } from "./database.ts";
import { PART_BYTES } from "./append-events.ts";

/** [B41] By default a project is named after its folder, which may be renamed: `other` is the project of the cast. */
export function unknownCastIssue(castId: string, place: string, other?: string): Issue {
  const hint =
    other === undefined
      ? suggest`${typed`casts`} lists them`
      : `it is one of project ${oneLine(other, 60)}: name that as "project" of this fleet in your configuration, or ask in a folder of that name`;
  return error("unknown_cast", castId, `there is no cast "${castId}" in ${place}`, hint);
}

const EVENTS_AT_ONCE = 2_000;

interface EventRow {
  readonly seq: number;
  readonly event: string;
}

function readEventsAfter(database: Database, castId: string, after: number): Promise<readonly EventRow[]> {
  return database.query<EventRow>({
    name: "events_after",
    text: `select seq, event from materia.events where cast_id = $1 and seq > $2 order by seq limit ${EVENTS_AT_ONCE}`,
    values: [castId, after],
  });
}

function parseEventRow({ seq, event }: EventRow): CastEvent | undefined {
  const read = parseEventJson(event);
  return typeof read === "string" || read.seq !== seq ? undefined : read;
}

/** [B78] The file of a row names its cast, and its parent if it is an item: otherwise it could use another cast's files. */
export function parseCastFile(text: string, castId?: CastId): Result<CastFile> {
  try {
    const parsed = v.safeParse(CastFile, JSON.parse(text));
    const key = parsed.success ? foreignKey(parsed.output, castId) : (v.getDotPath(parsed.issues[0]) ?? "");
    if (parsed.success && key === undefined) return ok(parsed.output);
    return failWith("bad_cast_file", key ?? "", `the cast file is invalid: "${key}"`);
  } catch (thrown) {
    return failWith("bad_cast_file", "", `cannot read the cast file: ${errorText(thrown)}`);
  }
}

function foreignKey({ castId, window }: CastFile, asked: CastId | undefined): string | undefined {
  if (asked !== undefined && castId !== asked) return "castId";
  return window?.parent === parentCastId(castId) ? undefined : "window.parent";
}

interface CastRow {
  readonly file: string;
  readonly seq: number;
  readonly stamp: string;
}

/** [J1] A cast with all its events, read in blocks. */
export async function foldEvents<T>(
  database: Database,
  { castId, place }: { readonly castId: CastId; readonly place: string },
  { begin, step }: CastFold<T>,
): Promise<Result<FoldedCast<T>>> {
  const query = sql`select file, seq, extract(epoch from created_at)::text || ' ' || seq as stamp from materia.casts where cast_id = ${castId}`;
  const [row] = await database.query<CastRow>({ name: "cast", ...query });
  if (!row) return fail(unknownCastIssue(castId, place));
  const file = parseCastFile(row.file, castId);
  if (!file.ok) return file;
  let value = begin(file.value);
  for (let seen = 0; seen < row.seq;) {
    const rows = await readEventsAfter(database, castId, seen);
    if (rows.length === 0) return fail(damagedEventIssue(castId, seen + 1, "it is missing"));
    for (const each of rows) {
      if (each.seq > row.seq) break;
      const event = each.seq === seen + 1 ? parseEventRow(each) : undefined;
      if (!event) return fail(damagedEventIssue(castId, seen + 1, "it cannot be read"));
      try {
        value = step(value, event);
      } catch (thrown) {
        return fail(damagedEventIssue(castId, each.seq, errorText(thrown)));
      }
      seen = each.seq;
    }
    if ((rows.at(-1)?.seq ?? 0) > row.seq) break;
  }
  return ok({ castId, file: file.value, value, tornBytes: 0, stamp: row.stamp });
}

function damagedEventIssue(castId: string, seq: number, why: string): Issue {
  return error("damaged_journal", `line ${seq}`, `event ${seq} of ${castId} is damaged: ${why}`);
}

export async function readCurrentCast(database: Database, castId: CastId, place: string): Promise<Result<CurrentCast>> {
  const folded = await foldEvents(database, { castId, place }, TIMELINE);
  return folded.ok ? ok(currentFrom(folded.value)) : folded;
}

const LAST_AT_ONCE = 64;

/** [J21] The first event and the last ones, read from the end. */
export async function readCastEnds(database: Database, castId: CastId, enough: HasEnoughEvents): Promise<JournalEnds> {
  const firstRow = sql`select seq, event from materia.events where cast_id = ${castId} and seq = 1`;
  const first = (await database.query<EventRow>(firstRow)).map(parseEventRow)[0];
  let last: readonly CastEvent[] = [];
  let before: number | null = null;
  let unread = 0;
  for (;;) {
    const rows: readonly EventRow[] = await database.query<EventRow>({
      name: "events_before",
      text: `select seq, event from materia.events where cast_id = $1 and seq < coalesce($2::int, 2147483647) order by seq desc limit ${LAST_AT_ONCE}`,
      values: [castId, before],
    });
    for (const row of rows) {
      const event = parseEventRow(row);
      if (event) last = [event, ...last];
      else unread += 1;
      if (enough(last)) return { first, last, unread };
    }
    before = rows.at(-1)?.seq ?? 0;
    if (rows.length < LAST_AT_ONCE) return { first, last, unread };
  }
}

/** [N11, N12] Events after a sequence number, then each new one; a late follower catches up by number. */
export function followEvents(
  database: Database,
  castId: CastId,
  { after, stop }: { readonly after: number; readonly stop: () => void },
): Subscription<EventUpdate> {
  let seen = after;
  const next = async (): Promise<EventUpdate> => {
    const rows = await readEventsAfter(database, castId, seen);
    if (rows.length === 0) {
      const [row] = await database.query<{ seq: number }>(sql`select seq from materia.casts where cast_id = ${castId}`);
      return { kind: !row || row.seq < seen ? "lost" : "nothing" };
    }
    const events: CastEvent[] = [];
    for (const row of rows) {
      const event = row.seq === seen + 1 ? parseEventRow(row) : undefined;
      if (!event) return { kind: "damaged", events, line: seen + 1 };
      events.push(event);
      seen = row.seq;
    }
    return { kind: "events", events };
  };
  return { next: () => next().catch(() => ({ kind: "nothing" })), close: stop };
}

/** Complete lines of a growing text; a shorter text starts again. */
export function followTranscript(
  read: (from: number) => Promise<ArtifactBytes | undefined>,
  stop: () => void,
): Subscription<TranscriptUpdate> {
  let seen = 0;
  return {
    next: async () => {
      const part = await read(seen);
      if (!part) return { kind: "nothing" };
      if (part.size < seen) {
        seen = 0;
        return { kind: "restarted" };
      }
      const bytes = Buffer.from(part.bytes);
      const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
      if (whole.length === 0) return { kind: "nothing" };
      seen += whole.length;
      return { kind: "lines", lines: whole.toString("utf8").split("\n").slice(0, -1) };
    },
    close: stop,
  };
}

/** Bytes of a file of a visit; only the parts that hold them are read. */
export async function readArtifactRange(
  database: Database,
  castId: string,
  { socket, visit, name }: { readonly socket: string; readonly visit: number; readonly name: string },
  { from = 0, maxBytes: most = Number.MAX_SAFE_INTEGER }: ByteRange = {},
): Promise<ArtifactBytes | undefined> {
  const first = Math.floor(from / PART_BYTES);
  const last = Math.min(Math.floor((from + most) / PART_BYTES), 2 ** 31 - 1);
  const rows = await database.query<{ part: number; size: string; changed: number; body: Buffer | null }>({
    text: `select part, size, extract(epoch from changed_at)::float8 * 1000 as changed,
        case when part between $5 and $6 then body end as body
      from materia.artifacts where cast_id = $1 and socket = $2 and visit = $3 and name = $4 and (part = 0 or part between $5 and $6)
      order by part`,
    values: [castId, socket, visit, name, first, last],
  });
  const [head] = rows;
  if (!head) return undefined;
  const size = Number(head.size);
  const bytes = Buffer.concat(rows.flatMap(({ part, body }) => (body && part >= first ? [body] : [])));
  const begin = from - first * PART_BYTES;
  const end = Math.max(0, Math.min(most, size - from));
  return { bytes: bytes.subarray(begin, begin + end), size, changedAt: head.changed };
}
