import { isTransientError, sql, type Database, type Statement } from "./database.ts";

export interface ArtifactUpload {
  readonly socket: string;
  readonly visit: number;
  readonly name: string;
  /** Bytes before this offset were sent before, under the same claim. */
  readonly from?: number;
  readonly bytes: Buffer;
}

/** [B8] The commits of a cast since the last pack, with its head and its checkpoint. */
export interface PackUpload {
  readonly head: string;
  readonly ckpt: string;
  readonly bytes: Buffer;
}

export interface AppendRequest {
  readonly castId: string;
  readonly claim: string;
  readonly after: number;
  readonly events: readonly string[];
  readonly status: string;
  readonly summary: unknown;
  /** A completed visit resets the number of attempts. */
  readonly completesVisit: boolean;
  readonly artifacts: readonly ArtifactUpload[];
  readonly pack?: PackUpload;
}

/** The database does not take much larger values. */
export const PART_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 200;

/**
 * [B5, B33] Writes events, files and packs in one round trip, only for the given claim and sequence number. It is repeated after
 * a broken connection. If the events are there under the same claim, the first try succeeded.
 */
export async function appendEvents(database: Database, what: AppendRequest): Promise<"written" | "lost"> {
  const statement = appendStatement(what);
  for (let waited = 0; ; waited += RETRY_MS) {
    try {
      const rows = await database.queryOnce(statement);
      if (rows.length > 0) return "written";
      return waited > 0 && (await isAlreadyWritten(database, what)) ? "written" : "lost";
    } catch (thrown) {
      if (!isTransientError(thrown) || waited >= database.retryForMs) throw thrown;
      await database.pause(RETRY_MS);
    }
  }
}

async function isAlreadyWritten(database: Database, { castId, claim, after, events }: AppendRequest): Promise<boolean> {
  const seq = after + events.length;
  const written = sql`select from materia.casts where cast_id = ${castId} and claim = ${claim} and seq = ${seq}`;
  return (await database.query(written)).length > 0;
}

const APPEND_EVENTS = `
with c as (
  update materia.casts set seq = $3::int + cardinality($4::text[]), status = $5, summary = $6, updated_at = now(),
    tries = case when $7 then 0 else tries end, abort_by = case when $5 = 'aborted' then null else abort_by end
  where cast_id = $1 and claim = $2 and seq = $3 returning cast_id
), e as (
  insert into materia.events select c.cast_id, $3::int + o, t.e from c, unnest($4::text[]) with ordinality as t (e, o)
)`;
const APPEND_FILES = `, a as (
  insert into materia.artifacts (cast_id, socket, visit, name, part, size, body)
  select c.cast_id, t.socket, t.visit, t.name, t.part, t.size, case when t.kept = 0 then t.body else
      (select substring(o.body from 1 for t.kept) from materia.artifacts o where o.cast_id = c.cast_id
        and o.socket = t.socket and o.visit = t.visit and o.name = t.name and o.part = t.part) || t.body end
  from c, unnest($8::text[], $9::int[], $10::text[], $11::int[], $12::bigint[], $13::bytea[], $17::int[])
    as t (socket, visit, name, part, size, body, kept)
  on conflict (cast_id, socket, visit, name, part)
  do update set body = excluded.body, size = excluded.size, changed_at = now()
), h as (
  update materia.artifacts o set size = t.size, changed_at = now()
  from c, unnest($8::text[], $9::int[], $10::text[], $12::bigint[], $18::boolean[]) as t (socket, visit, name, size, behind)
  where t.behind and o.cast_id = c.cast_id and o.socket = t.socket and o.visit = t.visit and o.name = t.name and o.part = 0
), p as (
  insert into materia.packs select c.cast_id, (select coalesce(max(n), -1) + 1 from materia.packs k where k.cast_id = $1),
    $14, $15, $3::int + cardinality($4::text[]), $16 from c where $14::text is not null
)`;
const RETURN_CAST_ID = "select cast_id from c";

function appendStatement(what: AppendRequest): Statement {
  const { castId, claim, after, events, status, summary, completesVisit } = what;
  const values = [castId, claim, after, events, status, JSON.stringify(summary), completesVisit];
  // Most steps have no file; the server then skips that part.
  if (what.artifacts.length === 0 && !what.pack)
    return { name: "append", text: `${APPEND_EVENTS} ${RETURN_CAST_ID}`, values };
  const parts = what.artifacts.flatMap(splitIntoParts);
  return {
    name: "append_files",
    text: `${APPEND_EVENTS}${APPEND_FILES} ${RETURN_CAST_ID}`,
    values: [
      ...values,
      parts.map(({ socket }) => socket),
      parts.map(({ visit }) => visit),
      parts.map(({ name }) => name),
      parts.map(({ part }) => part),
      parts.map(({ size }) => size),
      parts.map(({ bytes }) => bytes),
      what.pack?.head ?? null,
      what.pack?.ckpt ?? null,
      what.pack?.bytes ?? null,
      parts.map(({ kept }) => kept),
      parts.map(({ isBehind }) => isBehind),
    ],
  };
}

/** The parts that hold these bytes. Of a part that was sent before, only new bytes are sent. */
function splitIntoParts({ bytes, from = 0, ...place }: ArtifactUpload) {
  const size = from + bytes.length;
  const first = Math.floor(from / PART_BYTES);
  const count = Math.max(1, Math.ceil(size / PART_BYTES) - first);
  return Array.from({ length: count }, (_, index) => {
    const part = first + index;
    const begin = Math.max(from, part * PART_BYTES);
    return {
      ...place,
      part,
      size,
      kept: begin - part * PART_BYTES,
      // The size of a file is stored with its first part.
      isBehind: index === 0 && part > 0,
      bytes: bytes.subarray(begin - from, (part + 1) * PART_BYTES - from),
    };
  });
}
