import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { ProcessIdentity, isAlive, identifyProcess } from "../../process/process-owner.ts";
import { findPostgres, findRunningDatabase, startPostgres, stopPostgres } from "./embedded.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The name of the fleet that `fleet up` starts. */
export const LOCAL_FLEET = "local";

/** Where the fleet of this machine keeps its database and its workers keep what they drive. */
export function localFleetFolder(env: Env): string {
  const base = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return join(base, "pi-materia", "fleet");
}

/** [B13] The url of the fleet on this machine, while it runs. */
export function localFleetUrl(env: Env): string | undefined {
  return findRunningDatabase(join(localFleetFolder(env), "postgres"))?.url;
}

/** [B13] A database in the user's own folder: no root, no service to install. */
export async function startLocalDatabase(env: Env): Promise<Result<string>> {
  if (process.getuid?.() === 0)
    return fail(
      error(
        "not_here",
        "fleet up",
        "Postgres refuses to run as root",
        "run it as another user, or use a Postgres of your own",
      ),
    );
  const programs = await findPostgres();
  if (!programs.ok) return programs;
  const started = await startPostgres(programs.value, { folder: join(localFleetFolder(env), "postgres"), isDetached: true });
  return started.ok ? ok(started.value.url) : started;
}

const WorkersFile = v.array(ProcessIdentity);

/** Workers that go on when this process has ended; their words go to a file beside them. */
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
  writeFileSync(join(folder, "workers.json"), JSON.stringify([...alive, ...started.map(identifyProcess)]), { mode: 0o600 });
  return started;
}

function readLocalWorkers(env: Env): readonly ProcessIdentity[] {
  const file = join(localFleetFolder(env), "workers.json");
  if (!existsSync(file)) return [];
  const read = v.safeParse(WorkersFile, JSON.parse(readFileSync(file, "utf8")));
  return read.success ? read.output : [];
}

const WORKER_POLL_MS = 100;

/** [B13] Workers hand back what they drive, then the database ends; its data stays. */
export async function stopLocalFleet(env: Env): Promise<{ readonly workers: number; readonly database: boolean }> {
  const workers = readLocalWorkers(env).filter(isAlive);
  for (const { pid } of workers) process.kill(pid, "SIGTERM");
  while (workers.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, WORKER_POLL_MS));
  rmSync(join(localFleetFolder(env), "workers.json"), { force: true });
  return { workers: workers.length, database: await stopPostgres(join(localFleetFolder(env), "postgres")) };
}
