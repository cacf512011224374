import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { UtilityMateria } from "../../src/core/model/materia.ts";
import type { UtilityRequest } from "../../src/shell/ports.ts";
import { scratchFolder } from "./agents.ts";

interface PreparedUtility {
  readonly request: UtilityRequest;
  readonly abort: () => void;
  /** Resolves with what the program wrote to that file in its folder. */
  readonly written: (file: string) => Promise<string>;
  readonly exists: (file: string) => boolean;
}

interface Part extends Partial<Omit<UtilityMateria, "type">> {
  readonly input?: UtilityRequest["input"];
  readonly cwd?: string;
}

/** What every program here has at hand, and every grandchild. */
const HEAD = `import { existsSync, forever, grandchild, readFileSync, write } from "./kit.mjs";\n`;
const KIT = `
import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
export { existsSync, readFileSync };
// Longer than any test, but not for ever: a test that fails must not leave it behind.
export const forever = () => setTimeout(() => process.exit(), 120_000);
// Renamed into place: a reader of the file never sees half of it.
export const write = (file, text = "") => { writeFileSync(file + ".part", text); renameSync(file + ".part", file); };
export const grandchild = (source, options = {}) =>
  spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(HEAD)} + source], { stdio: "inherit", ...options });
`;

/** A utility with this program, ready to run in a separate folder. */
export function utility(source: string, { input = {}, cwd = scratchFolder(), ...part }: Part = {}): PreparedUtility {
  if (existsSync(cwd)) {
    writeFileSync(join(cwd, "kit.mjs"), KIT);
    writeFileSync(join(cwd, "utility.mjs"), `${HEAD}${source}\n`);
  }
  const controller = new AbortController();
  const materia: UtilityMateria = { type: "utility", command: [process.execPath, "utility.mjs"], ...part };
  return {
    request: { materia, input, cwd, signal: controller.signal },
    abort: () => controller.abort(),
    exists: (file) => existsSync(join(cwd, file)),
    written: async (file) => {
      await until(() => existsSync(join(cwd, file)), `${file} was never written`);
      return readFileSync(join(cwd, file), "utf8");
    },
  };
}

export async function gone(pid: string): Promise<void> {
  await until(() => !runs(Number(pid)), `process ${pid} still runs`);
}

export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Where nobody collects orphans, a dead one keeps its number: state Z.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall !== "kill" && !existsSync("/proc/self");
  }
}

export async function until(done: () => boolean, otherwise: string): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    if (done()) return;
    await sleep(10);
  }
  throw new Error(otherwise);
}
