import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { submitDueSchedules } from "../../src/shell/fleet/worker/send-due.ts";
import { git } from "../git/scratch.ts";
import { fileOf, fleetPlace, statusOn, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

interface Row {
  readonly next_at: Date;
  readonly last_cast: string | null;
  readonly problem: string | null;
}

async function scheduled({ database }: FleetPlace): Promise<Row> {
  const [row] = await database.query<Row & Record<string, unknown>>({ text: "select * from materia.schedules" });
  if (!row) throw new Error("there is no schedule");
  return row;
}

/** As if the clock had gone on. */
const dueSince = ({ database }: FleetPlace, time: string) =>
  database.query({ text: "update materia.schedules set next_at = now() - $1::interval", values: [time] });

async function castsOf({ database }: FleetPlace): Promise<readonly string[]> {
  const rows = await database.query<{ cast_id: string }>({
    text: "select cast_id from materia.casts order by cast_id",
  });
  return rows.map((row) => row.cast_id);
}

it("[B23, B44] a due schedule is submitted once by any number of workers, also after many missed times", async () => {
  const place = await fleetPlace();
  const before = Date.now();
  const added = await place.materia("fleet", "schedule", "add", "0 0 29 2 *", "--here", "--", "cast", place.gate);
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(added.stdout).toContain("on the files of when it was added");
  const { next_at: next } = await scheduled(place);
  expect(next.getTime()).toBeGreaterThan(before);
  await Promise.all([1, 2, 3].map(() => submitDueSchedules(place.database)));
  expect(await castsOf(place)).toEqual([]);
  await dueSince(place, "3 days");
  await Promise.all([1, 2, 3].map(() => submitDueSchedules(place.database)));
  const [castId = "none", ...more] = await castsOf(place);
  expect(more).toEqual([]);
  const row = await scheduled(place);
  expect([row.last_cast, row.problem, row.next_at.getTime() > before]).toEqual([castId, null, true]);
  // As long as that one is under way, no other is submitted.
  await dueSince(place, "1 minute");
  await submitDueSchedules(place.database);
  expect([await castsOf(place), (await scheduled(place)).problem]).toEqual([
    [castId],
    "the cast before was still under way",
  ]);
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  const listed = await place.materia("fleet", "schedule");
  expect(listed.stdout).toContain("Last submission failed: the cast before was still under way");
  const removed = await place.materia("fleet", "schedule", "remove", "1");
  expect([removed.code, (await place.materia("fleet", "schedule", "list", "--json")).stdout.trim()]).toEqual([0, "[]"]);
  expect((await place.materia("fleet", "schedule", "remove", "1")).stderr).toContain("unknown_schedule");
});

it("[B43] without --here a cast begins with the branch of that time", async () => {
  const place = await fleetPlace();
  const add = () => place.materia("fleet", "schedule", "add", "0 3 * * *", "--", "cast", place.gate);
  expect(await add()).toMatchObject({ code: 2, stderr: expect.stringContaining("unpushed_branch") });
  const remote = join(dirname(place.cwd), "remote.git");
  git(place.cwd, "init", "-q", "--bare", remote);
  git(place.cwd, "remote", "add", "origin", remote);
  git(place.cwd, "push", "-q", "origin", "main");
  expect((await add()).stdout).toContain("on main as it is then");
  writeFileSync(join(place.cwd, "first.txt"), "two\n");
  git(place.cwd, "commit", "-qam", "second");
  git(place.cwd, "push", "-q", "origin", "main");
  writeFileSync(join(place.cwd, "first.txt"), "three, and only here\n");
  await dueSince(place, "1 second");
  await place.worker();
  const castId = await until(async () => (await scheduled(place)).last_cast ?? undefined);
  await until(async () => (await statusOn(place, castId)) === "completed");
  expect((await place.materia("take", castId)).code).toBe(0);
  expect(fileOf(place.cwd, `materia/${castId}`, "first.txt")).toBe("two");
  expect(fileOf(place.cwd, `materia/${castId}`, "work.log")).toBe("Socket-1\nSocket-2");
});

it("[B45] an invalid time is refused before anything is packed", async () => {
  const place = await fleetPlace();
  const words = ["fleet", "schedule", "add", "0 25 * * *", "--zone", "Nowhere/City", "--here", "--", "cast", "x"];
  const refused = await place.materia(...words);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/bad_schedule[\s\S]*no time zone/)]);
  expect(await place.database.query({ text: "select from materia.schedules" })).toEqual([]);
});

it("[B23] a schedule whose time zone the workers do not know submits once more, never again, and says why", async () => {
  const place = await fleetPlace();
  await place.materia("fleet", "schedule", "add", "0 3 * * *", "--here", "--", "cast", place.gate);
  await place.database.query({ text: "update materia.schedules set zone = 'Nowhere/City'" });
  await dueSince(place, "1 minute");
  expect(await submitDueSchedules(place.database)).toBe(1);
  expect(await scheduled(place)).toMatchObject({
    next_at: Number.POSITIVE_INFINITY,
    problem: 'there is no time zone "Nowhere/City"',
  });
  expect(await submitDueSchedules(place.database)).toBe(0);
});
