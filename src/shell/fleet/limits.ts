import type { FleetLimit, FleetLimitChange, FleetLimitKind } from "../../core/command/read-fleet-commands.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { sql, withDatabaseErrors } from "../store/postgres/database.ts";
import { MEMBER_LIMITS } from "../store/postgres/migration-submit.ts";
import type { ConnectedFleet } from "./open-fleet.ts";

/** [B22] A limit of concurrent casts, and how many run now. */
export interface LimitUsage extends FleetLimit {
  readonly most: number;
  readonly busy: number;
}

export async function readLimits({ database, profile }: ConnectedFleet): Promise<Result<readonly LimitUsage[]>> {
  return withDatabaseErrors(profile.name, async () => {
    const standing = await database.query<LimitUsage>({ text: "select * from materia.limit_standing()" });
    return ok([...standing, ...(await database.query<LimitUsage>({ text: MEMBER_LIMITS_QUERY }))]);
  });
}

/** [B82] Limits of one member have a default; `busy` is 0, since each member has a separate count. */
const MEMBER_LIMITS_QUERY = `select kind, '' as name, coalesce((select most::float8 from materia.limits l where l.kind = d.kind), most) as most, 0 as busy
  from (values ('waiting', ${MEMBER_LIMITS.waiting}::float8), ('bytes', ${MEMBER_LIMITS.bytes})) as d (kind, most)`;

/** Notifies workers: there may be free slots now. False if there was no such limit. */
export async function changeLimit(
  { database, profile }: ConnectedFleet,
  change: FleetLimitChange,
): Promise<Result<boolean>> {
  const { kind, name, most } = change;
  return withDatabaseErrors(profile.name, async () => {
    const rows = await database.query(
      most === undefined
        ? sql`with changed as (delete from materia.limits where kind = ${kind} and name = ${name} returning 1)
            select pg_notify('materia_due', '') from changed`
        : sql`with changed as (insert into materia.limits values (${kind}, ${name}, ${most})
              on conflict (kind, name) do update set most = excluded.most returning 1)
            select pg_notify('materia_due', '') from changed`,
    );
    return ok(rows.length > 0);
  });
}

export function fleetLimitText({ kind, name }: { readonly kind: FleetLimitKind; readonly name: string }): string {
  if (kind === "waiting") return "casts and schedules of one member that wait";
  if (kind === "bytes") return "bytes that one member submits in a day";
  return kind === "all" ? "all casts" : `${kind} ${name}`;
}
