// The tests on a busy machine: beside eight busy programs of lower priority, then beside two of equal priority.
// What fails here, and not on a quiet machine, is a fault of the test or of the product.
import { spawn, spawnSync } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
/** Ends with this process, also where this process is killed. */
const LOOP = "const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e7; n += 1);";

const { PRIORITY_LOW, PRIORITY_NORMAL } = constants.priority;
const failed = [
  { loops: 8, priority: PRIORITY_LOW },
  { loops: 2, priority: PRIORITY_NORMAL },
].filter(({ loops, priority }) => !passBeside(loops, priority));
for (const { loops, priority } of failed) console.error(`failed beside ${loops} busy programs of priority ${priority}`);
process.exitCode = failed.length > 0 ? 1 : 0;

function passBeside(loops: number, priority: number): boolean {
  console.log(`\nbeside ${loops} busy programs of priority ${priority}`);
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", LOOP], { stdio: "ignore" }));
  try {
    for (const { pid } of busy) if (pid !== undefined) setPriority(pid, priority);
    return spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2)], { stdio: "inherit" }).status === 0;
  } finally {
    for (const each of busy) each.kill("SIGKILL");
  }
}
