// Installs the release of this action, and the version of Pi that it is tested with, beside the checkout and not into it.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { version, devDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const pi = "@earendil-works/pi-coding-agent";
const folder = join(process.env.RUNNER_TEMP ?? "/tmp", "pi-materia");
mkdirSync(folder, { recursive: true });
execFileSync(
  "npm",
  ["install", "--no-save", "--no-audit", "--no-fund", `pi-materia@${version}`, `${pi}@${devDependencies[pi]}`],
  {
    cwd: folder,
    stdio: "inherit",
  },
);
appendFileSync(process.env.GITHUB_PATH ?? "/dev/null", `${join(folder, "node_modules/.bin")}\n`);
