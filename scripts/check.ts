// All checks at once: `check.ts`, some of them: `check.ts types`, and with the build of the package: `check.ts --build`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runAtOnce, type Task } from "./at-once.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};
const script = (name: string): Task => ({ name, command: scripts[name] ?? `npm run ${name}` });

// Those that take long come first.
const CHECKS: readonly Task[] = [
  script("lint"),
  ...["json", "webui.json", "web.json", "core.json"].map((end) => ({
    name: `types of tsconfig.${end}`,
    command: `tsc -p tsconfig.${end}`,
  })),
  ...["unused", "layers", "format:check", "spec", "names", "words"].map(script),
];

// Lint and types read the file that this writes.
execFileSync(process.execPath, [fileURLToPath(new URL("write-class-names.ts", import.meta.url))], { stdio: "inherit" });
const asked = process.argv.slice(2);
const isBuilding = asked.includes("--build");
const names = asked.filter((word) => !word.startsWith("--"));
const checks = CHECKS.filter(({ name }) => names.length === 0 || names.some((each) => name.startsWith(each)));
const builds = isBuilding ? ["build:package", "build:webui"].map(script) : [];
const failed = [...(await runAtOnce([...builds, ...checks]))];
if (isBuilding && !failed.some((name) => name.startsWith("build")))
  failed.push(...(await runAtOnce([script("publish:check")])));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
