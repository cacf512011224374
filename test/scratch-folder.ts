import { chmodSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One folder for all that a run of the tests makes, the programs they start included: a killed one cleans up nothing. */
export default function setup(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "materia-tests-")));
  // Another user runs the database, and must reach it; it is started by the first test that wants one.
  const postgres = realpathSync(mkdtempSync(join(tmpdir(), "materia-postgres-")));
  chmodSync(postgres, 0o711);
  process.env["TMPDIR"] = folder;
  process.env["MATERIA_TEST_POSTGRES"] = postgres;
  return () => {
    // The one of all tests, and those of tests that were given up.
    for (const pidFile of globSync("**/data/postmaster.pid", { cwd: postgres })) endDatabase(join(postgres, pidFile));
    for (const each of [folder, postgres]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  };
}

function endDatabase(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
  } catch {
    // It has ended meanwhile.
  }
}
