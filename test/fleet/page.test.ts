import { expect, it } from "vitest";
import type { FleetStatus } from "../../src/core/view/progress/fleet-status.ts";
import { isEvent, type Message } from "../webserver/harness.ts";
import { fleetPage } from "../harness/fleet/fleet-page.ts";
import { fleetPlace, isWaiting, letGo, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { put } from "../harness/cli.ts";
import { git } from "../git/scratch.ts";

const isCast =
  (castId: string, status: string) =>
  ({ event, data }: Message): boolean =>
    event === "cast" &&
    (data as { castId: string }).castId === castId &&
    (data as { status: string }).status === status;

it("[B26, B29] the page of a fleet lists the team's casts live, with their workers and why one waits", async () => {
  const place = await fleetPlace();
  const before = await submitted(place, "Slow");
  const page = await fleetPage(place);
  const list = await page.listen("/api/casts/stream");
  const known = await list.until(({ event }) => event === "ready");
  expect(known.map(({ event }) => event)).toEqual(["cast", "ready"]);
  expect(known[0]?.data).toMatchObject({
    castId: before,
    status: "queued",
    fleet: { project: "p", person: expect.any(String), worker: null },
  });
  const fleet = await page.listen("/api/fleet/stream");
  const standing = (data: unknown): FleetStatus => data as FleetStatus; // read by the page with its schema
  const [empty] = await fleet.until(({ event }) => event === "fleet");
  expect(standing(empty?.data)).toMatchObject({
    workers: [],
    queued: 1,
    queue: [{ castId: before, place: 1, project: "p", queue: "casts", why: { kind: "nobody_up" } }],
  });
  const { id } = await place.worker();
  const busy = await fleet.until(({ data }) => standing(data).workers[0]?.casts.length === 1);
  expect(standing(busy.at(-1)?.data)).toMatchObject({
    queued: 0,
    workers: [{ worker: id, state: "up", concurrency: 2 }],
  });
  await fleet.close();
  const running = (await list.until(isCast(before, "running"))).at(-1);
  expect(running?.data).toMatchObject({ fleet: { worker: id } });
  await until(() => isWaiting(place, "Socket-2"));
  letGo(place);
  await list.until(isCast(before, "completed"));
  await place.database.query({
    text: "with gone as (delete from materia.casts returning notice) select pg_notify('materia', notice::text) from gone",
  });
  expect((await list.until(({ event }) => event === "gone")).at(-1)?.data).toEqual({ castId: before });
  await list.close();
});

it("[B68] a cast is submitted, watched, answered and read from the page of a fleet, with its files", async () => {
  const place = await fleetPlace();
  const page = await fleetPage(place);
  // Casts that are kept here are no part of what is submitted.
  put(place.cwd, { ".pi/pi-materia/older/journal.jsonl": "{}" });
  const begun = await page.send(`cast --loadout Asking -- ${place.gate}`);
  expect(begun).toMatchObject({ status: 202, body: { castId: expect.any(String) } });
  const castId = String(begun.body["castId"]);
  // Answered before any worker has it: a fleet may be busy for hours.
  expect(await statusOn(place, castId)).toBe("queued");
  const events = await page.listen(`/api/casts/${castId}/events`);
  await place.worker();
  await events.until(isEvent("cast_waiting"));
  await until(async () => (await statusOn(place, castId)) === "waiting");
  expect(await page.send(`continue ${castId}`)).toMatchObject({ status: 202 });
  const rest = await events.until(isEvent("cast_ended"));
  expect(rest.some(isEvent("person_judged"))).toBe(true);
  await events.close();
  const told = (await (await page.ask(`/api/casts/${castId}`)).json()) as { events: unknown[]; summary: unknown };
  expect(told.summary).toMatchObject({ status: "completed", fleet: { project: "p" } });
  const changes = (await (await page.ask(`/api/casts/${castId}/changes`)).json()) as { files: { path: string }[] };
  expect(changes.files.map(({ path }) => path)).toEqual(["work.log"]);
  expect(await page.send(`take ${castId} --on f`)).toMatchObject({ status: 200, body: { code: 0 } });
  expect(git(place.cwd, "branch", "--list", "materia/*")).toContain(castId);
  expect(git(place.cwd, "ls-tree", "-r", "--name-only", `materia/${castId}`)).not.toContain(".pi/");
});

it("[B68, B69] budget and abort go to the fleet; other commands are refused as on the command line", async () => {
  const place = await fleetPlace();
  const page = await fleetPage(place);
  const castId = await submitted(place, "Slow");
  const refusals = await Promise.all(
    [
      `continue ${castId}`,
      `fork ${castId}`,
      "casts --on other",
      "fleet workers --on f",
      "casts prune --keep 1",
      "abort 20260101-000000-nobody",
    ].map(async (command) => {
      const { status, body } = await page.send(command);
      const [issue] = body["issues"] as { code: string }[];
      return `${status} ${issue?.code}`;
    }),
  );
  expect(refusals).toEqual([
    "409 not_awaiting_person",
    "422 unsupported_on_fleet",
    "422 command_unavailable",
    "422 command_unavailable",
    "422 unsupported_on_fleet",
    "404 unknown_cast",
  ]);
  expect(await page.send(`abort ${castId}`)).toMatchObject({ status: 200, body: { data: { status: "asked" } } });
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "aborted");
  expect(await page.send(`budget ${castId} 2M`)).toMatchObject({
    status: 200,
    body: { data: { maxTokens: 2_000_000 } },
  });
  const shown = await page.send(`status ${castId}`);
  expect(shown.body["text"]).toContain(`materia --on f recast ${castId}`);
});

it("[B26] after a lost connection to the database the list catches up", async () => {
  const place = await fleetPlace();
  const page = await fleetPage(place);
  const list = await page.listen("/api/casts/stream");
  await list.until(({ event }) => event === "ready");
  await place.database.query({
    text: "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  });
  const castId = await submitted(place, "Quick");
  expect((await list.until(isCast(castId, "queued"))).at(-1)?.data).toMatchObject({ castId });
  await list.close();
});
