import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startState } from "../src/core/cast/state.ts";
import type { CastId } from "../src/core/model/ids.ts";
import { openJournal } from "../src/shell/files/journal.ts";
import type { Durability } from "../src/shell/files/journal.ts";
import type { Artifacts } from "../src/shell/ports.ts";
import { runCast } from "../src/shell/run/run-cast.ts";
import { instantAgent, workloadGraph } from "./workload.ts";

const NO_ARTIFACTS: Artifacts = { visitFolder: () => "", write: async () => undefined, append: async () => undefined };

export interface EngineFigures {
  readonly steps: number;
  readonly stepsPerSecond: number;
  readonly bytesPerStep: number;
  readonly peakMb: number;
}

/** Each step is written to a journal on disk before it is applied; artifacts, which no peer has, are left out. */
export async function measureEngine(steps: number, durability: Durability = "write"): Promise<EngineFigures> {
  const folder = mkdtempSync(join(tmpdir(), "materia-bench-"));
  const file = join(folder, "journal.jsonl");
  const journal = openJournal(file, { durability, redact: (text) => text });
  const graph = workloadGraph();
  const state = startState({
    castId: "bench" as CastId,
    request: "Do the work.",
    graph,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    data: {},
  });
  const agents = { preflight: async () => [], runTurn: instantAgent(Math.round((steps - 1) / 3)) };
  const started = performance.now();
  const end = await runCast(
    state,
    {
      agents,
      runUtility: () => Promise.reject(new Error("none")),
      journal,
      artifacts: NO_ARTIFACTS,
      now: () => new Date(),
    },
    { cwd: folder, runDir: folder, signal: new AbortController().signal },
  );
  const seconds = (performance.now() - started) / 1000;
  journal.close();
  if (end.kind !== "ended") throw new Error(`the workload ended as ${end.kind}`);
  const done = end.state.done.visits;
  const bytes = statSync(file).size;
  rmSync(folder, { recursive: true });
  return {
    steps: done,
    stepsPerSecond: done / seconds,
    bytesPerStep: bytes / done,
    peakMb: process.resourceUsage().maxRSS / 1024,
  };
}
