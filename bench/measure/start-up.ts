import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, withScratch, median } from "./process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface StartUpFigures {
  readonly nodeMs: number;
  /** Beyond bare Node, by command. */
  readonly beyondMs: Readonly<Record<string, number>>;
  /** Processor time of `casts` beyond bare Node; absent in results of earlier benchmarks. */
  readonly castsCpuMs?: { readonly published: number; readonly checkout: number };
}

/** From start to exit in an empty project; one run before fills Node's compile cache. Bare Node takes turns with us. */
export function measureStartUp(rounds: number): Promise<StartUpFigures> {
  return withScratch(async (scratch) => {
    const program = join(await published(), "bin", "materia.mjs");
    const commands: Readonly<Record<string, readonly string[]>> = {
      "--help": [program, "--help"],
      check: [program, "check"],
      casts: [program, "casts"],
    };
    const time = (args: readonly string[]): number => {
      const started = performance.now();
      runNode(args, scratch);
      return performance.now() - started;
    };
    for (const args of Object.values(commands)) time(args);
    const bare: number[] = [];
    const beyond = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, args] of Object.entries(commands)) {
        const alone = time(["-e", "0"]);
        bare.push(alone);
        beyond[name]?.push(time(args) - alone);
      }
    }
    const beyondMs = Object.fromEntries(Object.entries(beyond).map(([name, times]) => [name, median(times)]));
    return { nodeMs: median(bare), beyondMs, castsCpuMs: measureCastsCpu(program, scratch, rounds) };
  });
}

/** The same as processor time, which hardly depends on other work of the machine. */
function measureCastsCpu(
  program: string,
  scratch: string,
  rounds: number,
): { readonly published: number; readonly checkout: number } {
  const cpuMs = (args: readonly string[]): number =>
    Number(/^cpu (\d+)$/m.exec(runNode(["--import", CPU, ...args], scratch))?.[1]) / 1000;
  const starts = { published: [program, "casts"], checkout: [join(ROOT, "bin", "materia.mjs"), "casts"] };
  const spent: Record<keyof typeof starts, number[]> = { published: [], checkout: [] };
  for (let round = -1; round < rounds; round += 1) {
    const alone = cpuMs(["-e", "0"]);
    for (const name of ["published", "checkout"] as const) {
      const beyond = cpuMs(starts[name]) - alone;
      // The first run fills the compile cache.
      if (round >= 0) spent[name].push(beyond);
    }
  }
  return { published: median(spent.published), checkout: median(spent.checkout) };
}

export const CPU = new URL("../cpu.mjs", import.meta.url).href;

/** What it wrote to standard error. */
function runNode(args: readonly string[], home: string): string {
  const env = { ...process.env, HOME: home };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stderr;
}

/** `import "pi-materia"` as it is published, no compile cache. */
export async function measureImport(rounds: number): Promise<{ readonly ms: number }> {
  const library = join(await published(), "dist", "index.js");
  const script = `const a = performance.now(); await import(${JSON.stringify(library)});
    console.log(JSON.stringify({ ms: performance.now() - a }));`;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { answer } = await ask<{ readonly ms: number }>([process.execPath, "--input-type=module", "-e", script]);
    times.push(answer.ms);
  }
  return { ms: median(times) };
}

/**
 * The package as it is published, built from these sources for this run: that is what people start, and what the peers
 * are measured as. In the checkout every module is read and translated by itself.
 */
export async function published(): Promise<string> {
  const { bundle } = await import("../../scripts/bundle.ts");
  // Beside the dependencies, so that they are found.
  const folder = join(ROOT, "node_modules", ".cache", "materia-bench");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  await bundle(
    {
      index: "src/apps/library/index.ts",
      cli: "src/apps/cli/start.ts",
      resume: "bench/resume-child.mjs",
      engine: "bench/engine-child.mjs",
    },
    join(folder, "dist"),
  );
  cpSync(join(ROOT, "bin", "materia.mjs"), join(folder, "bin", "materia.mjs"));
  for (const name of ["package.json", "utilities", "schema"]) cpSync(join(ROOT, name), join(folder, name), ALL);
  return folder;
}

const ALL = { recursive: true };
