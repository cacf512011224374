// Deliberate faults, one at a time, and whether a test notices: `npm run mutate` for everything, `npm run mutate -- core/handoff` for a folder.
// It takes a good part of an hour, so it is no part of `npm test`; its tools are installed here, for those who run it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = `${root}tools/mutation`;
if (!existsSync(`${tools}/node_modules`)) run("npm", ["ci", "--no-audit", "--no-fund", "--workspaces=false"], tools);
const folders = process.argv.slice(2);
const parts = folders.length > 0 ? folders : ["core/handoff", "core/cast", "core/compile", "shell/run", "shell/store"];
for (const part of parts) {
  const config = `tools/mutation/${part.startsWith("core/") ? "core" : "shell"}.json`;
  const stryker = `${tools}/node_modules/@stryker-mutator/core/bin/stryker.js`;
  run(process.execPath, [stryker, "run", config, "--mutate", `src/${part}/**/*.ts`], root);
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exitCode = status ?? 1;
}
