// The end-to-end tests in Pi once more, against the newest release of Pi. Not all of its dependencies can be installed
// from the public registry, but its own bundle needs only two of them: they are put beside it in a scratch folder.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "@earendil-works/pi-coding-agent";
const VERSION = "1.5.0";
/** Nothing is wrong with the project: the registry cannot be reached, or does not have this release. */
const NOT_READY = 3;
const BESIDE = ["jiti", "@silvia-odwyer/photon-node"];

const root = fileURLToPath(new URL("..", import.meta.url));
const kept = join(tmpdir(), `materia-pi-${VERSION}`);
const program = join(kept, "package", "dist", "bundle", "cli.js");

try {
  if (!existsSync(program)) fetchPi();
  const version = run(process.execPath, [program, "--version"], tmpdir());
  if (version !== VERSION) throw new Error(`${program} says that it is Pi ${version}; remove ${kept} and try again.`);
} catch (problem) {
  console.error(`Pi ${VERSION} could not be made ready, so nothing was tested with it.\n${problem.message}`);
  process.exit(NOT_READY);
}

// Installing and refusing are npm's and our own doing, and take most of the time; `--all` tries them as well.
const leftOut = process.argv.includes("--all") ? [] : ["install.test.ts", "refusals.test.ts"];
const files = readdirSync(join(root, "test/e2e-pi")).filter((name) => !leftOut.includes(name));
console.log(`The end-to-end tests in Pi, with Pi ${VERSION}`);
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const tests = spawnSync(process.execPath, [vitest, "run", ...files.map((name) => `test/e2e-pi/${name}`)], {
  cwd: root,
  env: { ...process.env, PI_BIN: program },
  stdio: "inherit",
});
process.exit(tests.status ?? 1);

/** Made ready beside the place it is kept in, so that a half-fetched one is never taken for whole. */
function fetchPi() {
  const scratch = mkdtempSync(join(tmpdir(), "materia-pi-"));
  try {
    const packed = run("npm", ["pack", `${PACKAGE}@${VERSION}`, "--loglevel=error"], scratch);
    run("tar", ["-xzf", packed], scratch);
    const { dependencies } = JSON.parse(readFileSync(join(scratch, "package", "package.json"), "utf8"));
    writeFileSync(join(scratch, "package.json"), JSON.stringify({ private: true }));
    const beside = BESIDE.map((name) => `${name}@${dependencies[name]}`);
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...beside], scratch);
    rmSync(kept, { recursive: true, force: true });
    renameSync(scratch, kept);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout.trim();
  throw new Error(`"${command} ${args.join(" ")}" failed: ${error?.message ?? stderr.trim()}`);
}
