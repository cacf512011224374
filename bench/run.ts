import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { waitForQuietMachine } from "./measure/calm.ts";
import type { CheckFigures } from "./measure/check.ts";
import type { CheckpointFigures } from "./measure/checkpoints.ts";
import type { EnginePair } from "./measure/engine.ts";
import type { ParallelFigures } from "./measure/parallel.ts";
import type { KilledFigures } from "./measure/killed.ts";
import type { PreviousFigures } from "./measure/previous.ts";
import { ask, withoutPlaces } from "./measure/process.ts";
import { PEERS, install, type Peer } from "./peers/install.ts";
import { measureFirst, measureResume, measureRun, type RunFigures } from "./peers/measure-peer.ts";
import type { Contender, OwnFigures, Results } from "./report/figures.ts";
import { resultsSvg } from "./report/svg.ts";
import { resultsText } from "./report/table.ts";
import { judge } from "./report/targets.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, ours: { type: "boolean" } } });
const SHORT = 1_000;
const LONG = 10_000;
const ROUNDS = values.quick ? 1 : 3;
const SIZES = [100, 1_000, 5_000];
const TREES = [200, 5_000, 50_000];
const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));

/** How much of the machine others used when each measurement began. */
const busy: number[] = [];
const started = performance.now();
const [before = 0] = loadavg();
const own = await measureOwn();
const engines = { short: await measureEngines(SHORT), long: await measureEngines(LONG) };
const contenders = [await measureOurs(own), ...(values.ours ? [] : await measurePeers())];
const [after = 0] = loadavg();
const results: Results = {
  machine: {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    load: { before, after },
    busyWithOthers: busy.reduce((sum, share) => sum + share, 0) / busy.length,
    seconds: (performance.now() - started) / 1000,
  },
  steps: { short: SHORT, long: LONG },
  contenders,
  first: { short: firstRun(engines.short), long: firstRun(engines.long) },
  own,
  targets: judge(contenders, own, firstRun(engines.long)),
};
process.stdout.write(`\n${resultsText(results)}\n`);
// Half a comparison replaces no whole one.
if (!values.quick && !values.ours) {
  writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, rounded, 2)}\n`);
  writeFileSync(new URL("../docs/pictures/benchmark.svg", import.meta.url), resultsSvg(contenders, LONG));
}

/** Four digits are more than any of these figures is worth. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

/** Figures, or the sentence that says why there are none. */
async function attempt<T>(what: string, measure: () => Promise<T>): Promise<T | string> {
  busy.push(await waitForQuietMachine());
  process.stderr.write(`${what} …\n`);
  try {
    return await measure();
  } catch (thrown) {
    return withoutPlaces(thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 200);
  }
}

function ours<T>(name: string, ...numbers: readonly number[]): Promise<T | string> {
  return attempt([name, ...numbers].join(" "), async () => {
    const { answer } = await ask<T>([process.execPath, CHILD, name, ...numbers.map(String)]);
    return answer;
  });
}

async function measureOwn(): Promise<OwnFigures> {
  // First of all: ext4 passes over every inode that was freed in the last minutes, one by one, so that after a measurement
  // that removed thousands of files a new one takes many times as long.
  const previous = await ours<PreviousFigures>("previous", LONG);
  const check: Record<string, CheckFigures | string> = {};
  for (const size of SIZES) check[size] = await ours<CheckFigures>("check", size);
  return {
    check,
    link: await ours("link", 20, 250),
    prompts: await ours("prompts", 1_000),
    requests: await ours("requests"),
    startUp: await ours("startUp", 3 * ROUNDS),
    casts: await ours("casts", 2_000),
    previous,
    disk: await ours("disk", 400),
    killed: await ours("killed", LONG / 2, 2 * ROUNDS + 1),
    sync: await ours("sync", 2_000),
    status: await ours("status", 100_000, 2 * ROUNDS + 1),
    rehearsal: await ours("rehearsal", 60),
    checkpoints: await measureCheckpoints(),
    parallel: await measureParallel(),
    inbox: await ours("inbox", 50, 2_000, 100),
    apart: await ours("apart", 5_000, 2 * ROUNDS + 1),
    outside: await ours("outside", LONG, 2 * ROUNDS + 1),
    testing: await ours("testing", 100, 200, 2_000),
    fleet: await ours("fleet", values.quick ? 200 : 1_000, ROUNDS),
    web: await ours("web"),
    page: await ours("page"),
  };
}

async function measureParallel(): Promise<OwnFigures["parallel"]> {
  const figures: Record<string, ParallelFigures | string> = {};
  for (const files of [200, 5_000]) figures[files] = await ours<ParallelFigures>("parallel", files, ROUNDS);
  return figures;
}

async function measureCheckpoints(): Promise<OwnFigures["checkpoints"]> {
  const figures: Record<string, CheckpointFigures | string> = {};
  for (const files of values.quick ? TREES.slice(0, 2) : TREES)
    figures[files] = await ours<CheckpointFigures>("checkpoints", files, 2 * ROUNDS + 1);
  return figures;
}

async function measureOurs({ check, killed }: OwnFigures): Promise<Contender> {
  const imported = await ours<{ readonly ms: number }>("import", 2 * ROUNDS + 1);
  return {
    name: "pi-materia",
    node: process.version,
    isEngine: true,
    short: ourRun(engines.short),
    long: ourRun(engines.long),
    importMs: typeof imported === "string" ? imported : imported.ms,
    resume: resumed(killed),
    compileMs: Object.fromEntries(
      Object.entries(check).map(([size, figures]) => [size, typeof figures === "string" ? figures : figures.firstMs]),
    ),
  };
}

function resumed(killed: KilledFigures | string): Contender["resume"] {
  return typeof killed === "string" ? killed : { done: killed.done, ms: killed.ms, again: killed.again };
}

function measureEngines(steps: number): Promise<EnginePair | string> {
  return ours<EnginePair>("engine", steps, 2 * ROUNDS - 1);
}

function ourRun(pair: EnginePair | string): RunFigures | string {
  return typeof pair === "string" ? pair : pair.ours;
}

function firstRun(pair: EnginePair | string): RunFigures | string {
  return typeof pair === "string" ? pair : pair.first;
}

async function measurePeers(): Promise<readonly Contender[]> {
  const measured: Contender[] = [];
  for (const peer of PEERS) measured.push(await measurePeer(peer));
  return measured;
}

async function measurePeer(peer: Peer): Promise<Contender> {
  const { name, isEngine } = peer;
  const installed = await attempt(`${name}: install`, () => install(peer));
  if (typeof installed === "string") {
    const compileMs = Object.fromEntries(SIZES.map((size) => [size, installed]));
    return {
      name,
      node: "",
      isEngine,
      short: installed,
      long: installed,
      importMs: installed,
      resume: installed,
      compileMs,
    };
  }
  const compileMs: Record<string, number | string> = {};
  for (const size of isEngine ? SIZES : [])
    compileMs[size] = await attempt(`${name}: compile ${size}`, () =>
      measureFirst(installed, "compile", { count: size, rounds: ROUNDS }),
    );
  const long = (): Promise<RunFigures | string> =>
    values.quick && isEngine
      ? Promise.resolve("not asked for more than 1,000 steps (--quick)")
      : // Minutes, for some of them.
        attempt(`${name}: ${LONG} steps`, () => measureRun(installed, LONG, isEngine ? 1 : ROUNDS));
  return {
    name,
    node: installed.nodeVersion,
    isEngine,
    short: await attempt(`${name}: ${SHORT} steps`, () => measureRun(installed, SHORT, ROUNDS)),
    long: await long(),
    importMs: isEngine
      ? await attempt(`${name}: import`, () => measureFirst(installed, "import", { rounds: ROUNDS }))
      : "there is nothing to import",
    resume: await attempt(`${name}: kill and resume`, () => measureResume(installed, values.quick ? SHORT : LONG)),
    compileMs,
  };
}
