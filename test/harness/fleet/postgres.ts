import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { findPostgres, startLocalPostgres } from "../../../src/shell/fleet/local-fleet.ts";
import { migrateFleet } from "../../../src/shell/fleet/worker/migrate-fleet.ts";
import { openDatabase, type Database } from "../../../src/shell/store/postgres/database.ts";
import { NOBODY, isRoot, reachable } from "./programs.ts";

/** The one server of this run of the tests: the first test starts it, the others wait for its address. */
async function serverUrl(): Promise<string> {
  const folder = process.env["MATERIA_TEST_POSTGRES"];
  // The server would write its files into the project.
  if (folder === undefined) throw new Error("MATERIA_TEST_POSTGRES is not set: is another test of this file running?");
  const [lock, ready] = [join(folder, "lock"), join(folder, "ready")];
  try {
    mkdirSync(lock);
  } catch {
    while (!existsSync(ready)) await new Promise((resolve) => setTimeout(resolve, 50));
    return readFileSync(ready, "utf8");
  }
  const found = await findPostgres();
  if (!found.ok) throw new Error(JSON.stringify(found.issues));
  const started = await startLocalPostgres(reachable(found.value, folder), {
    folder: join(folder, "server"),
    isDetached: true,
    // With a database for each test there would be a cleaning process twice a second.
    settings: [...SETTINGS, "max_connections=200", "autovacuum=off"],
    ...(isRoot ? { as: NOBODY } : {}),
  });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  await makeTemplate(started.value.url);
  writeFileSync(join(folder, "ready.new"), started.value.url);
  // In one step: who finds it must not find it empty.
  renameSync(join(folder, "ready.new"), ready);
  return started.value.url;
}

/** The tables are made once; every further database is a copy of this one. */
async function makeTemplate(server: string): Promise<void> {
  const admin = await opened(server);
  await admin.queryOnce({ text: `create database ${TEMPLATE}` });
  const migrated = await migrateFleet({ url: databaseUrl(server, TEMPLATE) });
  if (!migrated.ok) throw new Error(JSON.stringify(migrated.issues));
  await admin.close();
}

const TEMPLATE = "migrated";
const SETTINGS = ["fsync=off", "full_page_writes=off", "dynamic_shared_memory_type=mmap", "shared_buffers=32MB"];

function databaseUrl(server: string, name: string): string {
  return server.replace(/\/postgres$/, `/${name}`);
}

/** A separate database with the tables of a fleet. */
export async function fleetDatabase(): Promise<{ readonly url: string; readonly database: Database }> {
  const server = await serverUrl();
  const name = `t_${randomUUID().replaceAll("-", "")}`;
  const admin = await opened(server);
  await admin.queryOnce({ text: `create database ${name} template ${TEMPLATE} strategy file_copy` });
  await admin.close();
  const url = databaseUrl(server, name);
  return { url, database: await opened(url) };
}

export async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  if (!database.ok) throw new Error(JSON.stringify(database.issues));
  return database.value;
}

/** A worker as the tables know it, without a process behind it. */
export async function enrol(database: Database, id: string): Promise<string> {
  await database.queryOnce({
    text: "insert into materia.workers (worker_id, host, pid, started, version) values ($1, 'here', $2, '', 'test') on conflict do nothing",
    values: [id, process.pid],
  });
  return id;
}

/** Closed when the test has ended, also after a failure. */
export function closing<T extends { readonly close: () => Promise<unknown> }>(thing: T): T {
  onTestFinished(async () => void (await thing.close()));
  return thing;
}
