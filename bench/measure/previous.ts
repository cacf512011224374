import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { Graph } from "../../src/core/compile/graph.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { loadPreviousCast } from "../../src/shell/casting/previous-cast.ts";
import type { Ports } from "../../src/shell/ports.ts";
import { castStartOf, type CastFile } from "../../src/shell/store/cast-file.ts";
import type { OwnedCast } from "../../src/shell/store/cast-store.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castFile, createdCast } from "../new-cast.ts";
import { instantAgent } from "../workload.ts";
import { withScratch } from "./process.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export interface PreviousFigures {
  readonly visits: number;
  /** Steps a second of the cast itself, with the files of every visit written. */
  readonly stepsPerSecond: number;
  /** The first time in this process, and the best of the next ones. */
  readonly firstMs: number;
  readonly laterMs: number;
}

/** What `link --from` does with an earlier cast of so many visits, all its files on disk. */
export function measurePrevious(visits: number): Promise<PreviousFigures> {
  return withScratch(async (scratch) => {
    const root = join(scratch, "casts");
    const { castId, stepsPerSecond } = await castWithFiles(root, visits);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      const loaded = await loadPreviousCast(fileStore(root), castId);
      if (!loaded.ok || loaded.value.notes.length > 0) throw new Error(JSON.stringify(loaded));
      times.push(performance.now() - started);
    }
    const [firstMs = Number.NaN, ...later] = times;
    return { visits, stepsPerSecond, firstMs, laterMs: Math.min(...later) };
  });
}

export interface DiskFigures {
  readonly items: number;
  /** What one visit of a utility leaves on disk, the list itself included. */
  readonly bytesPerVisit: number;
  /** The same beside a list of a quarter of the length. */
  readonly growth: number;
}

/** A list of so many items of 500 bytes, deep in a state that changes with every item, and a utility that is given all of it for each. */
export function measureDisk(items: number): Promise<DiskFigures> {
  return withScratch(async (scratch) => {
    const perVisit = async (count: number): Promise<number> => {
      const root = join(scratch, String(count));
      const file = { ...castFile(root), graph: listGraph() };
      const owned = await createdCast(root, file);
      const workItems = Array.from({ length: count }, (_, index) => ({
        title: `Item ${index + 1}`,
        context: "x".repeat(460),
      }));
      await castOf(file, owned, {
        agents: { preflight: async () => [], runTurn: planning(JSON.stringify({ workItems })) },
        runUtility: async () => ({ kind: "exited", stdout: "printed", stdoutCut: false, stderr: "" }),
      });
      return (sizeOf(join(root, file.castId, "sockets")) + sizeOf(join(root, file.castId, "values"))) / count;
    };
    const bytesPerVisit = await perVisit(items);
    return { items, bytesPerVisit, growth: bytesPerVisit / (await perVisit(Math.round(items / 4))) };
  });
}

function planning(text: string): Ports["agents"]["runTurn"] {
  return async () => ({ kind: "said", text, usage: { input: 100, output: 20, cost: 0 }, model: "instant" });
}

function listGraph(): Graph {
  const layer = readLayer("explicit", {
    materia: { Plan: { prompt: "Plan the work.", generator: true }, Print: { type: "utility", command: ["true"] } },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": {
            materia: "Plan",
            assign: { "plan.deep.list": "$.workItems" },
            edges: [{ when: "always", to: "Socket-2" }],
          },
          "Socket-2": {
            materia: "Print",
            assign: { "plan.deep.last": "item.title" },
            advance: { when: "always" },
            edges: [{ when: "always", to: "Socket-2" }],
          },
        },
        loops: { items: { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } } },
      },
    },
  });
  const compiled = compileTargets([{ kind: "loadout", name: "Main" }], mergeLayers([layer]));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  return compiled.value.graph;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function castWithFiles(
  root: string,
  visits: number,
): Promise<{ readonly castId: CastId; readonly stepsPerSecond: number }> {
  const file = castFile(root);
  const owned = await createdCast(root, file);
  const started = performance.now();
  const state = await castOf(file, owned, {
    agents: { preflight: async () => [], runTurn: instantAgent(Math.round((visits - 1) / 3)) },
    runUtility: () => Promise.reject(new Error("none")),
  });
  const seconds = (performance.now() - started) / 1000;
  return { castId: file.castId, stepsPerSecond: state.done.visits / seconds };
}

/** A cast run to its end, with all its files. */
async function castOf(
  file: CastFile,
  owned: OwnedCast,
  answering: Pick<Ports, "agents" | "runUtility">,
): Promise<CastState> {
  const ports: Ports = {
    ...answering,
    journal: owned.journal,
    artifacts: owned.artifacts,
    holdsClaim: owned.holdsClaim,
    isSuperseded: owned.isSuperseded,
    now: () => new Date(),
    redact: (text: string) => text,
    pause: async () => {},
  };
  const end = await runCast(initialState(castStartOf(file)), ports, {
    cwd: file.cwd,
    signal: new AbortController().signal,
  });
  await owned.release();
  if (end.kind !== "ended") throw new Error(`the cast is ${end.kind}`);
  return end.state;
}
