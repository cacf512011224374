// What `npm test` leaves out: the rest of every sweep, and the end-to-end tests in Pi against the newest release of Pi.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const sweeps = globSync("test/**/*.test.ts", { cwd: root }).filter((file) =>
  readFileSync(join(root, file), "utf8").includes("harness/sweep.ts"),
);

/** The newest Pi cannot be fetched, which is no fault of the project. */
const NOT_READY = 3;

const codes = [
  run("node_modules/vitest/vitest.mjs", ["run", "--tags-filter", "sweep", ...sweeps], { MATERIA_TESTS: "full" }),
  run("scripts/test-compat.mjs"),
];
process.exitCode = codes.some((code) => code !== 0 && code !== NOT_READY) ? 1 : 0;

function run(script: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): number {
  const command = [join(root, script), ...args];
  return (
    spawnSync(process.execPath, command, { cwd: root, env: { ...process.env, ...env }, stdio: "inherit" }).status ?? 1
  );
}
