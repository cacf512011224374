import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { ArtifactBytes, EventUpdate, Subscription, ByteRange, TranscriptUpdate } from "../cast-store.ts";
import { PART_BYTES } from "./append.ts";
import type { Database } from "./database/database.ts";
import { readEventsAfter, parseEventRow, parseCastFile } from "./read.ts";

/** [N11, N12] Events behind a place, then each new one; who was told too late catches up by number. */
export function followEvents(
  database: Database,
  castId: CastId,
  { after, stop }: { readonly after: number; readonly stop: () => void },
): Subscription<EventUpdate> {
  let seen = after;
  let graph: Parameters<typeof parseEventRow>[1] | undefined;
  const state = async (): Promise<{ seq: number } | undefined> => {
    const [row] = await database.query<{ seq: number; file: string | null }>({
      text: `select seq, case when $2 then file end as file from materia.casts where cast_id = $1`,
      values: [castId, graph === undefined],
    });
    if (row && graph === undefined) {
      const file = parseCastFile(row.file ?? "");
      graph = file.ok ? file.value.graph : null;
    }
    return row;
  };
  const next = async (): Promise<EventUpdate> => {
    if (graph === undefined) await state();
    const rows = await readEventsAfter(database, castId, seen);
    if (rows.length === 0) {
      const row = await state();
      return { kind: !row || row.seq < seen ? "lost" : "nothing" };
    }
    const events: CastEvent[] = [];
    for (const row of rows) {
      const event = row.seq === seen + 1 ? parseEventRow(row, graph ?? null) : undefined;
      if (!event) return { kind: "damaged", events, line: seen + 1 };
      events.push(event);
      seen = row.seq;
    }
    return { kind: "events", events };
  };
  return { next: () => next().catch(() => ({ kind: "nothing" })), close: stop };
}

/** Whole lines of a text that grows; one that is shorter than what was read of it began again. */
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

/** Bytes of a file of a visit: only the parts that they lie in are read. */
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
