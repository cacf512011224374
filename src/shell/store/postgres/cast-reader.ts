import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { failWith, fail, ok } from "../../../core/model/issue.ts";
import { oneLine } from "../../../core/model/text.ts";
import type { ProcessIdentity } from "../../process/process-identity.ts";
import { TIMELINE_WITH_EVENTS, loadedFrom } from "../cast-store.ts";
import { sql, withDatabaseErrors, type Database } from "./database.ts";
import { readCastEnds, readCurrentCast, foldEvents, parseCastFile, unknownCastIssue } from "./read-cast.ts";
import type { PostgresStore } from "./postgres-store.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

/** The casts of one project, or all casts. */
export interface CastScope {
  readonly database: Database;
  /** In words for people. */
  readonly location: string;
  readonly project?: string | undefined;
}

const MAX_LISTED = 200;
const IN_SCOPE = "($1::text is null or c.project = $1)";

export function createCastReader({ database, location: place, project }: CastScope) {
  const seen = project ?? null;
  const summaries = (where: string, ...values: readonly unknown[]): Promise<readonly CastSummary[]> =>
    readSummaries(database, where, [seen, ...values]);
  return {
    find: async (text) => {
      const castId = parseCastId(text);
      const shown = oneLine(text, 60);
      if (castId === undefined) return failWith("bad_cast_id", shown, `"${shown}" is not a cast id`);
      return withDatabaseErrors(castId, async () => {
        const query = sql`select project from materia.casts where cast_id = ${castId}`;
        const [cast] = await database.query<{ project: string }>(query);
        if (cast && (project === undefined || cast.project === project)) return ok(castId);
        return fail(unknownCastIssue(castId, place, cast?.project));
      });
    },
    listIds: () =>
      withDatabaseErrors(place, async () => {
        const text = `select cast_id from materia.casts c where ${IN_SCOPE} and parent is null order by cast_id desc`;
        const rows = await database.query<{ cast_id: CastId }>({ text, values: [seen] });
        return ok(rows.map((row) => row.cast_id));
      }),
    summary: (castId) => ignoreErrors(async () => (await summaries("c.cast_id = $2", castId))[0]),
    list: () =>
      withDatabaseErrors(place, async () =>
        ok(await summaries(`c.parent is null order by c.cast_id desc limit ${MAX_LISTED}`)),
      ),
    summariesOf: (casts) => ignoreErrors(() => summaries("c.parent is null and c.cast_id = any($2)", casts)),
    owner: (castId) => ignoreErrors(() => readOwner(database, castId)),
    stamp: (castId) => ignoreErrors(() => readField(database, castId, "md5(file)")),
    readCastFile: (castId) =>
      withDatabaseErrors(castId, async () => {
        const file = await readField(database, castId, "file");
        return file === undefined ? fail(unknownCastIssue(castId, place)) : parseCastFile(file, castId);
      }),
    current: (castId) => withDatabaseErrors(castId, () => readCurrentCast(database, castId, place)),
    load: (castId) =>
      withDatabaseErrors(castId, async () => {
        const folded = await foldEvents(database, { castId, place }, TIMELINE_WITH_EVENTS);
        return folded.ok ? ok(loadedFrom(folded.value)) : folded;
      }),
    fold: (castId, folding) => withDatabaseErrors(castId, () => foldEvents(database, { castId, place }, folding)),
    readEnds: async (castId, enough) =>
      (await ignoreErrors(() => readCastEnds(database, castId, enough))) ?? {
        last: [],
        unread: 0,
        problem: "unreachable",
      },
    readAttachment: (castId, name) => ignoreErrors(() => readField(database, castId, "brings ->> $2", name)),
  } satisfies Partial<PostgresStore>;
}

/** An unreadable value counts as missing. */
export function ignoreErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  return work().catch(() => undefined);
}

export async function readOwner(database: Database, castId: CastId): Promise<ProcessIdentity | undefined> {
  const query = sql`select w.pid, w.host, w.started from materia.casts c join materia.workers w on w.worker_id = c.owner
    where c.cast_id = ${castId} and w.state <> 'gone'`;
  const [row] = await database.query<{ pid: number; host: string; started: string }>(query);
  return row && { pid: row.pid, host: row.host, startedAt: row.started };
}

async function readField(database: Database, castId: CastId, what: string, ...values: readonly unknown[]) {
  const text = `select ${what} as field from materia.casts where cast_id = $1`;
  const [row] = await database.query<{ field: string | null }>({ text, values: [castId, ...values] });
  return row?.field ?? undefined;
}

interface SummaryRow {
  readonly summary: CastSummary;
  readonly status: CastSummary["status"];
  readonly project: string;
  readonly person: string;
  readonly worker: string | null;
}

/** [B49] A cast that waits for its items belongs to its worker until the worker requeues it. */
async function readSummaries(
  database: Database,
  where: string,
  values: readonly unknown[],
): Promise<readonly CastSummary[]> {
  const rows = await database.query<SummaryRow>({
    text: `select c.summary, c.status, c.project, c.submitted_by as person, w.worker_id as worker from materia.casts c
      left join materia.workers w on w.state <> 'gone'
        and w.worker_id = coalesce(c.owner, case when c.parked_leg = c.leg then c.parked_by end) where ${IN_SCOPE} and ${where}`,
    values,
  });
  return rows.map(({ summary: { settingUp, ...summary }, status, worker, ...whose }) => ({
    ...summary,
    // A worker that died or requeued the cast no longer sets up its tree.
    ...(settingUp && status === "running" && settingUp.worker === worker ? { settingUp } : {}),
    // [J21] A cast that neither ended nor waits runs only while its worker lives.
    status: status !== "running" ? status : worker === null ? "interrupted" : summary.asleep ? "sleeping" : "running",
    fleet: { ...whose, worker },
  }));
}
