import type { PoolClient } from "pg";
import { failWith, fail, type Result } from "../../../core/model/issue.ts";
import { databaseIssue, openDatabase, type DatabaseAddress } from "../../store/postgres/database.ts";
import { DATABASE_FORMAT, readMigration } from "../../store/postgres/migration.ts";
import { hasErrorCode } from "../../system/files.ts";
import { serverVersionIssue } from "../open-fleet.ts";
import { migrateQueues } from "./dbos-sdk.ts";

/** Serializes the first migrations. Later ones lock a table, since members may take any advisory lock. */
const MIGRATION_LOCK = 7_703;

/** [B2] Creates the tables of a fleet, or updates them. */
export async function migrateFleet(address: DatabaseAddress): Promise<Result<undefined>> {
  const opened = await openDatabase(address);
  if (!opened.ok) return opened;
  try {
    const old = await serverVersionIssue(opened.value, "fleet migrate");
    if (old) return fail(old);
    const isNewer = await retryLocked(() =>
      opened.value.transaction(async (client) => {
        const isFirst = (await readFormat(client)) === undefined;
        if (isFirst) await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
        else await client.query("lock table materia.format in share row exclusive mode");
        const before = await readFormat(client);
        // A migration would restore the older functions.
        if (before !== undefined && before > DATABASE_FORMAT) return true;
        await client.query(readMigration());
        if (before !== undefined && before < DATABASE_FORMAT) await client.query(EVICT_WORKERS);
        return false;
      }),
    );
    if (isNewer) {
      const hint = "run fleet migrate of that version";
      return failWith("database_too_new", "fleet migrate", "a newer version created the tables", hint);
    }
    return await migrateQueues(opened.value, address.url);
  } catch (thrown) {
    return fail(databaseIssue("fleet migrate", thrown));
  } finally {
    await opened.value.close();
  }
}

const MAX_TRIES = 10;

/** Running workers lock the same tables in another order: of two that wait for each other the database ends one. */
async function retryLocked<T>(work: () => Promise<T>, tries = MAX_TRIES): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (tries <= 1 || !(hasErrorCode(thrown, "40P01") || hasErrorCode(thrown, "55P03"))) throw thrown;
    return retryLocked(work, tries - 1);
  }
}

/** Evicts workers of older versions: they do not know the new tables. Each exits at its next heartbeat. */
const EVICT_WORKERS = `
with older as (
  update materia.workers set state = 'gone' where state <> 'gone' returning worker_id
)
update materia.casts set status = 'queued' where status = 'running' and owner in (select worker_id from older)`;

async function readFormat(client: PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ there: boolean }>("select to_regclass('materia.format') is not null as there");
  if (!rows[0]?.there) return undefined;
  const newest = await client.query<{ version: number | null }>("select max(version) as version from materia.format");
  return newest.rows[0]?.version ?? undefined;
}
