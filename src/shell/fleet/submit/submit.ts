import type { PoolClient } from "pg";
import type { CastId } from "../../../core/model/ids.ts";
import { fail, ok, type Result } from "../../../core/model/issue.ts";
import type { NewCast } from "../../store/cast-store.ts";
import { databaseIssue } from "../../store/postgres/database/database.ts";
import { notStartedSummary } from "../../store/summary.ts";
import type { ConnectedFleet } from "../open/fleet.ts";
import { packCast, type PackedCast, type PackingHost } from "./pack-cast.ts";
import { providersOf } from "./providers.ts";

/** What may be said with a submission. */
export interface SubmitOptions {
  /** Lower goes first. */
  readonly priority?: number;
  /** [B21] What is submitted under it is submitted once. */
  readonly key?: string;
}

/** [B9] This working tree and a cast for it, in one transaction. Answers with the cast that its key belongs to. */
export async function submitCast(fleet: ConnectedFleet, plan: NewCast, by: PackingHost & SubmitOptions): Promise<Result<CastId>> {
  const packed = await packCast(fleet, plan, by);
  if (!packed.ok) return packed;
  const { project, queue } = fleet.profile;
  const { priority = 0, key } = by;
  try {
    const isNew = await fleet.database.transaction((client) =>
      insertCast(client, packed.value, { project, queue, priority, ...(key === undefined ? {} : { key }) }),
    );
    const { castId } = packed.value.file;
    if (isNew) return ok(castId);
    const first = await findCastByKey(fleet, key);
    return first.ok ? ok(first.value ?? castId) : first;
  } catch (thrown) {
    return fail(databaseIssue(fleet.profile.name, thrown));
  }
}

/** Where a cast waits, and for whom. */
interface QueueEntry extends Required<Pick<SubmitOptions, "priority">>, Pick<SubmitOptions, "key"> {
  readonly project: string;
  readonly queue: string;
  /** The person; whoever is connected if unset. */
  readonly by?: string;
}

const INSERT_CAST = `
insert into materia.casts
  (cast_id, project, queue, priority, file, brings, source, status, leg, summary, key, submitted_by, providers)
values ($1, $2, $3, $4, $5, $6, $7, 'queued', 1, $8, $9, coalesce($10, session_user), $11)
on conflict (project, key) where key is not null do nothing`;

/** False where another cast has the key: who comes second waits here until it is known whether the first one stays. */
export async function insertCast(
  client: PoolClient,
  { file, brings, tree }: PackedCast,
  { project, queue, priority, key, by }: QueueEntry,
): Promise<boolean> {
  const done = await client.query(INSERT_CAST, [
    file.castId,
    project,
    queue,
    priority,
    `${JSON.stringify(file, undefined, 1)}\n`,
    JSON.stringify(brings),
    tree ? JSON.stringify(tree.source) : null,
    JSON.stringify(notStartedSummary(file, false)),
    key ?? null,
    by ?? null,
    providersOf(file),
  ]);
  if (done.rowCount === 0) return false;
  if (tree?.pack) {
    const { head, ckpt, bytes } = tree.pack;
    const text = "insert into materia.packs values ($1, 0, $2, $3, 0, $4)";
    await client.query(text, [file.castId, head, ckpt, bytes]);
  }
  await client.query("select pg_notify('materia', $1), pg_notify('materia_due', '')", [file.castId]);
  return true;
}

/** [B21] The cast of a key, in the project of the fleet. */
export async function findCastByKey(
  { database, profile }: ConnectedFleet,
  key: string | undefined,
): Promise<Result<CastId | undefined>> {
  if (key === undefined) return ok(undefined);
  try {
    const [row] = await database.query<{ cast_id: CastId }>({
      text: "select cast_id from materia.casts where project = $1 and key = $2",
      values: [profile.project, key],
    });
    return ok(row?.cast_id);
  } catch (thrown) {
    return fail(databaseIssue(profile.name, thrown));
  }
}
