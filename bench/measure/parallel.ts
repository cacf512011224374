import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { NO_USAGE, totalTokens } from "../../src/core/cast/state/usage.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import type { CastStore } from "../../src/shell/store/cast-store.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { makeRepository } from "./checkpoints.ts";
import { withScratch, median } from "./process.ts";

export interface ParallelFigures {
  readonly files: number;
  readonly items: number;
  readonly lanes: number;
  /** The first cast in a repository, which makes its trees. */
  readonly firstMs: number;
  /** One that finds trees which others have left. */
  readonly warmMs: number;
  /** Beyond the work itself, for one item: time, time of processors (git's included), and calls of git. */
  readonly perItemMs: number;
  readonly perItemCpuMs: number;
  readonly perItemCalls: number;
  /** By how many turns eight lanes overran a budget. */
  readonly overrunTurns: number;
}

const ITEM_MS = 1_000;
const ITEMS = 8;
const LANES = 4;
const TURN_TOKENS = 100;

/** Items of one second each, several at once, in a repository of so many files. */
export function measureParallel(files: number, rounds: number): Promise<ParallelFigures> {
  return withScratch(async (scratch) => {
    const cwd = join(scratch, "project");
    makeRepository(cwd, files);
    const store = fileStore(join(scratch, "casts"));
    const run = async (setting: Partial<Setting> = {}): Promise<Ran> => runOnce(store, cwd, { ...USUAL, ...setting });
    const first = await run();
    const warm: number[] = [];
    const bare: Ran[] = [];
    for (let round = 0; round < rounds; round += 1) {
      warm.push((await run()).ms);
      bare.push(await run({ itemMs: 0 }));
    }
    const calls = countGit(join(scratch, "bin"));
    await run({ itemMs: 0, items: 2 });
    const few = calls();
    await run({ itemMs: 0, items: 2 + ITEMS });
    const perItemCalls = (calls() - 2 * few) / ITEMS;
    const limited = await run({ itemMs: 5, items: 64, lanes: 8, maxTokens: 20 * TURN_TOKENS });
    return {
      files,
      items: ITEMS,
      lanes: LANES,
      firstMs: first.ms,
      warmMs: median(warm),
      perItemMs: median(bare.map(({ ms }) => ms / ITEMS)),
      perItemCpuMs: median(bare.map(({ cpuMs }) => cpuMs / ITEMS)),
      perItemCalls,
      overrunTurns: limited.tokens / TURN_TOKENS - 20,
    };
  });
}

interface Setting {
  readonly items: number;
  readonly lanes: number;
  readonly itemMs: number;
  readonly maxTokens?: number;
}

const USUAL: Setting = { items: ITEMS, lanes: LANES, itemMs: ITEM_MS };

interface Ran {
  readonly ms: number;
  readonly cpuMs: number;
  readonly tokens: number;
}

async function runOnce(store: CastStore, cwd: string, setting: Setting): Promise<Ran> {
  const { lanes, maxTokens } = setting;
  const budget = maxTokens === undefined ? {} : { budget: { maxTokens } };
  const plan = planCast(graphOf(lanes), { request: "do it", cwd, checkpoints: true, ...budget });
  const [started, cpu] = [performance.now(), cpuMs()];
  const end = await startCast(plan, { store, host: hostOf(setting), signal: new AbortController().signal });
  if (!end.ok || end.value.state.phase.kind !== "ended")
    throw new Error(`the cast did not end: ${JSON.stringify(end.ok ? end.value.state.phase : end.issues)}`);
  const { phase, usage } = end.value.state;
  if (maxTokens === undefined && phase.outcome !== "completed") throw new Error(`it did not complete: ${phase.reason}`);
  return { ms: performance.now() - started, cpuMs: cpuMs() - cpu, tokens: totalTokens(usage) };
}

/** Of this process and of those that it started, as far as the system tells. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  if (process.platform !== "linux") return own;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  return own + (Number(fields[13]) + Number(fields[14])) * 10;
}

/** From now on calls of git are counted on their way. */
function countGit(folder: string): () => number {
  const calls = join(folder, "calls");
  mkdirSync(folder);
  writeFileSync(calls, "");
  const path = process.env["PATH"] ?? "";
  const script = `#!/bin/sh\necho >> '${calls}'\nPATH='${path}' exec git "$@"\n`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  return () => readFileSync(calls, "utf8").length;
}

function graphOf(lanes: number) {
  const catalog = mergeLayers([bundledLayer(), readLayer("explicit", configOf(lanes), "bench.json")]);
  const compiled = compileTargets([{ kind: "loadout", name: "Items" }], catalog);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value.graph;
}

function configOf(lanes: number): object {
  const loops = {
    each: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" }, parallel: lanes },
  };
  const sockets = {
    "Socket-1": { materia: "Planner", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Build", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
  };
  return { loadouts: { Items: { entry: "Socket-1", sockets, loops } } };
}

function hostOf({ itemMs, items }: Setting): AgentHost {
  return {
    preflight: async () => [],
    runTurn: async ({ socket, item, cwd }) => {
      const said = (text: string, usage = NO_USAGE) => ({ kind: "said", text, usage, model: "bench" }) as const;
      if (socket === "Socket-1") {
        const workItems = Array.from({ length: items }, (_, at) => ({ title: `item ${at + 1}`, context: "" }));
        return said(JSON.stringify({ workItems }));
      }
      await new Promise((resolve) => setTimeout(resolve, itemMs));
      writeFileSync(join(cwd, `${item}.txt`), `${item} ${performance.now()}\n`);
      return said("built", { ...NO_USAGE, input: TURN_TOKENS });
    },
  };
}
