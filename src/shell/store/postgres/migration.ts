import { readFileSync } from "node:fs";
import { packagePath } from "../../system/package.ts";

/** The format of the tables. A database of a newer format is refused, since it would be misread. */
export const DATABASE_FORMAT = 5;

/** [B82] What one member may submit, if the fleet has no limits of these kinds. */
export const MEMBER_LIMITS = { waiting: 1_000, bytes: 10_000_000_000 } as const;

/** [B2] Creates or updates the tables, rights and functions of a fleet. */
export function readMigration(): string {
  return readFileSync(packagePath("schema", "fleet.sql"), "utf8");
}
