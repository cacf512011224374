import { expect, it } from "vitest";
import { fleetPlace, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

it("[B75] a programming error in a duty ends the worker with a logged reason and code 70", async () => {
  const place = await fleetPlace();
  await place.database.query({ text: "insert into materia.limits values ('all', '', 0)" });
  await submitted(place, "Quick");
  const worker = await place.worker({ sweepError: "reading 'connection' of undefined" });
  expect(await worker.ended).toBe(70);
  expect(worker.states.at(-1)).toEqual({
    kind: "failed",
    reason: "the sweep failed: TypeError: reading 'connection' of undefined",
  });
  const [row] = await place.database.query<{ state: string }>({ text: "select state from materia.workers" });
  expect(row?.state).toBe("gone");
});

it("[B74, B75] broken connections are waited for, and the worker goes on", async () => {
  const place = await fleetPlace();
  const worker = await place.worker();
  await until(async () => {
    const cut = await place.database.query({
      text: "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    });
    return cut.length >= 2;
  });
  const castId = await submitted(place, "Quick");
  await until(async () => (await statusOn(place, castId)) === "completed");
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  expect(worker.states.map(({ kind }) => kind)).toEqual(["running", "draining", "drained"]);
});
