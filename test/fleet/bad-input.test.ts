import { renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parseCastId } from "../../src/core/model/ids.ts";
import { createWorkerLimits } from "../../src/shell/config/shared-limits.ts";
import { createUsageMetrics } from "../../src/shell/fleet/worker/health-server.ts";
import { createParking } from "../../src/shell/fleet/worker/dispatch-state.ts";
import type { ResolvedFleetProfile } from "../../src/shell/fleet/open-fleet.ts";
import { openDispatcher } from "../../src/shell/fleet/worker/dispatcher.ts";
import { runDispatch } from "../../src/shell/fleet/worker/run-dispatch.ts";
import { createWorkerTrees } from "../../src/shell/fleet/worker/worker-trees.ts";
import { BUDGETS_CHANNEL, openNotifications } from "../../src/shell/store/postgres/notifications.ts";
import { postgresStore } from "../../src/shell/store/postgres/postgres-store.ts";
import { git } from "../git/scratch.ts";
import { listing, newPlace, put, run, userFolder } from "../harness/cli.ts";
import {
  eventsOn,
  fleetPlace,
  isWaiting,
  letGo,
  statusOn,
  submitted,
  type FleetPlace,
} from "../harness/fleet/fleet-place.ts";
import { closing, enrol, fleetDatabase, opened } from "../harness/fleet/postgres.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const FAULTS = new URL("../harness/chaos/faults.mjs", import.meta.url).href;

async function reasonOf(place: FleetPlace, castId: string): Promise<unknown> {
  await until(async () => (await statusOn(place, castId)) === "failed");
  const last = (await eventsOn(place, castId)).at(-1);
  return last?.type === "cast_ended" && "reason" in last ? last.reason : last;
}

/** A place that was cloned from a repository which it has pushed everything to. */
async function pushedPlace(): Promise<FleetPlace & { readonly origin: string }> {
  const place = await fleetPlace();
  const origin = join(dirname(place.cwd), "origin.git");
  git(place.cwd, "init", "-q", "--bare", origin);
  git(place.cwd, "remote", "add", "origin", origin);
  git(place.cwd, "push", "-q", "origin", "main");
  writeFileSync(join(place.cwd, "first.txt"), "one\ntwo\n");
  return { ...place, origin };
}

it("[B2] an unreadable or too old database is refused, and nothing is left", async () => {
  const { url, database } = await fleetDatabase();
  closing(database);
  const name = `old_${Math.random().toString(36).slice(2, 8)}`;
  await database.queryOnce({ text: `create role ${name} login password 'x'` });
  const as = (who: string, at = url): string => at.replace(/\/\/[^@]*@/, `//${who}@`);
  const cwd = newPlace();
  const asked = async (address: string, ...words: readonly string[]): Promise<string> => {
    put(userFolder(cwd), { "materia.json": { fleet: { profiles: { f: { url: address } } } } });
    const before = listing(cwd);
    const { code, stdout } = await run([...words, "--on", "f", "--json"], { cwd });
    expect([code, listing(cwd)]).toEqual([2, before]);
    return stdout;
  };
  expect(await asked(as(`${name}:wrong`), "casts")).toContain("rejects this role");
  expect(await asked(url.replace(/\/[^/]*$/, "/nowhere"), "casts")).toContain("database_rights");
  for (const words of [["casts"], ["worker"], ["fleet", "migrate"]])
    expect(await asked(as(`${name}:x`), ...words)).toContain("database_rights");
  // As an older server says of itself.
  await database.queryOnce({
    text: `create schema older; create function older.current_setting(text) returns text language sql as $$ select case when $1 = 'server_version' then '14.2' else '140002' end $$;
      grant usage on schema older to ${name}; grant materia_worker to ${name}`,
  });
  const older = `${as(`${name}:x`)}?options=-csearch_path%3Dolder,pg_catalog`;
  for (const words of [["casts"], ["worker"], ["fleet", "migrate"]])
    expect(await asked(older, ...words)).toContain("this is Postgres 14.2; Postgres 15 or newer is needed");
});

it("[B19] a member cannot start a worker", async () => {
  const { url, database } = await fleetDatabase();
  closing(database);
  const name = `ann_${Math.random().toString(36).slice(2, 8)}`;
  await database.queryOnce({ text: `create role ${name} login password 'x' in role materia_member` });
  const cwd = newPlace();
  const address = url.replace(/\/\/[^@]*@/, `//${name}:x@`);
  put(userFolder(cwd), { "materia.json": { fleet: { profiles: { f: { url: address } } } } });
  const { code, stderr } = await run(["worker", "--on", "f"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("database_rights")]);
});

