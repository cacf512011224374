import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { databaseIssue, openDatabase, type Database } from "../store/postgres/database.ts";
import { DATABASE_FORMAT } from "../store/postgres/migration.ts";
import { postgresStore, type PostgresStore } from "../store/postgres/postgres-store.ts";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { FleetProfile } from "../../core/model/config.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { didYouMean } from "../../core/model/text.ts";
import { configFolder, expandVariables, type ConfigContext } from "../config/config.ts";
import { LOCAL_FLEET, hasLocalFleet, localFleetUrl } from "./local-fleet.ts";
import { errorText } from "../system/files.ts";

export interface ConnectedFleet {
  readonly profile: ResolvedFleetProfile;
  readonly database: Database;
  readonly store: PostgresStore;
}

const MIN_SERVER_VERSION = 150_000;

export async function openFleet(
  profile: ResolvedFleetProfile,
  sees: "project" | "all" = "project",
): Promise<Result<ConnectedFleet>> {
  const opened = await openCheckedDatabase(profile);
  if (!opened.ok) return opened;
  const database = opened.value;
  const { name, project } = profile;
  const scope =
    sees === "all" ? { location: `fleet ${name}` } : { location: `fleet ${name}, project ${project}`, project };
  return ok({ profile, database, store: postgresStore({ database, ...scope }) });
}

/** [B2] Opens a database whose version and tables fit; otherwise fails before anything is changed. */
export async function openCheckedDatabase(profile: ResolvedFleetProfile, patienceMs = 0): Promise<Result<Database>> {
  const opened = await openDatabase(profile, { patienceMs });
  if (!opened.ok) return opened;
  const at = `fleet.profiles.${profile.name}.url`;
  const issue = await databaseFormatIssue(opened.value, at).catch((thrown: unknown) => databaseIssue(at, thrown));
  if (!issue) return opened;
  await opened.value.close();
  return fail(issue);
}

/** [B2] Checked before a migration too: an older server would accept only a part of the tables. */
export async function serverVersionIssue(database: Database, at: string): Promise<Issue | undefined> {
  const [server] = await database.queryOnce<{ version: number; said: string }>({
    text: "select current_setting('server_version_num')::int as version, current_setting('server_version') as said",
  });
  if ((server?.version ?? 0) >= MIN_SERVER_VERSION) return undefined;
  return error("database_too_old", at, `this is Postgres ${server?.said}; Postgres 15 or newer is needed`);
}

async function databaseFormatIssue(database: Database, at: string): Promise<Issue | undefined> {
  const old = await serverVersionIssue(database, at);
  if (old) return old;
  const [format] = await database.queryOnce<{ version: number }>({
    text: "select max(version) as version from materia.format",
  });
  if ((format?.version ?? 0) > DATABASE_FORMAT)
    return error("database_too_new", at, "a newer version created its tables", "install that version here");
  if ((format?.version ?? 0) < DATABASE_FORMAT) {
    const hint = suggest`${typed`fleet migrate`} updates them; workers of that version run until they are stopped`;
    return error("database_not_migrated", at, "its tables are those of an older version", hint);
  }
  return undefined;
}

/** A profile with all defaults and environment variables filled in. */
export interface ResolvedFleetProfile extends Pick<FleetProfile, "url" | "ca" | "deliver"> {
  readonly name: string;
  readonly project: string;
  readonly queue: string;
  readonly setup?: readonly string[];
  /** [B77] Where a worker fetches and pushes. */
  readonly remotes?: readonly string[];
  readonly maxCheckpointBytes: number;
}

const PROFILE_DEFAULTS = { queue: "casts", maxCheckpointBytes: 200 * 1024 * 1024 };

/** [B3] Finds a profile in the user's own configuration. */
export function resolveFleetProfile(
  { fleet }: Pick<Catalog, "fleet">,
  name: string,
  context: ConfigContext,
): Result<ResolvedFleetProfile> {
  const profiles = fleet?.profiles ?? {};
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  const local = found || name !== LOCAL_FLEET ? undefined : localFleetUrl(context.env);
  if (local !== undefined)
    // Everybody who submits to the fleet of this machine may read its folders anyway.
    return ok({ ...PROFILE_DEFAULTS, name, url: local, project: basename(context.cwd), remotes: ["*"] });
  if (!found && name === LOCAL_FLEET && hasLocalFleet(context.env)) {
    const message = "the database of the fleet on this machine does not run";
    return failWith("database_unreachable", name, message, suggest`${typed`fleet up`} starts it, with all its casts`);
  }
  if (!found) {
    const names = Object.keys(profiles);
    if (name === LOCAL_FLEET) {
      const message = `there is no fleet "${name}" on this machine`;
      return failWith("unknown_fleet", name, message, suggest`${typed`fleet up`} starts it`);
    }
    const hint = didYouMean(name, names) ?? `add fleet.profiles.${name}.url to your own configuration`;
    return failWith("unknown_fleet", name, `there is no fleet "${name}" in your configuration`, hint);
  }
  const url = expandVariables(found.url, `fleet.profiles.${name}.url`, context.env);
  if (!url.ok) return url;
  const ca = readCertificate(found, name, context.env);
  if (!ca.ok) return ca;
  const { url: _url, ca: _ca, project = basename(context.cwd), ...said } = found;
  return ok({ ...PROFILE_DEFAULTS, ...said, name, url: url.value, project, ...withoutUndefined({ ca: ca.value }) });
}

function readCertificate({ ca }: FleetProfile, profile: string, env: ConfigContext["env"]): Result<string | undefined> {
  if (ca === undefined) return ok(undefined);
  const file = resolve(configFolder(env), ca);
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (thrown) {
    return fail({ ...error("unreadable_file", `fleet.profiles.${profile}.ca`, errorText(thrown)), file });
  }
}
