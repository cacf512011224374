import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../../src/shell/store/postgres/database.ts";
import { submitMore } from "../../../test/harness/fleet/storm/storm-place.ts";
import { until } from "../../../test/harness/fleet/start-worker.ts";
import { median } from "../process.ts";

const LISTED = 100_000;

/** Eight items, four at once. */
const LIST = Array.from({ length: 8 }, (_, index) => ({ title: `item ${index + 1}`, context: "" }));
const ITEMS = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "List", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Item", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  },
  loops: { each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel: 4 } },
};

/** A project without a repository, and a person with a fleet in their configuration. */
export interface Place {
  readonly cwd: string;
  readonly begun: string;
  readonly materia: (...args: readonly string[]) => string;
  readonly worker: (concurrency: number) => ChildProcess;
}

export function fleetPlace(
  top: string,
  { program: file, url }: { readonly program: string; readonly url: string },
): Place {
  const cwd = join(top, "project");
  const user = join(top, "home", ".config", "pi", "pi-materia");
  const begun = join(top, "begun");
  for (const folder of [cwd, user]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(user, "materia.json"), JSON.stringify({ fleet: { profiles: { f: { url, project: "p" } } } }));
  const program = (command: string) => ({ type: "utility", command: ["sh", "-c", command], parse: "text" });
  const only = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
  const config = {
    activeLoadout: "Quick",
    materia: {
      Quick: program("echo done"),
      Wait: { ...program(`echo >> ${begun}; sleep 600`), timeoutMs: 900_000 },
      List: { ...program(`echo '${JSON.stringify({ workItems: LIST })}'`), parse: "json", generator: true },
      Item: program("sleep 1; mktemp item-XXXXXX"),
    },
    loadouts: { Quick: only("Quick"), Wait: only("Wait"), Items: ITEMS },
  };
  writeFileSync(join(cwd, "conf.json"), JSON.stringify(config));
  writeFileSync(begun, "");
  const env = {
    PATH: process.env["PATH"],
    HOME: join(top, "home"),
    LANG: "C.UTF-8",
    NODE_COMPILE_CACHE: join(top, "cache"),
  };
  return {
    cwd,
    begun,
    materia: (...args) => {
      const ran = spawnSync(process.execPath, [file, ...args], { cwd, env, encoding: "utf8" });
      if (ran.status !== 0) throw new Error(ran.stderr);
      return ran.stdout.trim();
    },
    worker: (concurrency) =>
      spawn(process.execPath, [file, "worker", "--on", "f", "--concurrency", String(concurrency)], {
        cwd,
        env,
        stdio: ["ignore", "ignore", "inherit"],
      }),
  };
}

export const submitted = ({ materia }: Place, loadout: string): string =>
  materia("cast", "--on", "f", "--config", "conf.json", "--loadout", loadout, "--detach", "go");

export interface CrowdFigures {
  readonly casts: number;
  readonly perSecond: number;
  readonly lost: number;
  readonly repeated: number;
}

/** All of them wait when the workers have begun; over when the last one has ended. */
export async function measureCrowd(place: Place, database: Database, casts: number): Promise<CrowdFigures> {
  const workers = [1, 2, 3, 4].map(() => place.worker(8));
  try {
    const first = submitted(place, "Quick");
    await until(async () => (await endedCasts(database)) === 1 && (await upWorkers(database)) === workers.length);
    const started = performance.now();
    await submitMore(database, first, casts - 1);
    await until(async () => (await endedCasts(database)) >= casts);
    const seconds = (performance.now() - started) / 1000;
    const [row] = await database.query<{ completed: number; visits: number }>({
      text: `select (select count(*)::int from materia.casts where status = 'completed') as completed,
        (select count(*)::int from materia.events where event like '%"type":"visit_started"%') as visits`,
    });
    const { completed = 0, visits = 0 } = row ?? {};
    return { casts, perSecond: (casts - 1) / seconds, lost: casts - completed, repeated: visits - casts };
  } finally {
    await dismiss(workers);
  }
}

/** From the kill of the worker that drives a cast to the moment its program runs again on the other. */
export async function measureTakeOver(place: Place, database: Database, rounds: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(place.begun, "");
    const first = place.worker(1);
    const castId = submitted(place, "Wait");
    await until(() => runs(place) === 1);
    const second = place.worker(1);
    // Who is connected for less than ten seconds judges nobody.
    await until(async () => (await oldWorkers(database)) === 2);
    const killed = performance.now();
    first.kill("SIGKILL");
    await until(() => runs(place) === 2);
    times.push(performance.now() - killed);
    place.materia("abort", "--on", "f", castId);
    await dismiss([second]);
  }
  return times;
}

/** `casts --on` from start to exit, the newest 200 of very many. */
export async function measureList(place: Place, database: Database, rounds: number): Promise<number> {
  await database.queryOnce({
    text: `insert into materia.casts (cast_id, project, file, status, summary)
      select 'x-' || lpad(i::text, 8, '0'), 'p', '{}', 'completed', (select summary from materia.casts limit 1)
      from generate_series(1, $1::int) i`,
    values: [LISTED],
  });
  await database.queryOnce({ text: "analyze materia.casts" });
  place.materia("casts", "--on", "f", "--json");
  return median(timesOf(rounds, () => place.materia("casts", "--on", "f", "--json")));
}

/** What a fleet in the configuration adds to a command that names none. */
export function measureBystander(top: string, program: string, rounds: number): number {
  const place = fleetPlace(join(top, "bystander"), { program, url: "postgres://127.0.0.1:1/none" });
  const user = join(top, "bystander", "home", ".config", "pi", "pi-materia", "materia.json");
  const [withFleet, without] = [readFileSync(user, "utf8"), "{}"];
  const look = (): string => place.materia("casts", "--json");
  const added: number[] = [];
  look();
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(user, without);
    const [alone = 0] = timesOf(1, look);
    writeFileSync(user, withFleet);
    const [beside = 0] = timesOf(1, look);
    added.push(beside - alone);
  }
  return median(added);
}

function timesOf(rounds: number, work: () => unknown): readonly number[] {
  return Array.from({ length: rounds }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
}

function runs({ begun }: Place): number {
  return readFileSync(begun, "utf8").length;
}

export async function dismiss(workers: readonly ChildProcess[]): Promise<void> {
  const ended = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  for (const worker of ended) worker.kill("SIGTERM");
  await Promise.all(ended.map((worker) => once(worker, "exit")));
}

const endedCasts = (database: Database): Promise<number> =>
  counted(database, "materia.casts where status in ('completed', 'failed', 'aborted')");
export const upWorkers = (database: Database): Promise<number> =>
  counted(database, "materia.workers where state = 'up'");
const oldWorkers = (database: Database): Promise<number> =>
  counted(database, "materia.workers where state = 'up' and since < now() - interval '10.5 s'");

async function counted(database: Database, from: string): Promise<number> {
  const [row] = await database.query<{ count: number }>({ text: `select count(*)::int as count from ${from}` });
  return row?.count ?? 0;
}
