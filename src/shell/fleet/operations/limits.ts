import type { FleetLimit, LimitChange, LimitKind } from "../../../core/command/command.ts";
import { fail, ok, type Result } from "../../../core/model/issue.ts";
import { databaseIssue } from "../../store/postgres/database/database.ts";
import type { OpenFleet } from "../open/fleet.ts";

/** [B22] At most so many casts at once, and how many there are now. */
export interface LimitStanding extends FleetLimit {
  readonly most: number;
  readonly busy: number;
}

export async function readLimits({ database, profile }: OpenFleet): Promise<Result<readonly LimitStanding[]>> {
  try {
    return ok(await database.rows<LimitStanding>({ text: "select * from materia.limit_standing()" }));
  } catch (thrown) {
    return fail(databaseIssue(profile.name, thrown));
  }
}

const SET = `with changed as (
    insert into materia.limits values ($1, $2, $3) on conflict (kind, name) do update set most = excluded.most returning 1)
  select pg_notify('materia_due', '') from changed`;
const UNSET = `with changed as (delete from materia.limits where kind = $1 and name = $2 returning 1)
  select pg_notify('materia_due', '') from changed`;

/** Workers are told, since there may be places now. False where there was no such limit. */
export async function changeLimit({ database, profile }: OpenFleet, change: LimitChange): Promise<Result<boolean>> {
  const { kind, name, most } = change;
  try {
    const rows = await database.rows(
      most === undefined ? { text: UNSET, values: [kind, name] } : { text: SET, values: [kind, name, most] },
    );
    return ok(rows.length > 0);
  } catch (thrown) {
    return fail(databaseIssue(profile.name, thrown));
  }
}

export function fleetLimitText({ kind, name }: { readonly kind: LimitKind; readonly name: string }): string {
  return kind === "all" ? "all casts" : `${kind} ${name}`;
}
