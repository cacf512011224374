import { parseCastId, type CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { Owner } from "../../process/process-owner.ts";
import type { CastStore } from "../cast-store.ts";
import { databaseIssue, type Database } from "./database/database.ts";
import { castEnds, currentCast, foldEvents, loadCast, parseCastFile, unknownCast } from "./read.ts";

/** The casts that are looked at: those of one project, or all. */
export interface Sight {
  readonly database: Database;
  /** In words for people. */
  readonly place: string;
  readonly project?: string | undefined;
}

interface Looking extends Pick<
  CastStore,
  | "find"
  | "ids"
  | "summary"
  | "list"
  | "owner"
  | "stamp"
  | "describe"
  | "current"
  | "load"
  | "fold"
  | "ends"
  | "readBrought"
> {
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
}

/** As many as are listed. */
const LISTED = 200;
const SEEN = "($1::text is null or c.project = $1)";

/** All that is asked of casts without owning one. */
export function lookingAt({ database, place, project }: Sight): Looking {
  const seen = project ?? null;
  const summaries = (where: string, ...values: readonly unknown[]): Promise<readonly CastSummary[]> =>
    readSummaries(database, where, [seen, ...values]);
  return {
    find: async (text) => {
      const castId = parseCastId(text);
      const shown = oneLine(text, 60);
      if (castId === undefined) return fail(error("bad_cast_id", shown, `"${shown}" is not a cast id`));
      return guarded(castId, async () => {
        const asked = "select project from materia.casts where cast_id = $1";
        const [cast] = await database.rows<{ project: string }>({ text: asked, values: [castId] });
        if (cast && (project === undefined || cast.project === project)) return ok(castId);
        return fail(unknownCast(castId, place, cast?.project));
      });
    },
    ids: () =>
      guarded(place, async () => {
        const text = `select cast_id from materia.casts c where ${SEEN} and parent is null order by cast_id desc`;
        const rows = await database.rows<{ cast_id: CastId }>({ text, values: [seen] });
        return ok(rows.map((row) => row.cast_id));
      }),
    summary: (castId) => quietly(async () => (await summaries("c.cast_id = $2", castId))[0]),
    list: () =>
      guarded(place, async () => ok(await summaries(`c.parent is null order by c.cast_id desc limit ${LISTED}`))),
    summariesOf: (casts) => quietly(() => summaries("c.parent is null and c.cast_id = any($2)", casts)),
    owner: (castId) => quietly(() => ownerOf(database, castId)),
    stamp: (castId) => quietly(() => field(database, castId, "md5(file)")),
    describe: (castId) =>
      guarded(castId, async () => {
        const file = await field(database, castId, "file");
        return file === undefined ? fail(unknownCast(castId, place)) : parseCastFile(file);
      }),
    current: (castId) => guarded(castId, () => currentCast(database, castId, place)),
    load: (castId) => guarded(castId, () => loadCast(database, castId, place)),
    fold: (castId, folding) => guarded(castId, () => foldEvents(database, { castId, place }, folding)),
    ends: async (castId, enough) =>
      (await quietly(() => castEnds(database, castId, enough))) ?? { last: [], unread: 0, problem: "unreachable" },
    readBrought: (castId, name) => quietly(() => field(database, castId, "brings ->> $2", name)),
  };
}

/** What the database throws, as a value. */
export async function guarded<T>(at: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (thrown) {
    return fail(databaseIssue(at, thrown));
  }
}

/** Where nothing is said about what cannot be read. */
export function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  return work().catch(() => undefined);
}

export async function ownerOf(database: Database, castId: CastId): Promise<Owner | undefined> {
  const [row] = await database.rows<{ pid: number; host: string; started: string }>({
    text: `select w.pid, w.host, w.started from materia.casts c join materia.workers w on w.worker_id = c.owner
      where c.cast_id = $1 and w.state <> 'gone'`,
    values: [castId],
  });
  return row && { pid: row.pid, host: row.host, startedAt: row.started };
}

async function field(database: Database, castId: CastId, what: string, ...values: readonly unknown[]) {
  const text = `select ${what} as field from materia.casts where cast_id = $1`;
  const [row] = await database.rows<{ field: string | null }>({ text, values: [castId, ...values] });
  return row?.field ?? undefined;
}

interface SummaryRow {
  readonly summary: CastSummary;
  readonly status: CastSummary["status"];
  readonly project: string;
  readonly person: string;
  readonly worker: string | null;
}

/** [B12] What waits for its items belongs to its worker until that has handed it back. */
async function readSummaries(
  database: Database,
  where: string,
  values: readonly unknown[],
): Promise<readonly CastSummary[]> {
  const rows = await database.rows<SummaryRow>({
    text: `select c.summary, c.status, c.project, c.submitted_by as person, w.worker_id as worker from materia.casts c
      left join materia.workers w on w.state <> 'gone'
        and w.worker_id = coalesce(c.owner, case when c.parked_leg = c.leg then c.parked_by end) where ${SEEN} and ${where}`,
    values,
  });
  return rows.map(({ summary: { settingUp, ...summary }, status, worker, ...whose }) => ({
    ...summary,
    // Whoever died over it, or handed it back, sets up nothing any more.
    ...(settingUp && status === "running" && settingUp.worker === worker ? { settingUp } : {}),
    status: statusOf(status, worker !== null),
    fleet: { ...whose, worker },
  }));
}

/** [J21] What neither ended nor waits runs only as long as its worker lives. */
function statusOf(status: CastSummary["status"], alive: boolean): CastSummary["status"] {
  if (status === "running") return alive ? "running" : "interrupted";
  return status;
}
