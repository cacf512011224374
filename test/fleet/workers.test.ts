import type { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createPauseControl } from "../../src/shell/fleet/worker/dispatch-state.ts";
import {
  HEARTBEAT_TIMING,
  openWorkerSession,
  type WorkerRegistration,
} from "../../src/shell/fleet/worker/worker-registry.ts";
import type { Database, Statement } from "../../src/shell/store/postgres/database.ts";
import { fleetPlace, letGo, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { closing, enrol, fleetDatabase } from "../harness/fleet/postgres.ts";
import { submitMore } from "../harness/fleet/storm/storm-place.ts";
import { silence } from "../harness/fleet/silence.ts";
import { until } from "../harness/fleet/start-worker.ts";

const me = (workerId: string): WorkerRegistration => ({
  workerId,
  host: "here",
  pid: process.pid,
  started: "",
  version: "test",
  queues: ["casts"],
  concurrency: 1,
});

it("[B14] a worker without a session is evicted as soon as allowed, not at the next heartbeat", async () => {
  const place = await fleetPlace();
  await enrol(place.database, "killed");
  await place.worker({ pace: { beatMs: 600_000, unlockedMs: 500, newMs: 0 } });
  const killed = await until(async () => {
    const [row] = await place.database.query<{ state: string; early: boolean }>({
      text: "select state, now() - seen_at < interval '500 ms' as early from materia.workers where worker_id = 'killed'",
    });
    return row?.state === "gone" && row;
  });
  expect(killed.early).toBe(false);
});

it("[B14] a new worker evicts nobody at first, and knows when it may", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  await enrol(database, "killed");
  await database.query({ text: "update materia.workers set seen_at = now() - interval '1 minute'" });
  const { evictDead: judge, nextEvictionMs: nextVerdict } = closing(
    await openWorkerSession(database, me("new"), HEARTBEAT_TIMING),
  );
  expect(await judge()).toEqual([]);
  expect(await nextVerdict()).toBeGreaterThan(9_000);
  await database.query({ text: "update materia.workers set since = now() - interval '10 s' where worker_id = 'new'" });
  expect(await judge()).toEqual(["killed"]);
  expect(await nextVerdict()).toBeUndefined();
});

/** A database that others use before and after each statement of a session, and whose sessions can be cut off. */
function interrupted(database: Database, interrupt: (after?: string) => Promise<unknown>) {
  let isCut = false;
  const openSession = async (name?: string): Promise<Client> => {
    await interrupt();
    isCut = false;
    const session = await database.openSession(name);
    const end = session.end.bind(session);
    onTestFinished(() => end());
    const query = session.query.bind(session) as (statement: Statement) => Promise<unknown>; // the one form that is used
    return Object.assign(session, {
      query: async (statement: Statement): Promise<unknown> => {
        if (isCut) throw new Error("Query read timeout");
        await interrupt();
        const answer = await query(statement);
        await interrupt(statement.text);
        return answer;
      },
      // The server does not hear of the end of a session that is cut off.
      end: async () => undefined,
    });
  };
  return { database: { ...database, openSession }, cut: () => void (isCut = true) };
}

it("[B76] a worker that starts is not evicted before others see its session", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  const pace = { ...HEARTBEAT_TIMING, unlockedMs: 0, newMs: 0 };
  const other = closing(await openWorkerSession(database, me("other"), pace));
  const evicted: string[] = [];
  const { database: watched } = interrupted(database, async () => evicted.push(...(await other.evictDead())));
  const starting = await openWorkerSession(watched, me("starting"), pace);
  expect(await starting.heartbeat()).toBe(true);
  expect(evicted).toEqual([]);
});

it("[B76] a worker that reconnects after a cut link is not evicted while its session is replaced", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  const pace = { ...HEARTBEAT_TIMING, newMs: 0 };
  const other = closing(await openWorkerSession(database, me("other"), pace));
  const evicted: string[] = [];
  const sessions = async (): Promise<number> =>
    (
      await database.query({
        text: "select from pg_stat_activity where datname = current_database() and application_name like 'materia-%'",
      })
    ).length;
  const { database: watched, cut } = interrupted(database, async (after) => {
    if (isReconnecting && after?.includes("pg_terminate_backend")) await until(async () => (await sessions()) === 2);
    evicted.push(...(await other.evictDead()));
  });
  let isReconnecting = false;
  const cutOff = await openWorkerSession(watched, me("cut off"), pace);
  cut();
  await silence(database, "cut off", 10);
  await expect(cutOff.heartbeat()).rejects.toThrow("timeout");
  isReconnecting = true;
  expect(await cutOff.heartbeat()).toBe(true);
  expect([evicted, await sessions()]).toEqual([[], 2]);
});

