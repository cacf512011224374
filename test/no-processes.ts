// Runs before every file of the project "unit".
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

function refuse(): never {
  throw new Error("a unit test starts no process: list this file among those that do, in vitest.config.ts");
}

// All that does not wait for the process goes through this method, which the types do not name.
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse });
for (const name of ["spawnSync", "execFileSync", "execSync"] as const) childProcess[name] = refuse;
syncBuiltinESMExports();
