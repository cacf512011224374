import { error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { databaseIssue, openDatabase, type Database } from "../../store/postgres/database/database.ts";
import { DATABASE_FORMAT } from "../../store/postgres/database/migration.ts";
import { postgresStore, type PostgresStore } from "../../store/postgres/postgres-store.ts";
import type { ResolvedFleetProfile } from "./profile.ts";

/** A fleet that somebody speaks with: its casts, and the database that they stand in. */
export interface ConnectedFleet {
  readonly profile: ResolvedFleetProfile;
  readonly database: Database;
  readonly store: PostgresStore;
}

/** Oldest Postgres whose tables have what the migration uses. */
const MIN_SERVER_VERSION = 150_000;

/** A person's view of a fleet: the casts of one project or of all of theirs, to be looked at, submitted and set going again. */
export async function openFleet(profile: ResolvedFleetProfile, sees: "project" | "all" = "project"): Promise<Result<ConnectedFleet>> {
  const opened = await openCheckedDatabase(profile);
  if (!opened.ok) return opened;
  const database = opened.value;
  const store =
    sees === "all"
      ? postgresStore({ database, location: `fleet ${profile.name}` })
      : postgresStore({
          database,
          location: `fleet ${profile.name}, project ${profile.project}`,
          project: profile.project,
        });
  return ok({ profile, database, store });
}

/** [B2] Connected with a database that can be used as it is; refused before anything is done. */
export async function openCheckedDatabase(profile: ResolvedFleetProfile, patienceMs = 0): Promise<Result<Database>> {
  const opened = await openDatabase(profile, { patienceMs });
  if (!opened.ok) return opened;
  const at = `fleet.profiles.${profile.name}.url`;
  const issue = await databaseFormatIssue(opened.value, at).catch((thrown: unknown) => databaseIssue(at, thrown));
  if (!issue) return opened;
  await opened.value.close();
  return fail(issue);
}

/** [B2] Asked also before tables are made: an older server would take half of them. */
export async function serverVersionIssue(database: Database, at: string): Promise<Issue | undefined> {
  const [server] = await database.queryOnce<{ version: number; said: string }>({
    text: "select current_setting('server_version_num')::int as version, current_setting('server_version') as said",
  });
  if ((server?.version ?? 0) >= MIN_SERVER_VERSION) return undefined;
  return error("database_too_old", at, `Postgres 15 or newer is needed, and this is ${server?.said}`);
}

async function databaseFormatIssue(database: Database, at: string): Promise<Issue | undefined> {
  const old = await serverVersionIssue(database, at);
  if (old) return old;
  const [format] = await database.queryOnce<{ version: number }>({
    text: "select max(version) as version from materia.format",
  });
  if ((format?.version ?? 0) > DATABASE_FORMAT)
    return error("database_too_new", at, "its tables were made by a newer version", "use that version here as well");
  if ((format?.version ?? 0) < DATABASE_FORMAT)
    return error(
      "database_not_migrated",
      at,
      "its tables are those of an older version",
      '"materia fleet migrate" brings them up to date; workers of that version go on until they are stopped',
    );
  return undefined;
}