it.each(sampleCases([120_000, 0]))(
  "[B33] a write waits %i ms for a full database, and the dispatch waits without a limit",
  SWEEP,
  async (patienceMs) => {
    const place = await fleetPlace();
    await place.database.queryOnce({
      text: `create sequence public.refusals; create function public.full_disk() returns trigger language plpgsql as $$ begin
      perform nextval('public.refusals'); raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    });
    const { said } = await place.worker({ patienceMs });
    const castId = await submitted(place, "Slow");
    await until(() => isWaiting(place, "Socket-2"));
    await place.database.queryOnce({
      text: "create trigger full_disk before insert on materia.events for each row execute function public.full_disk()",
    });
    letGo(place);
    await until(async () => {
      const [row] = await place.database.query<{ last: number }>({
        text: "select last_value::int as last from public.refusals",
      });
      // More often than a cast may be tried that kills its workers.
      return (row?.last ?? 0) > 4;
    });
    await place.database.queryOnce({ text: "drop trigger full_disk on materia.events" });
    await until(async () => (await statusOn(place, castId)) === "completed");
    const done = (await eventsOn(place, castId)).flatMap((event) =>
      event.type === "visit_completed" ? [event.socket] : [],
    );
    expect(done).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
    const legs = await until(() => said.length > 1 && said.slice(1));
    expect(legs).toMatchObject([{ castId, how: "completed" }]);
  },
);

it("[B33] a database failure after a claim does not block the next attempt", async () => {
  const place = await fleetPlace();
  const castId = parseCastId(await submitted(place, "Quick"));
  if (castId === undefined) throw new Error("no id was printed");
  const workerId = await enrol(place.database, "w");
  const folder = join(dirname(place.cwd), "work");
  const database = await opened(place.url);
  let isAway = true;
  const rows: typeof database.query = async (statement) => {
    if (isAway && statement.text.includes("from materia.packs"))
      throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
    return database.query(statement);
  };
  const profile: ResolvedFleetProfile = {
    name: "f",
    url: place.url,
    project: "p",
    queue: "casts",
    maxCheckpointBytes: 50_000_000,
  };
  const trees = createWorkerTrees({ ...database, query: rows }, folder, profile);
  const scratch = join(folder, "casts");
  const worker = { id: workerId, scratch, packFor: trees.packFor, checkpointPolicyFor: trees.checkpointPolicy };
  const store = closing(postgresStore({ database, location: scratch, worker }));
  const at = {
    profile,
    workerId,
    database,
    store,
    trees,
    unwritten: new Set<never>(),
    notifyTurn: store.notifyTurn,
    budgets: closing(openNotifications(database, BUDGETS_CHANNEL)),
    limits: createWorkerLimits(),
    usage: createUsageMetrics(),
    env: process.env,
    draining: new AbortController().signal,
    stopping: new AbortController().signal,
  };
  const leg = { castId, leg: 1, workerId, parking: createParking(database, { castId, leg: 1, workerId }) };
  await expect(runDispatch(at, leg)).rejects.toThrow("Connection terminated");
  isAway = false;
  expect(await runDispatch(at, { ...leg, isRetry: true })).toEqual({ how: "completed" });
  // [TM7] The turns of a dispatch are counted once.
  expect(at.usage.rows().map(({ loadout, turns }) => ({ loadout, turns }))).toHaveLength(1);
});

it("[B16] an unreadable repository, and one without the submitted base, fail the cast with the reason", async () => {
  const place = await pushedPlace();
  const unreadable = await submitted(place, "Quick");
  renameSync(place.origin, `${place.origin}.away`);
  await place.worker();
  expect(await reasonOf(place, unreadable)).toContain(`cannot read the repository ${place.origin}`);
  renameSync(`${place.origin}.away`, place.origin);
  const lost = await submitted(place, "Asking");
  git(place.origin, "update-ref", "-d", "refs/heads/main");
  git(place.origin, "reflog", "expire", "--expire=now", "--all");
  git(place.origin, "gc", "-q", "--prune=now");
  expect(await reasonOf(place, lost)).toContain(`it builds on what ${place.origin} held`);
});

it("[B14] workers with wrong clocks evict only dead workers", async () => {
  const place = await fleetPlace();
  const skewed = (ms: number) => ({ env: { NODE_OPTIONS: `--import=${FAULTS}`, CHAOS_SKEW_MS: String(ms) } });
  const first = await place.worker(skewed(-400 * 86_400_000));
  const castId = await submitted(place, "Slow");
  await until(() => isWaiting(place, "Socket-2"));
  const second = await place.worker(skewed(86_400_000));
  first.kill("SIGKILL");
  letGo(place);
  await until(async () => (await statusOn(place, castId)) === "completed");
  const resumed = (await eventsOn(place, castId)).flatMap((event) => (event.type === "cast_resumed" ? [event.by] : []));
  expect(resumed).toEqual([`worker ${second.id}`]);
});

it("[B2] a worker of an older version does not start on newer tables", async () => {
  const place = await fleetPlace();
  await place.database.query({ text: "insert into materia.format values (99)" });
  expect(await place.materia("worker")).toMatchObject({ code: 2, stderr: expect.stringContaining("database_too_new") });
});

it("[B35] too large files are refused before they are read, and leave nothing in the repository", async () => {
  const place = await fleetPlace();
  put(userFolder(place.cwd), {
    "materia.json": { fleet: { profiles: { f: { url: "$FLEET_URL", project: "p", maxCheckpointBytes: 1_000_000 } } } },
  });
  const objects = git(place.cwd, "count-objects");
  for (let count = 0; count < 5; count += 1) writeFileSync(join(place.cwd, `f${count}.bin`), Buffer.alloc(1_000_000));
  const many = await place.materia("cast", "--loadout", "Quick", "--detach", place.gate);
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining("5 MB of changed files are more than 4 MB")]);
  expect(git(place.cwd, "count-objects")).toBe(objects);
  git(place.cwd, "clean", "-fdq");
  writeFileSync(join(place.cwd, "large.bin"), "");
  truncateSync(join(place.cwd, "large.bin"), 51 * 1024 * 1024);
  const large = await place.materia("cast", "--loadout", "Quick", "--detach", place.gate);
  expect([large.code, large.stderr]).toEqual([2, expect.stringContaining("files of more than 50 MB")]);
  expect(await place.database.query({ text: "select from materia.casts" })).toEqual([]);
});

it("[B83] a worker with a full disk says why, leaves the cast to others, and takes it again when there is room", async () => {
  const place = await fleetPlace();
  const full = join(dirname(place.cwd), "full");
  const faults = { NODE_OPTIONS: `--import=${FAULTS}`, CHAOS_FULL_WHILE: full };
  const worker = await place.worker({ env: faults, pace: { againMs: 500 } });
  writeFileSync(full, "");
  const castId = await submitted(place, "Quick");
  const why = expect.stringContaining("the disk is full");
  await until(() => worker.said.some((said) => said["castId"] === castId));
  expect(worker.said.find((said) => said["castId"] === castId)).toMatchObject({ how: "not begun", why });
  expect((await place.materia("status", castId)).stdout).toContain("the disk is full");
  const second = await place.worker({ pace: { againMs: 500 } });
  await until(async () => (await statusOn(place, castId)) === "completed");
  await until(() => second.said.some((said) => said["castId"] === castId && said["how"] === "completed"));
  second.kill("SIGKILL");
  const slow = await submitted(place, "Slow");
  await until(() => worker.said.some((said) => said["castId"] === slow));
  rmSync(full);
  await until(() => isWaiting(place, "Socket-2"));
  // In the middle of a cast, too: the slot is free again, and nothing is lost.
  writeFileSync(full, "");
  letGo(place);
  await until(() => worker.said.filter((said) => said["castId"] === slow).length > 1);
  rmSync(full);
  await until(async () => (await statusOn(place, slow)) === "completed");
  const done = (await eventsOn(place, slow)).flatMap((event) =>
    event.type === "visit_completed" ? [event.socket] : [],
  );
  expect(done).toEqual(["Socket-1", "Socket-2", "Socket-3"]);
});

it("[B83] a disk that was full for a moment fails no cast", async () => {
  const place = await fleetPlace();
  const seen = join(dirname(place.cwd), "seen");
  const once = `test -e ${seen} || { touch ${seen}; echo 'cp: No space left on device' >&2; exit 1; }`;
  await place.worker({ profile: { setup: ["sh", "-c", once] }, pace: { againMs: 100 } });
  const castId = await submitted(place, "Quick");
  await until(async () => ["completed", "failed"].includes(await statusOn(place, castId)));
  expect(await statusOn(place, castId)).toBe("completed");
});

it("[B85] a worker that loses the database while it starts says so, and does not ask for a migration", async () => {
  const { url, database } = await fleetDatabase();
  closing(database);
  const away = closing(await opened(url.replace(/:\d+\//, ":9/")));
  const options = { url, database: away, workerId: "w", queues: ["casts"], concurrency: 1, pollMs: 50 };
  expect(await openDispatcher({ ...options, run: async () => undefined })).toMatchObject({
    ok: false,
    issues: [{ code: "database_unreachable" }],
  });
});
