import { failWith, ok, type Result } from "../../../core/model/issue.ts";
import type { Database } from "../../store/postgres/database.ts";
import { errorText, hasErrorCode } from "../../system/files.ts";

export type Dbos = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS" | "DBOSClient"> &
  Pick<typeof import("@dbos-inc/dbos-sdk/eventreceiver"), "registerInternalQueue">;

const SDK_VERSION = "5.3.0";

/** [B1] Loaded when a worker starts: nobody else needs it installed. */
export async function loadDbos(): Promise<Result<Dbos>> {
  try {
    const { DBOS, DBOSClient } = await import("@dbos-inc/dbos-sdk");
    const { registerInternalQueue } = await import("@dbos-inc/dbos-sdk/eventreceiver");
    return ok({ DBOS, DBOSClient, registerInternalQueue });
  } catch {
    return missingSdkIssue();
  }
}

/** [B4] Creates the tables of the queues over our own connections: DBOS itself would open unencrypted ones. */
export async function migrateQueues(database: Database, url: string): Promise<Result<undefined>> {
  const { log } = console;
  try {
    const { ensureSystemDatabase, getDbosSchemaPermissionsSql } =
      await import("@dbos-inc/dbos-sdk/internal/system_database");
    const { GlobalLogger } = await import("@dbos-inc/dbos-sdk/internal/telemetry/logs");
    // DBOS logs to standard output, which belongs to the command.
    console.log = () => undefined;
    await ensureSystemDatabase(url, new GlobalLogger(), database.pool);
    for (const text of getDbosSchemaPermissionsSql("dbos", "materia_worker")) await database.queryOnce({ text });
    return ok(undefined);
  } catch (thrown) {
    if (hasErrorCode(thrown, "ERR_MODULE_NOT_FOUND")) return missingSdkIssue();
    return failWith("database_failed", "fleet", `cannot create the queues: ${errorText(thrown)}`);
  } finally {
    console.log = log;
  }
}

function missingSdkIssue(): Result<never> {
  const hint = `install it beside pi-materia: npm install @dbos-inc/dbos-sdk@${SDK_VERSION}`;
  return failWith("missing_package", "@dbos-inc/dbos-sdk", "a worker needs a package that is not installed", hint);
}