it("[B48] a dispatch that a stopping worker receives is stopped at once", () => {
  const never = new AbortController().signal;
  const parking = { isParked: () => false, park: async () => undefined, parked: new Promise<void>(() => undefined) };
  const { signal } = createPauseControl({ draining: never, stopping: AbortSignal.abort() }, parking);
  expect(signal.aborted).toBe(true);
});

it("[B42] a stopped cast can be answered before its worker released it, a running one cannot", async () => {
  const place = await fleetPlace();
  const castId = await submitted(place, "Asking");
  await enrol(place.database, "owner");
  const told = async (status: string): Promise<unknown> => {
    await place.database.query({
      text: "update materia.casts set status = $1, owner = 'owner', leg = 1, seq = 0",
      values: [status],
    });
    const [row] = await place.database.query<{ said: string }>({
      text: "select materia.tell_cast($1, 0, '{}', true) as said",
      values: [castId],
    });
    return row?.said;
  };
  expect([await told("running"), await told("queued"), await told("waiting"), await told("failed")]).toEqual([
    "owned",
    "queued",
    "taken",
    "taken",
  ]);
});

it("[B46] a second worker with the same id is not admitted, and the first continues", async () => {
  const { database } = await fleetDatabase();
  closing(database);
  const first = closing(await openWorkerSession(database, me("same"), HEARTBEAT_TIMING));
  await expect(openWorkerSession(database, me("same"), HEARTBEAT_TIMING)).rejects.toThrow(/duplicate key/);
  expect(await first.heartbeat()).toBe(true);
  const sessions = await database.query({
    text: "select from pg_stat_activity where datname = current_database() and application_name like 'materia-%'",
  });
  expect(sessions).toHaveLength(1);
});

it("[B2] a migration evicts workers of an older version, and their casts continue", async () => {
  const place = await fleetPlace();
  const older = await place.worker();
  const castId = await submitted(place, "Slow");
  await until(async () => (await castCounts(place))[0] === 1);
  expect(await place.materia("fleet", "migrate")).toMatchObject({ code: 0 });
  expect(await castCounts(place)).toEqual([1]);
  await place.database.query({ text: "update materia.format set version = 1" });
  expect(await place.materia("fleet", "migrate")).toMatchObject({ code: 0 });
  expect(await older.ended).toBe(75);
  letGo(place);
  await place.worker();
  await until(async () => (await place.materia("status", castId)).stdout.includes("completed"));
});

/** How many casts each worker runs, in the order of their registration. */
async function castCounts({ database }: FleetPlace): Promise<readonly number[]> {
  const rows = await database.query<{ casts: number }>({
    text: "select (select count(*)::int from materia.casts c where c.owner = w.worker_id) as casts from materia.workers w order by n",
  });
  return rows.map(({ casts }) => casts);
}

it("[B11] --concurrency limits one worker over all of its queues", async () => {
  const place = await fleetPlace();
  const castId = await submitted(place, "Slow");
  await submitMore(place.database, castId, 7);
  await place.database.query({
    text: "update materia.casts set queue = 'night' where cast_id in (select cast_id from materia.casts order by cast_id limit 4)",
  });
  const queues = ["casts", "night"];
  await place.worker({ concurrency: 1, queues });
  await place.worker({ concurrency: 3, queues });
  await until(async () => (await castCounts(place)).reduce((sum, count) => sum + count, 0) >= 4);
  // For as long as either would have taken one more.
  const beats = async (): Promise<number> =>
    (
      await place.database.query<{ beats: number }>({
        text: "select extract(epoch from min(seen_at) - max(since))::float8 as beats from materia.workers",
      })
    )[0]?.beats ?? 0;
  const before = await beats();
  await until(async () => (await beats()) > before + 2);
  expect(await castCounts(place)).toEqual([1, 3]);
  letGo(place);
  await until(
    async () =>
      (await place.database.query({ text: "select from materia.casts where status <> 'completed'" })).length === 0,
  );
});

it("[B72] without a worker the commands print how to start one", async () => {
  const place = await fleetPlace();
  expect((await place.materia("casts")).stdout).toContain('Start one with "materia --on f cast <prompt>".');
  const castId = await submitted(place, "Quick");
  const way = "o worker serves the queue casts: materia worker --on f --queues casts";
  for (const words of [["casts"], ["status", castId], ["fleet", "workers"]])
    expect((await place.materia(...words)).stdout).toContain(way);
  await enrol(place.database, "one");
  await place.database.query({ text: "update materia.workers set queues = '{casts}'" });
  for (const words of [["casts"], ["status", castId], ["fleet", "workers"]])
    expect((await place.materia(...words)).stdout).not.toContain("o worker serves");
  // It has no place for any.
  expect((await place.materia("casts")).stdout).toContain("1 cast waiting: every worker is busy");
  expect((await place.materia("status", castId)).stdout).toContain("Every worker is busy.");
});
