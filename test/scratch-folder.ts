import { spawnSync } from "node:child_process";
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * One folder for all that a run of the tests makes, the programs they start included: a killed one cleans up nothing.
 * Every project asks for it, before its own setup; the first one makes it.
 */
export default function setup(): (() => Promise<void>) | undefined {
  if (process.env["MATERIA_TEST_POSTGRES"] !== undefined) return undefined;
  const base = memoryFolder() ?? tmpdir();
  removeAbandoned(base);
  const folder = realpathSync(mkdtempSync(join(base, `materia-tests-${process.pid}-`)));
  // Another user runs the database, and must reach it; it is started by the first test that wants one.
  const postgres = realpathSync(mkdtempSync(join(base, `materia-postgres-${process.pid}-`)));
  chmodSync(postgres, 0o711);
  process.env["TMPDIR"] = folder;
  // Programs that the tests start again and again are compiled once.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "materia-compile-cache");
  process.env["MATERIA_TEST_POSTGRES"] = postgres;
  return async () => {
    // The one of all tests, and those of tests that were given up.
    for (const pidFile of globSync("**/data/postmaster.pid", { cwd: postgres })) endDatabase(join(postgres, pidFile));
    for (const pid of programsOf(folder)) end(pid);
    // Beside the end of the last workers: while this process stands still it does not hear of it, and says that they hang.
    for (const each of [folder, postgres]) await rm(each, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** What a killed run has left: in memory it would stay until the machine is started again. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const [, pid] = /^materia-(?:tests|postgres)-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(base, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const ROOM_BYTES = 4e9;

/** A folder in memory, where there is one with room in which programs may run: a database is copied there twenty times as fast. */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > ROOM_BYTES && runsPrograms("/dev/shm") ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}

function runsPrograms(base: string): boolean {
  const folder = mkdtempSync(join(base, "materia-tests-"));
  try {
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function endDatabase(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
  } catch {
    // It has ended since.
  }
}

/** Processes that an abandoned test has left running, if they can be seen: they would block the end of the run. */
function programsOf(folder: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return others.map(Number).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      // Those that run tests end by themselves.
      if (command.includes("vitest")) return false;
      return command.includes(folder) || readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder);
    } catch {
      // It has ended since, or belongs to another user.
      return false;
    }
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since.
  }
}
