import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fuzzGraph, fuzzSubject } from "../../src/core/testing/fuzz.ts";
import { answerEvent, simulateCast } from "../../src/core/cast/simulate.ts";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { planCast } from "../../src/shell/casting/start-cast.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { withScratch } from "./process.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/materia.mjs", import.meta.url));

export interface TestingFigures {
  /** `materia test` with so many rehearsals of five visits. */
  readonly tests: number;
  readonly testMs: number;
  /** `materia replay --all` over so many casts of fifty visits. */
  readonly replayed: number;
  readonly replayMs: number;
  /** `materia forecast` where so many casts are kept. */
  readonly kept: number;
  readonly forecastMs: number;
  readonly fuzzedPerSecond: number;
}

const bundled = mergeLayers([bundledLayer()]);

/** Full-Auto, a graph of eight sockets, as everybody has it; Hojo-Consult has ten. */
function graphOf(name: string) {
  const compiled = compileTargets([{ kind: "loadout", name }], bundled);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value;
}

export function measureTesting(tests: number, replayed: number, kept: number): Promise<TestingFigures> {
  return withScratch(async (scratch) => {
    const [testMs, replayMs] = [
      timeTests(join(scratch, "tests"), tests),
      await timeReplay(join(scratch, "replay"), replayed),
    ];
    const forecastMs = await timeForecast(join(scratch, "forecast"), kept);
    return { tests, testMs, replayed, replayMs, kept, forecastMs, fuzzedPerSecond: fuzzRate() };
  });
}

function timeTests(folder: string, tests: number): number {
  mkdirSync(folder, { recursive: true });
  const replies = {
    "Auto-Plan": [{ json: { workItems: [] } }],
    Narrate: [{ text: "done" }],
  };
  const test = { cast: { loadout: "Full-Auto", request: "x" }, replies, expect: { outcome: "completed" } };
  for (let number = 0; number < tests; number += 1) writeFileSync(join(folder, `${number}.json`), JSON.stringify(test));
  return timed(["test", folder, "--cwd", folder], 0);
}

/** Casts of about so many visits, each item of three, written as any cast is. */
async function writeCasts(
  root: string,
  cwd: string,
  { casts, items }: { readonly casts: number; readonly items: number },
) {
  const { graph, targets } = graphOf("Full-Auto");
  const store = fileStore(root);
  for (let number = 0; number < casts; number += 1) {
    const named = targets.map(({ kind, name, entry }) => ({ kind, name, layer: entry.layer, file: null }));
    const { file } = planCast(graph, { request: "x", cwd, targets: named, limits: bundled.settings.limits });
    const { events } = simulateCast(
      castStartOf(file),
      (asked, state) => answerEvent({ satisfied: true, items }, asked, state),
      10_000,
    );
    const owned = await store.create({ file }, {});
    if (!owned.ok) throw new Error(JSON.stringify(owned.issues));
    await owned.value.journal.append(events, initialState(castStartOf(file)).seq);
    await owned.value.release();
  }
}

async function timeReplay(folder: string, casts: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  await writeCasts(join(folder, "casts"), folder, { casts, items: 15 });
  return timed(["replay", "--all", "--cwd", folder, "--artifacts", join(folder, "casts")], 0);
}

async function timeForecast(folder: string, casts: number): Promise<number> {
  mkdirSync(folder, { recursive: true });
  await writeCasts(join(folder, "casts"), folder, { casts, items: 3 });
  return timed(["forecast", "Full-Auto", "--cwd", folder, "--artifacts", join(folder, "casts")], 0);
}

function fuzzRate(): number {
  const { graph, flow } = graphOf("Hojo-Consult");
  const { file } = planCast(graph, { request: "x", cwd: "/", limits: bundled.settings.limits });
  const subject = fuzzSubject(castStartOf(file), flow);
  const settings = { casts: 5_000, seed: 1, items: 3 };
  fuzzGraph(subject, { ...settings, casts: 500 });
  const started = performance.now();
  fuzzGraph(subject, settings);
  return settings.casts / ((performance.now() - started) / 1000);
}

/** In a separate process, from its start to its end. */
function timed(args: readonly string[], code: number): number {
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  if (status !== code) throw new Error(stderr || stdout.slice(-300));
  return performance.now() - started;
}
