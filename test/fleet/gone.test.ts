import { existsSync, mkdirSync, mkdtempSync, utimesSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forgetGone, removeLeft, workerName } from "../../src/shell/fleet/operations/gone.ts";
import { closing, enrol, fleetDatabase } from "../harness/fleet/postgres.ts";

it("[B14, B18] workers that are gone for a week are forgotten, unless something of theirs is left; so are their folders", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  const days: Readonly<Record<string, readonly [state: string, days: number]>> = {
    old: ["gone", 8],
    recent: ["gone", 6],
    silent: ["up", 8],
    owner: ["gone", 8],
    begun: ["gone", 8],
  };
  for (const [id, [state, age]] of Object.entries(days)) {
    await enrol(database, id);
    await database.rows({
      text: "update materia.workers set state = $2, seen_at = now() - $3::int * interval '1 day' where worker_id = $1",
      values: [id, state, age],
    });
  }
  await database.rows({
    text: "insert into materia.casts (cast_id, project, file, summary, owner) values ('c-1', 'p', '{}', '{}', 'owner')",
  });
  await database.rows({
    text: "insert into dbos.workflow_status (workflow_uuid, status, executor_id) values ('c-2:1', 'PENDING', 'begun')",
  });
  await forgetGone(database);
  const left = await database.rows<{ worker_id: string }>({ text: "select worker_id from materia.workers order by n" });
  expect(left.map(({ worker_id: id }) => id)).toEqual(["recent", "silent", "owner", "begun"]);

  const base = mkdtempSync(join(tmpdir(), "materia-left-"));
  // No process has a number as large as this one.
  const folder = (pid: number, age: number, host = hostname()): string => {
    const path = join(base, workerName(host, pid, "abc123"));
    mkdirSync(join(path, "trees"), { recursive: true });
    utimesSync(path, Date.now() / 1000, Date.now() / 1000 - age * 24 * 3600);
    return path;
  };
  const folders = [
    folder(99_999_999, 8),
    folder(99_999_998, 6),
    folder(process.pid, 8),
    folder(99_999_999, 8, "elsewhere"),
  ];
  await removeLeft(database, base);
  expect(folders.map((path) => existsSync(path))).toEqual([false, true, true, true]);
});
