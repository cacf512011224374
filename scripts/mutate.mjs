// Deliberate faults, one at a time, and whether a test notices: `npm run mutate` for everything, `npm run mutate -- core/handoff` for a folder, a file or a pattern.
// It takes a good part of an hour, so it is no part of `npm test`; its tools are installed here, for those who run it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import scratchFolder from "../test/scratch-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const tools = `${root}tools/mutation`;
if (!existsSync(`${tools}/node_modules`)) run("npm", ["ci", "--no-audit", "--no-fund", "--workspaces=false"], tools);
const asked = process.argv.slice(2);
const everything = ["core/handoff", "core/cast", "core/compile", "shell/run", "shell/store/*.ts", "shell/store/files"];
const parts = asked.length > 0 ? asked : everything;
const cleanUp = scratchFolder();
for (const part of parts) {
  const stryker = `${tools}/node_modules/@stryker-mutator/core/bin/stryker.js`;
  const sources = part.endsWith(".ts") ? `src/${part}` : `src/${part}/**/*.ts`;
  const config = `tools/mutation/${part.startsWith("core/") ? "core" : "shell"}.json`;
  run(process.execPath, [stryker, "run", config, "--mutate", sources], root);
}
await cleanUp();

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exitCode = status ?? 1;
}
