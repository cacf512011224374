// The tests on a busy machine: beside eight busy programs of lower priority, then beside two of equal priority.
// What fails here, and not on a quiet machine, is a fault of the test or of the product. The last lines name it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
/** Ends with this process, also where this process is killed. */
const LOOP = "const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e7; n += 1);";

const { PRIORITY_LOW, PRIORITY_NORMAL } = constants.priority;
const summaries = [
  { loops: 8, priority: PRIORITY_LOW },
  { loops: 2, priority: PRIORITY_NORMAL },
].map(({ loops, priority }) => runBeside(loops, priority));
console.log(["", ...summaries.flatMap(({ lines }) => lines)].join("\n"));
process.exitCode = summaries.every(({ passed }) => passed) ? 0 : 1;

interface Summary {
  readonly passed: boolean;
  readonly lines: readonly string[];
}

function runBeside(loops: number, priority: number): Summary {
  const name = `beside ${loops} busy programs of priority ${priority}`;
  console.log(`\n${name}`);
  const folder = mkdtempSync(join(tmpdir(), "materia-busy-"));
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", LOOP], { stdio: "ignore" }));
  try {
    for (const { pid } of busy) if (pid !== undefined) setPriority(pid, priority);
    const report = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const began = performance.now();
    const { status } = spawnSync(process.execPath, [vitest, "run", ...reporters, ...process.argv.slice(2)], {
      stdio: "inherit",
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    const failed = failedTests(report).map((each) => `  ${each}`);
    return {
      passed: status === 0,
      lines: [`${status === 0 ? "passed" : "failed"} ${name}, in ${seconds} s`, ...failed],
    };
  } finally {
    for (const each of busy) each.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** File and name of every failed test; the file alone where it failed before its tests. */
function failedTests(report: string): readonly string[] {
  let text;
  try {
    text = readFileSync(report, "utf8");
  } catch {
    return ["the run ended without a report"];
  }
  const { testResults } = JSON.parse(text) as TestReport; // written by vitest
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults }) => {
      const names = assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
      return names.length > 0 ? names.map((each) => `${name}: ${each}`) : [name];
    });
}
