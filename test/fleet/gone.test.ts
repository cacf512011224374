import { existsSync, mkdirSync, mkdtempSync, utimesSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fleetPlace, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import {
  deleteStaleWorkers,
  removeOrphanedFolders,
  createWorkerId,
} from "../../src/shell/fleet/worker/worker-registry.ts";
import { closing, enrol, fleetDatabase } from "../harness/fleet/postgres.ts";

it("[B57, B66] workers gone for a week are deleted, unless they own something; so are their folders", async () => {
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
    await database.query({
      text: "update materia.workers set state = $2, seen_at = now() - $3::int * interval '1 day' where worker_id = $1",
      values: [id, state, age],
    });
  }
  await database.query({
    text: "insert into materia.casts (cast_id, project, file, summary, owner) values ('c-1', 'p', '{}', '{}', 'owner')",
  });
  await database.query({
    text: "insert into dbos.workflow_status (workflow_uuid, status, executor_id) values ('c-2:1', 'PENDING', 'begun')",
  });
  await deleteStaleWorkers(database, ["begun"]);
  const left = await database.query<{ worker_id: string }>({
    text: "select worker_id from materia.workers order by n",
  });
  expect(left.map(({ worker_id: id }) => id)).toEqual(["recent", "silent", "owner", "begun"]);

  const base = mkdtempSync(join(tmpdir(), "materia-left-"));
  // No process has a number as large as this one.
  const folder = (pid: number, age: number, host = hostname()): string => {
    const path = join(base, createWorkerId(host, pid, "abc123"));
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
  await removeOrphanedFolders(database, base);
  expect(folders.map((path) => existsSync(path))).toEqual([false, true, true, true]);
});

it("[B66] queue data of dispatches that ended a week ago is deleted, and their casts stay", async () => {
  const place = await fleetPlace();
  const { database } = place;
  const keyed = ["cast", "--detach", "--key", "nightly", place.gate];
  await place.worker();
  const done = (await place.materia(...keyed)).stdout.trim();
  const asking = await submitted(place, "Asking");
  await until(
    async () => (await statusOn(place, done)) === "completed" && (await statusOn(place, asking)) === "waiting",
  );
  // The queues hear of the end of a leg after the cast has said so.
  const legs = async (): Promise<readonly string[]> => {
    const rows = await database.query<{ id: string }>({
      text: `select workflow_uuid as id from dbos.workflow_status union select workflow_uuid from dbos.operation_outputs
        union select workflow_uuid from dbos.workflow_input union select workflow_uuid from dbos.workflow_output order by id`,
    });
    return rows.map(({ id }) => id);
  };
  await until(
    async () =>
      (await database.query({ text: "select from dbos.workflow_status where completed_at is not null" })).length === 2,
  );
  await database.query({
    text: `insert into dbos.workflow_status (workflow_uuid, status, created_at, completed_at)
      select id, status, at, case when status = 'SUCCESS' then at end
      from (values ('begun', 'PENDING', 30), ('recent', 'SUCCESS', 6)) as t (id, status, days),
        lateral (select (extract(epoch from now() - days * interval '1 day') * 1000)::bigint as at) as n`,
  });
  await database.query({
    text: "update dbos.workflow_status set completed_at = completed_at - $1::bigint where workflow_uuid like '%:1'",
    values: [8 * 24 * 3_600_000],
  });
  await until(async () => !(await legs()).some((id) => id.endsWith(":1")));
  expect(await legs()).toEqual(["begun", "recent"]);
  expect((await place.materia("show", done)).stdout).toContain("completed");
  expect((await place.materia(...keyed)).stdout.trim()).toBe(done);
  expect((await place.materia("continue", asking, "--detach")).code).toBe(0);
  await until(async () => (await statusOn(place, asking)) === "completed");
});
