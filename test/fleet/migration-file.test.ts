import { expect, it } from "vitest";
import { DATABASE_FORMAT, MEMBER_LIMITS, readMigration } from "../../src/shell/store/postgres/migration.ts";

it("[B2, B82] schema/fleet.sql has the format and the limits of members that the program reads", () => {
  const sql = readMigration();
  const limit = (kind: string) => new RegExp(`where kind = '${kind}'\\), (\\d+)\\)`).exec(sql)?.[1];
  expect(/insert into materia\.format values \((\d+)\)/.exec(sql)?.[1]).toBe(String(DATABASE_FORMAT));
  expect({ waiting: Number(limit("waiting")), bytes: Number(limit("bytes")) }).toEqual(MEMBER_LIMITS);
});
