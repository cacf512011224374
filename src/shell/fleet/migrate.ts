import { fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { databaseIssue, openDatabase } from "../store/postgres/database/database.ts";
import type { DatabaseAddress } from "../store/postgres/database/database.ts";
import { MIGRATION } from "../store/postgres/database/migration.ts";
import { migrateQueues } from "./worker/dispatcher.ts";

/** Two who migrate at once go one after another. */
const MIGRATING = 7_703;

/** [B2] Makes the tables of a fleet, or leaves them as they are. */
export async function migrate(address: DatabaseAddress): Promise<Result<undefined>> {
  const opened = await openDatabase(address);
  if (!opened.ok) return opened;
  try {
    await opened.value.transaction(async (client) => {
      await client.query("select pg_advisory_xact_lock($1)", [MIGRATING]);
      await client.query(MIGRATION);
    });
  } catch (thrown) {
    return fail(databaseIssue("fleet migrate", thrown));
  } finally {
    await opened.value.close();
  }
  const queues = await migrateQueues(address.url);
  return queues.ok ? ok(undefined) : queues;
}
