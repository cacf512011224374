import { expect, it } from "vitest";
import { migrateFleet } from "../../src/shell/fleet/worker/migrate-fleet.ts";
import type { Database } from "../../src/shell/store/postgres/database.ts";
import { submission } from "../harness/fleet/members.ts";
import { fleetDatabase, opened } from "../harness/fleet/postgres.ts";

/** A role that may log in, as one of the two that the migration makes. */
async function roleOf(
  admin: Database,
  url: string,
  name: string,
  of: "materia_member" | "materia_worker",
): Promise<Database> {
  await admin.queryOnce({ text: `create role ${name} login password 'x' in role ${of}` });
  return opened(url.replace(/\/\/[^@]*@/, `//${name}:x@`));
}

const submit = (project: string, id: string) => submission(id, project);

it("[B19] people see and submit to the projects that they are members of, and change nothing by hand", async () => {
  const { url, database: admin } = await fleetDatabase();
  expect((await migrateFleet({ url })).ok).toBe(true);
  const suffix = Math.random().toString(36).slice(2, 8);
  const [ann, ben] = [`ann_${suffix}`, `ben_${suffix}`];
  const [asAnn, asBen] = [
    await roleOf(admin, url, ann, "materia_member"),
    await roleOf(admin, url, ben, "materia_member"),
  ];
  const worker = await roleOf(admin, url, `w_${suffix}`, "materia_worker");
  await admin.queryOnce({ text: "insert into materia.members values ('red', $1), ('blue', $2)", values: [ann, ben] });
  const refused = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "allowed",
      (thrown: { code?: string }) => thrown.code,
    );
  expect(await refused(asAnn.queryOnce(submit("red", "r-1")))).toBe("allowed");
  expect(await refused(asBen.queryOnce(submit("blue", "b-1")))).toBe("allowed");
  const seen = async (as: Database): Promise<unknown> =>
    (await as.queryOnce<{ cast_id: string }>({ text: "select cast_id from materia.casts order by 1" })).map(
      (row) => row.cast_id,
    );
  expect([await seen(asAnn), await seen(asBen), await seen(worker)]).toEqual([["r-1"], ["b-1"], ["b-1", "r-1"]]);
  const forbidden = [
    asAnn.queryOnce(submit("blue", "b-2")),
    asAnn.queryOnce({ text: "insert into materia.casts (cast_id) values ('r-2')" }),
    asAnn.queryOnce({ text: "update materia.casts set status = 'completed'" }),
    asAnn.queryOnce({ text: "delete from materia.casts" }),
    asAnn.queryOnce({ text: "insert into materia.events values ('r-1', 1, '{}')" }),
    asAnn.queryOnce({ text: "insert into materia.members values ('blue', $1)", values: [ann] }),
    asAnn.queryOnce({ text: "select 1 from dbos.workflow_status" }),
    worker.queryOnce({ text: "alter table materia.casts add column x int" }),
  ];
  expect(await Promise.all(forbidden.map(refused))).toEqual(Array.from({ length: 8 }, () => "42501"));
  // As an item of another's cast it would be given their files, and be merged into them.
  const items = [asAnn.queryOnce(submit("red", "b-1_1_WI-1")), asAnn.queryOnce(submit("red", "b-1_2_WI-10_2"))];
  expect(await Promise.all(items.map(refused))).toEqual(["22023", "22023"]);
  const abort = async (as: Database, id: string): Promise<unknown> =>
    (await as.queryOnce({ text: "select materia.ask_abort($1) as said", values: [id] }))[0];
  expect([await abort(asAnn, "b-1"), await abort(asAnn, "r-1")]).toEqual([{ said: "unknown" }, { said: "asked" }]);
  const telling = (event: object) => ({
    text: "select materia.tell_cast('r-1', 0, $1, true) as said",
    values: [[JSON.stringify(event)]],
  });
  await admin.queryOnce({ text: "update materia.casts set status = 'waiting'" });
  expect(await asAnn.queryOnce(telling({ type: "visit_completed", seq: 1 }))).toEqual([{ said: "refused" }]);
  expect(await asBen.queryOnce(telling({ type: "person_answered", seq: 1 }))).toEqual([{ said: "unknown" }]);
  for (const each of [asAnn, asBen, worker, admin]) await each.close();
});
