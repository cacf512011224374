import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledLayer } from "../../src/core/catalog/bundled.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { compile } from "../../src/core/compile/targets/compile.ts";
import { planGraph, startCast } from "../../src/shell/casting/start.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { makeRepository } from "./checkpoints.ts";
import { inScratch, median } from "./process.ts";

export interface ParallelFigures {
  readonly files: number;
  readonly items: number;
  readonly lanes: number;
  /** The first cast in a repository, which makes its trees. */
  readonly firstMs: number;
  /** One that finds trees which others have left. */
  readonly warmMs: number;
  /** Beyond the work itself, for one item. */
  readonly perItemMs: number;
}

const ITEM_MS = 1_000;
const ITEMS = 8;
const LANES = 4;

/** Items of one second each, several at once, in a repository of so many files. */
export function measureParallel(files: number, rounds: number): Promise<ParallelFigures> {
  return inScratch(async (scratch) => {
    const cwd = join(scratch, "project");
    makeRepository(cwd, files);
    const store = fileStore(join(scratch, "casts"));
    const run = async (lanes: number, itemMs: number): Promise<number> => {
      const plan = planGraph(graphOf(lanes), { request: "do it", cwd, checkpoints: true });
      const started = performance.now();
      const end = await startCast(store, plan, { host: hostOf(itemMs), signal: new AbortController().signal });
      if (!end.ok || end.value.state.phase.kind !== "ended" || end.value.state.phase.outcome !== "completed")
        throw new Error(`the cast did not complete: ${JSON.stringify(end.ok ? end.value.state.phase : end.issues)}`);
      return performance.now() - started;
    };
    const firstMs = await run(LANES, ITEM_MS);
    const warm: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      warm.push(await run(LANES, ITEM_MS));
      bare.push((await run(LANES, 0)) / ITEMS);
    }
    return { files, items: ITEMS, lanes: LANES, firstMs, warmMs: median(warm), perItemMs: median(bare) };
  });
}

function graphOf(lanes: number) {
  const catalog = mergeLayers([bundledLayer(), readLayer("explicit", configOf(lanes), "bench.json")]);
  const compiled = compile([{ kind: "loadout", name: "Items" }], catalog);
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

function hostOf(itemMs: number): AgentHost {
  return {
    preflight: async () => [],
    runTurn: async ({ socket, item, cwd }) => {
      const said = (text: string) => ({ kind: "said", text, usage: NO_USAGE, model: "bench" }) as const;
      if (socket === "Socket-1") {
        const workItems = Array.from({ length: ITEMS }, (_, at) => ({ title: `item ${at + 1}`, context: "" }));
        return said(JSON.stringify({ workItems }));
      }
      await new Promise((resolve) => setTimeout(resolve, itemMs));
      writeFileSync(join(cwd, `${item}.txt`), `${item} ${performance.now()}\n`);
      return said("built");
    },
  };
}
