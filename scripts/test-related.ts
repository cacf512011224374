// The tests that the change touches: what differs from the main branch, and what is not committed yet.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

/** Tests that reach these folders through a browser or a process import nothing of them. */
const REACHED_OTHERWISE = [
  { folder: "src/apps/web/", tests: "test/webui/" },
  { folder: "src/apps/pi/", tests: "test/e2e-pi/" },
  { folder: "src/shell/fleet/", tests: "test/fleet/" },
];

const base = git("merge-base", "HEAD", "origin/main") || git("merge-base", "HEAD", "main") || "HEAD";
const changed = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")].join("\n");
const reached = REACHED_OTHERWISE.filter(({ folder }) => changed.includes(folder)).map(({ tests }) => tests);
const runs = [["--changed", base], ...(reached.length > 0 ? [reached] : [])];
const codes = runs.map((args) => runVitest(["--passWithNoTests", ...args]));
process.exitCode = codes.some((code) => code !== 0) ? 1 : 0;

function git(...args: readonly string[]): string {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "";
}

function runVitest(args: readonly string[]): number {
  return spawnSync(process.execPath, [vitest, "run", ...args], { stdio: "inherit" }).status ?? 1;
}
