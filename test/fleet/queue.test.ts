import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../harness/cli.ts";
import { fleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

it("[YQ9] the queue feeds a fleet, and what the fleet has is cast nowhere else", async () => {
  const place = await fleetPlace();
  const queued = async () => JSON.parse((await run(["queue", "--json"], { cwd: place.cwd })).stdout);
  await run(["queue", "add", place.gate], { cwd: place.cwd });
  await run(["queue", "add", place.gate], { cwd: place.cwd });
  const running = place.materia("queue", "run", "--at-once", "2", "--json");
  await until(async () => (await place.database.query({ text: "select cast_id from materia.casts" })).length === 2);
  await place.worker();
  const ran = await running;
  expect(JSON.parse(ran.stdout)).toMatchObject({ left: 0, casts: [{ status: "completed" }, { status: "completed" }] });
  expect(ran.code).toBe(0);

  await run(["queue", "add", "elsewhere"], { cwd: place.cwd });
  const [{ id }] = await queued();
  const mark = JSON.stringify({ castId: "20260101-000000-aaaaaa", fleet: "f" });
  writeFileSync(join(place.cwd, `.pi/pi-materia/.queue/${id}.cast`), mark);
  const here = await run(["queue", "run", "--json"], { cwd: place.cwd });
  expect(JSON.parse(here.stdout)).toMatchObject({ casts: [], left: 1 });
  expect(await queued()).toMatchObject([{ request: "elsewhere", fleet: "f" }]);
});
